/* Attributes, names and directories. */
#undef _FORTIFY_SOURCE /* would make inline functions of these names */
#undef _FILE_OFFSET_BITS
#define _GNU_SOURCE 1
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "descriptors.h"
#include "real.h"
#include "scope.h"

/* What programs built against a glibc before 2.33 call. */
int __xstat(int version, const char *path, struct stat *status);
int __xstat64(int version, const char *path, struct stat64 *status);
int __lxstat(int version, const char *path, struct stat *status);
int __lxstat64(int version, const char *path, struct stat64 *status);
int __fxstat(int version, int fd, struct stat *status);
int __fxstat64(int version, int fd, struct stat64 *status);
int __fxstatat(int version, int folder, const char *path, struct stat *status, int flags);
int __fxstatat64(int version, int folder, const char *path, struct stat64 *status, int flags);

/* A call by name, that returns an int. */
#define BY_NAME(name, call, parameters, arguments)                                                 \
  VS_EXPORT int name parameters {                                                                  \
    struct vs_io io;                                                                               \
    const bool seen = VS_IO_BEGIN(&io, call);                                                      \
    const int result = VS_REAL(name) arguments;                                                    \
    if (seen)                                                                                      \
      vs_io_plain(&io);                                                                            \
    return result;                                                                                 \
  }
BY_NAME(stat, stat, (const char *path, struct stat *status), (path, status))
BY_NAME(stat64, stat, (const char *path, struct stat64 *status), (path, status))
BY_NAME(lstat, lstat, (const char *path, struct stat *status), (path, status))
BY_NAME(lstat64, lstat, (const char *path, struct stat64 *status), (path, status))
BY_NAME(fstatat, fstatat, (int folder, const char *path, struct stat *status, int flags),
        (folder, path, status, flags))
BY_NAME(fstatat64, fstatat, (int folder, const char *path, struct stat64 *status, int flags),
        (folder, path, status, flags))
BY_NAME(__xstat, stat, (int version, const char *path, struct stat *status),
        (version, path, status))
BY_NAME(__xstat64, stat, (int version, const char *path, struct stat64 *status),
        (version, path, status))
BY_NAME(__lxstat, lstat, (int version, const char *path, struct stat *status),
        (version, path, status))
BY_NAME(__lxstat64, lstat, (int version, const char *path, struct stat64 *status),
        (version, path, status))
BY_NAME(__fxstatat, fstatat,
        (int version, int folder, const char *path, struct stat *status, int flags),
        (version, folder, path, status, flags))
BY_NAME(__fxstatat64, fstatat,
        (int version, int folder, const char *path, struct stat64 *status, int flags),
        (version, folder, path, status, flags))
BY_NAME(statx, statx,
        (int folder, const char *path, int flags, unsigned mask, struct statx *status),
        (folder, path, flags, mask, status))
BY_NAME(truncate, truncate, (const char *path, off_t bytes), (path, bytes))
BY_NAME(truncate64, truncate, (const char *path, off64_t bytes), (path, bytes))
BY_NAME(access, access, (const char *path, int mode), (path, mode))
BY_NAME(faccessat, faccessat, (int folder, const char *path, int mode, int flags),
        (folder, path, mode, flags))
BY_NAME(rename, rename, (const char *from, const char *to), (from, to))
BY_NAME(renameat, renameat, (int folder, const char *from, int other, const char *to),
        (folder, from, other, to))
BY_NAME(unlink, unlink, (const char *path), (path))
BY_NAME(unlinkat, unlinkat, (int folder, const char *path, int flags), (folder, path, flags))
BY_NAME(remove, remove, (const char *path), (path))
BY_NAME(mkdir, mkdir, (const char *path, mode_t mode), (path, mode))
BY_NAME(mkdirat, mkdirat, (int folder, const char *path, mode_t mode), (folder, path, mode))
BY_NAME(rmdir, rmdir, (const char *path), (path))

#define FSTAT(name, parameters, arguments)                                                         \
  VS_EXPORT int name parameters {                                                                  \
    struct vs_io io;                                                                               \
    const bool seen = VS_IO_BEGIN(&io, fstat);                                                     \
    const int result = VS_REAL(name) arguments;                                                    \
    if (seen)                                                                                      \
      vs_io_descriptor(&io, fd, 0);                                                                \
    return result;                                                                                 \
  }
FSTAT(fstat, (int fd, struct stat *status), (fd, status))
FSTAT(fstat64, (int fd, struct stat64 *status), (fd, status))
FSTAT(__fxstat, (int version, int fd, struct stat *status), (version, fd, status))
FSTAT(__fxstat64, (int version, int fd, struct stat64 *status), (version, fd, status))

static DIR *opened(struct vs_io *io, bool seen, DIR *directory) {
  const int fd = directory ? dirfd(directory) : -1;
  if (seen)
    vs_io_made(io, VS_IO_OPENED, fd);
  else
    vs_io_unseen(fd);
  return directory;
}

VS_EXPORT DIR *opendir(const char *path) {
  struct vs_io io;
  const bool seen = VS_IO_BEGIN_OPEN(&io, opendir);
  return opened(&io, seen, VS_REAL(opendir)(path));
}

VS_EXPORT DIR *fdopendir(int fd) {
  struct vs_io io;
  const bool seen = VS_IO_BEGIN_OPEN(&io, fdopendir);
  DIR *const directory = VS_REAL(fdopendir)(fd);
  if (seen)
    vs_io_descriptor(&io, fd, 0);
  return directory;
}

#define READDIR(name, entry)                                                                       \
  VS_EXPORT struct entry *name(DIR *directory) {                                                   \
    struct vs_io io;                                                                               \
    const bool seen = VS_IO_BEGIN(&io, readdir);                                                   \
    struct entry *const result = VS_REAL(name)(directory);                                         \
    if (seen)                                                                                      \
      vs_io_descriptor(&io, dirfd(directory), 0);                                                  \
    return result;                                                                                 \
  }
READDIR(readdir, dirent)
READDIR(readdir64, dirent64)

VS_EXPORT int closedir(DIR *directory) {
  struct vs_io io;
  if (!vs_io_awake())
    return VS_REAL(closedir)(directory);
  const bool seen = VS_IO_BEGIN_OPEN(&io, closedir);
  uint32_t file = VST_NO_COMMUNICATOR;
  if (!vs_io_in_child())
    file = vs_io_forget(dirfd(directory));
  const int result = VS_REAL(closedir)(directory);
  if (seen)
    vs_io_closed(&io, file);
  return result;
}
