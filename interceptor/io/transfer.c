/* Reads and writes of descriptors. */
#undef _FORTIFY_SOURCE /* would make inline functions of these names */
#undef _FILE_OFFSET_BITS
#define _GNU_SOURCE 1
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

#include "descriptors.h"
#include "real.h"
#include "scope.h"

/* Called by programs built with _FORTIFY_SOURCE; in no public header. */
ssize_t __read_chk(int fd, void *data, size_t bytes, size_t room);
ssize_t __pread_chk(int fd, void *data, size_t bytes, off_t at, size_t room);
ssize_t __pread64_chk(int fd, void *data, size_t bytes, off64_t at, size_t room);

static inline ssize_t ended(struct vs_io *io, bool seen, int fd, ssize_t result, int64_t at,
                            bool write) {
  if (__builtin_expect(seen, 0))
    vs_io_transfer(io, fd, result, at, write);
  return result;
}

VS_EXPORT ssize_t read(int fd, void *data, size_t bytes) {
  struct vs_io io;
  const bool seen = VS_IO_BEGIN(&io, read);
  return ended(&io, seen, fd, VS_REAL(read)(fd, data, bytes), VS_IO_HERE, false);
}

VS_EXPORT ssize_t __read_chk(int fd, void *data, size_t bytes, size_t room) {
  struct vs_io io;
  const bool seen = VS_IO_BEGIN(&io, read);
  return ended(&io, seen, fd, VS_REAL(__read_chk)(fd, data, bytes, room), VS_IO_HERE, false);
}

VS_EXPORT ssize_t write(int fd, const void *data, size_t bytes) {
  struct vs_io io;
  const bool seen = VS_IO_BEGIN(&io, write);
  return ended(&io, seen, fd, VS_REAL(write)(fd, data, bytes), VS_IO_HERE, true);
}

VS_EXPORT ssize_t readv(int fd, const struct iovec *pieces, int count) {
  struct vs_io io;
  const bool seen = VS_IO_BEGIN(&io, readv);
  return ended(&io, seen, fd, VS_REAL(readv)(fd, pieces, count), VS_IO_HERE, false);
}

VS_EXPORT ssize_t writev(int fd, const struct iovec *pieces, int count) {
  struct vs_io io;
  const bool seen = VS_IO_BEGIN(&io, writev);
  return ended(&io, seen, fd, VS_REAL(writev)(fd, pieces, count), VS_IO_HERE, true);
}

#define PREAD(name, offset)                                                                        \
  VS_EXPORT ssize_t name(int fd, void *data, size_t bytes, offset at) {                            \
    struct vs_io io;                                                                               \
    const bool seen = VS_IO_BEGIN(&io, pread);                                                     \
    return ended(&io, seen, fd, VS_REAL(name)(fd, data, bytes, at), at, false);                    \
  }
PREAD(pread, off_t)
PREAD(pread64, off64_t)

#define PREAD_CHK(name, offset)                                                                    \
  VS_EXPORT ssize_t name(int fd, void *data, size_t bytes, offset at, size_t room) {               \
    struct vs_io io;                                                                               \
    const bool seen = VS_IO_BEGIN(&io, pread);                                                     \
    return ended(&io, seen, fd, VS_REAL(name)(fd, data, bytes, at, room), at, false);              \
  }
PREAD_CHK(__pread_chk, off_t)
PREAD_CHK(__pread64_chk, off64_t)

#define PWRITE(name, offset)                                                                       \
  VS_EXPORT ssize_t name(int fd, const void *data, size_t bytes, offset at) {                      \
    struct vs_io io;                                                                               \
    const bool seen = VS_IO_BEGIN(&io, pwrite);                                                    \
    return ended(&io, seen, fd, VS_REAL(name)(fd, data, bytes, at), at, true);                     \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define VECTOR(name, call, offset, is_write)                                                       \
  VS_EXPORT ssize_t name(int fd, const struct iovec *pieces, int count, offset at) {               \
    struct vs_io io;                                                                               \
    const bool seen = VS_IO_BEGIN(&io, call);                                                      \
    return ended(&io, seen, fd, VS_REAL(name)(fd, pieces, count, at), at, is_write);               \
  }
VECTOR(preadv, preadv, off_t, false)
VECTOR(preadv64, preadv, off64_t, false)
VECTOR(pwritev, pwritev, off_t, true)
VECTOR(pwritev64, pwritev, off64_t, true)

/* Offset -1 means the descriptor's position here: VS_IO_HERE. */
#define VECTOR2(name, call, offset, is_write)                                                      \
  VS_EXPORT ssize_t name(int fd, const struct iovec *pieces, int count, offset at, int flags) {    \
    struct vs_io io;                                                                               \
    const bool seen = VS_IO_BEGIN(&io, call);                                                      \
    return ended(&io, seen, fd, VS_REAL(name)(fd, pieces, count, at, flags), at, is_write);        \
  }
VECTOR2(preadv2, preadv2, off_t, false)
VECTOR2(preadv64v2, preadv2, off64_t, false)
VECTOR2(pwritev2, pwritev2, off_t, true)
VECTOR2(pwritev64v2, pwritev2, off64_t, true)

/* Recorded as writes; the position that was read from is asked for when it is needed. */
#define SENDFILE(name, offset)                                                                     \
  VS_EXPORT ssize_t name(int to, int from, offset *at, size_t bytes) {                             \
    struct vs_io io;                                                                               \
    const bool seen = VS_IO_BEGIN(&io, sendfile);                                                  \
    const ssize_t result = VS_REAL(name)(to, from, at, bytes);                                     \
    if (seen && !at)                                                                               \
      vs_io_lose_position(from);                                                                   \
    return ended(&io, seen, to, result, VS_IO_HERE, true);                                         \
  }
SENDFILE(sendfile, off_t)
SENDFILE(sendfile64, off64_t)

VS_EXPORT ssize_t copy_file_range(int from, off64_t *from_at, int to, off64_t *to_at, size_t bytes,
                                  unsigned flags) {
  struct vs_io io;
  const bool seen = VS_IO_BEGIN(&io, copy_file_range);
  const int64_t at = to_at ? *to_at : VS_IO_HERE;
  const ssize_t result = VS_REAL(copy_file_range)(from, from_at, to, to_at, bytes, flags);
  if (seen && !from_at)
    vs_io_lose_position(from);
  return ended(&io, seen, to, result, at, true);
}
