/* Descriptors made and closed. */
#undef _FORTIFY_SOURCE /* would make inline functions of these names */
#undef _FILE_OFFSET_BITS
#define _GNU_SOURCE 1
#include <fcntl.h>
#include <stdarg.h>
#include <unistd.h>

#include "descriptors.h"
#include "real.h"
#include "scope.h"

/* Called by programs built with _FORTIFY_SOURCE; in no public header. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int folder, const char *path, int flags);
int __openat64_2(int folder, const char *path, int flags);

static int ended(struct vs_io *io, bool seen, int fd) {
  if (seen)
    vs_io_made(io, VS_IO_OPENED, fd);
  else
    vs_io_unseen(fd);
  return fd;
}

/* The optional mode: there only where a file may be made. */
#define WITH_MODE(mode, last)                                                                      \
  mode_t mode = 0;                                                                                 \
  if ((flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE) {                                     \
    va_list rest;                                                                                  \
    va_start(rest, last);                                                                          \
    mode = va_arg(rest, mode_t);                                                                   \
    va_end(rest);                                                                                  \
  }

#define OPEN(name)                                                                                 \
  VS_EXPORT int name(const char *path, int flags, ...) {                                           \
    struct vs_io io;                                                                               \
    WITH_MODE(mode, flags)                                                                         \
    const bool seen = VS_IO_BEGIN_OPEN(&io, open);                                                 \
    return ended(&io, seen, VS_REAL(name)(path, flags, mode));                                     \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                               \
  VS_EXPORT int name(int folder, const char *path, int flags, ...) {                               \
    struct vs_io io;                                                                               \
    WITH_MODE(mode, flags)                                                                         \
    const bool seen = VS_IO_BEGIN_OPEN(&io, openat);                                               \
    return ended(&io, seen, VS_REAL(name)(folder, path, flags, mode));                             \
  }
OPENAT(openat)
OPENAT(openat64)

#define OPEN_2(name)                                                                               \
  VS_EXPORT int name(const char *path, int flags) {                                                \
    struct vs_io io;                                                                               \
    const bool seen = VS_IO_BEGIN_OPEN(&io, open);                                                 \
    return ended(&io, seen, VS_REAL(name)(path, flags));                                           \
  }
OPEN_2(__open_2)
OPEN_2(__open64_2)

#define OPENAT_2(name)                                                                             \
  VS_EXPORT int name(int folder, const char *path, int flags) {                                    \
    struct vs_io io;                                                                               \
    const bool seen = VS_IO_BEGIN_OPEN(&io, openat);                                               \
    return ended(&io, seen, VS_REAL(name)(folder, path, flags));                                   \
  }
OPENAT_2(__openat_2)
OPENAT_2(__openat64_2)

#define CREAT(name)                                                                                \
  VS_EXPORT int name(const char *path, mode_t mode) {                                              \
    struct vs_io io;                                                                               \
    const bool seen = VS_IO_BEGIN_OPEN(&io, creat);                                                \
    return ended(&io, seen, VS_REAL(name)(path, mode));                                            \
  }
CREAT(creat)
CREAT(creat64)

/* Descriptors are forgotten before they are closed: another thread may get the same number at once.
 */
static uint32_t forget(int fd) {
  return vs_io_awake() && !vs_io_in_child() ? vs_io_forget(fd) : VST_NO_COMMUNICATOR;
}

VS_EXPORT int close(int fd) {
  struct vs_io io;
  if (!vs_io_awake())
    return VS_REAL(close)(fd);
  const bool seen = VS_IO_BEGIN_OPEN(&io, close);
  const uint32_t file = forget(fd);
  const int result = VS_REAL(close)(fd);
  if (seen)
    vs_io_closed(&io, file);
  return result;
}

VS_EXPORT int close_range(unsigned first, unsigned last, int flags) {
  struct vs_io io;
  const bool seen = VS_IO_BEGIN_OPEN(&io, close_range);
  if (vs_io_awake() && !vs_io_in_child() && !(flags & (int)CLOSE_RANGE_CLOEXEC))
    vs_io_forget_range(first, last);
  const int result = VS_REAL(close_range)(first, last, flags);
  if (seen)
    vs_io_plain(&io);
  return result;
}

VS_EXPORT void closefrom(int first) {
  struct vs_io io;
  const bool seen = VS_IO_BEGIN_OPEN(&io, closefrom);
  if (vs_io_awake() && !vs_io_in_child())
    vs_io_forget_range(first < 0 ? 0 : (unsigned)first, ~0u);
  VS_REAL(closefrom)(first);
  if (seen)
    vs_io_plain(&io);
}

static int duplicated(struct vs_io *io, bool seen, int from, int fd) {
  if (seen)
    vs_io_made(io, from, fd);
  else if (from != fd)
    vs_io_unseen(fd);
  return fd;
}

VS_EXPORT int dup(int fd) {
  struct vs_io io;
  const bool seen = VS_IO_BEGIN_OPEN(&io, dup);
  return duplicated(&io, seen, fd, VS_REAL(dup)(fd));
}

VS_EXPORT int dup2(int fd, int wanted) {
  struct vs_io io;
  const bool seen = VS_IO_BEGIN_OPEN(&io, dup2);
  return duplicated(&io, seen, fd, VS_REAL(dup2)(fd, wanted));
}

VS_EXPORT int dup3(int fd, int wanted, int flags) {
  struct vs_io io;
  const bool seen = VS_IO_BEGIN_OPEN(&io, dup3);
  return duplicated(&io, seen, fd, VS_REAL(dup3)(fd, wanted, flags));
}
