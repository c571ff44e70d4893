/*
 * System calls as they are. libvarscope.so exports open, read, ... to the program; its own use of
 * these names must not come back to it, or it would record itself. So it is linked with
 * `--wrap=NAME` for each name below: what its objects call NAME is __wrap_NAME, which asks the
 * kernel at once. Errors are told by errno as usual; none of them is a cancellation point.
 *
 * They also stand in for the C library's functions until these have been looked up (io/real.h).
 * Sources: man pages section 2; struct stat of the kernel is that of the C library on the 64-bit
 * machines that varscope runs on.
 */
#ifndef VARSCOPE_SYSTEM_H
#define VARSCOPE_SYSTEM_H

#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

int __wrap_open(const char *path, int flags, ...);
int __wrap_openat(int folder, const char *path, int flags, ...);
int __wrap_close(int fd);
ssize_t __wrap_read(int fd, void *data, size_t bytes);
ssize_t __wrap_write(int fd, const void *data, size_t bytes);
ssize_t __wrap_pread(int fd, void *data, size_t bytes, off_t at);
ssize_t __wrap_pwrite(int fd, const void *data, size_t bytes, off_t at);
off_t __wrap_lseek(int fd, off_t offset, int from);
int __wrap_fstat(int fd, struct stat *status);
int __wrap_ftruncate(int fd, off_t bytes);
int __wrap_fallocate(int fd, int mode, off_t from, off_t bytes);
int __wrap_fsync(int fd);
int __wrap_fdatasync(int fd);
int __wrap_unlink(const char *path);
int __wrap_access(const char *path, int mode);
void *__wrap_mmap(void *wanted, size_t bytes, int protection, int flags, int fd, off_t at);

#endif
