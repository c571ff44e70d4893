#define _GNU_SOURCE 1
#include "system.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The optional last argument of open and openat, read as the C library does. */
#define MODE_OF(flags, last)                                                                       \
  __extension__({                                                                                  \
    mode_t mode_ = 0;                                                                              \
    if (((flags)&O_CREAT) || ((flags)&O_TMPFILE) == O_TMPFILE) {                                   \
      va_list rest_;                                                                               \
      va_start(rest_, last);                                                                       \
      mode_ = va_arg(rest_, mode_t);                                                               \
      va_end(rest_);                                                                               \
    }                                                                                              \
    mode_;                                                                                         \
  })

int __wrap_open(const char *path, int flags, ...) {
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, MODE_OF(flags, flags));
}

int __wrap_openat(int folder, const char *path, int flags, ...) {
  return (int)syscall(SYS_openat, folder, path, flags, MODE_OF(flags, flags));
}

int __wrap_close(int fd) {
  return (int)syscall(SYS_close, fd);
}

ssize_t __wrap_read(int fd, void *data, size_t bytes) {
  return syscall(SYS_read, fd, data, bytes);
}

ssize_t __wrap_write(int fd, const void *data, size_t bytes) {
  return syscall(SYS_write, fd, data, bytes);
}

ssize_t __wrap_pread(int fd, void *data, size_t bytes, off_t at) {
  return syscall(SYS_pread64, fd, data, bytes, at);
}

ssize_t __wrap_pwrite(int fd, const void *data, size_t bytes, off_t at) {
  return syscall(SYS_pwrite64, fd, data, bytes, at);
}

off_t __wrap_lseek(int fd, off_t offset, int from) {
  return syscall(SYS_lseek, fd, offset, from);
}

int __wrap_fstat(int fd, struct stat *status) {
  return (int)syscall(SYS_fstat, fd, status);
}

int __wrap_ftruncate(int fd, off_t bytes) {
  return (int)syscall(SYS_ftruncate, fd, bytes);
}

int __wrap_fallocate(int fd, int mode, off_t from, off_t bytes) {
  return (int)syscall(SYS_fallocate, fd, mode, from, bytes);
}

int __wrap_fsync(int fd) {
  return (int)syscall(SYS_fsync, fd);
}

int __wrap_fdatasync(int fd) {
  return (int)syscall(SYS_fdatasync, fd);
}

int __wrap_unlink(const char *path) {
  return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int __wrap_access(const char *path, int mode) {
  return (int)syscall(SYS_faccessat, AT_FDCWD, path, mode);
}

void *__wrap_mmap(void *wanted, size_t bytes, int protection, int flags, int fd, off_t at) {
  return (void *)syscall(SYS_mmap, wanted, bytes, protection, flags, fd, at);
}
