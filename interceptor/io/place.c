/* Seeking, making durable, sizes, and mapping into memory. */
#undef _FORTIFY_SOURCE /* would make inline functions of these names */
#undef _FILE_OFFSET_BITS
#define _GNU_SOURCE 1
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "real.h"
#include "scope.h"

#define LSEEK(name, offset)                                                                        \
  VS_EXPORT offset name(int fd, offset by, int from) {                                             \
    struct vs_io io;                                                                               \
    const bool seen = VS_IO_BEGIN(&io, lseek);                                                     \
    const offset result = VS_REAL(name)(fd, by, from);                                             \
    if (seen)                                                                                      \
      vs_io_seek(&io, fd, result);                                                                 \
    return result;                                                                                 \
  }
LSEEK(lseek, off_t)
LSEEK(lseek64, off64_t)

/* A call that returns an int and whose first argument is a descriptor. */
#define ON_DESCRIPTOR(name, call, parameters, arguments)                                           \
  VS_EXPORT int name parameters {                                                                  \
    struct vs_io io;                                                                               \
    const bool seen = VS_IO_BEGIN(&io, call);                                                      \
    const int result = VS_REAL(name) arguments;                                                    \
    if (seen)                                                                                      \
      vs_io_descriptor(&io, fd, 0);                                                                \
    return result;                                                                                 \
  }
ON_DESCRIPTOR(fsync, fsync, (int fd), (fd))
ON_DESCRIPTOR(fdatasync, fdatasync, (int fd), (fd))
ON_DESCRIPTOR(syncfs, syncfs, (int fd), (fd))
ON_DESCRIPTOR(sync_file_range, sync_file_range, (int fd, off64_t from, off64_t bytes, unsigned how),
              (fd, from, bytes, how))
ON_DESCRIPTOR(ftruncate, ftruncate, (int fd, off_t bytes), (fd, bytes))
ON_DESCRIPTOR(ftruncate64, ftruncate, (int fd, off64_t bytes), (fd, bytes))
ON_DESCRIPTOR(fallocate, fallocate, (int fd, int mode, off_t from, off_t bytes),
              (fd, mode, from, bytes))
ON_DESCRIPTOR(fallocate64, fallocate, (int fd, int mode, off64_t from, off64_t bytes),
              (fd, mode, from, bytes))
ON_DESCRIPTOR(posix_fallocate, posix_fallocate, (int fd, off_t from, off_t bytes),
              (fd, from, bytes))
ON_DESCRIPTOR(posix_fallocate64, posix_fallocate, (int fd, off64_t from, off64_t bytes),
              (fd, from, bytes))

VS_EXPORT int msync(void *memory, size_t bytes, int flags) {
  struct vs_io io;
  const bool seen = VS_IO_BEGIN(&io, msync);
  const int result = VS_REAL(msync)(memory, bytes, flags);
  if (seen)
    vs_io_plain(&io);
  return result;
}

/* Memory without a file is none of our business, and allocators must get it at any time. */
#define MMAP(name, offset)                                                                         \
  VS_EXPORT void *name(void *wanted, size_t bytes, int protection, int flags, int fd, offset at) { \
    struct vs_io io;                                                                               \
    if (flags & MAP_ANONYMOUS)                                                                     \
      return VS_REAL(name)(wanted, bytes, protection, flags, fd, at);                              \
    const bool seen = VS_IO_BEGIN(&io, mmap);                                                      \
    void *const result = VS_REAL(name)(wanted, bytes, protection, flags, fd, at);                  \
    if (seen)                                                                                      \
      vs_io_descriptor(&io, fd, result == MAP_FAILED ? 0 : (int64_t)bytes);                        \
    return result;                                                                                 \
  }
MMAP(mmap, off_t)
MMAP(mmap64, off64_t)
