#define _GNU_SOURCE 1
#include "space.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

int vs_space_create(struct vs_space *space) {
  struct stat status;
  int fd = open(space->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0)
    return errno;
  if (fstat(fd, &status) != 0) {
    int error = errno;
    close(fd);
    return error;
  }
  close(fd);
  space->device = status.st_dev;
  space->inode = status.st_ino;
  space->allocated = 0;
  return 0;
}

/* Opens the file again: 0 and a descriptor, or an errno value. */
static int reopen(const struct vs_space *space, int *fd) {
  struct stat status;
  *fd = open(space->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (*fd < 0)
    return errno;
  if (fstat(*fd, &status) == 0 && status.st_dev == space->device && status.st_ino == space->inode)
    return 0;
  close(*fd);
  return ESTALE;
}

/* For file systems without fallocate, such as older NFS; only fdatasync makes sure of the space
 * there. */
static int write_zeros(int fd, uint64_t from, uint64_t to) {
  static const char zeros[16384];
  while (from < to) {
    size_t wanted = to - from < sizeof zeros ? (size_t)(to - from) : sizeof zeros;
    ssize_t done = pwrite(fd, zeros, wanted, (off_t)from);
    if (done < 0)
      return errno;
    if (done == 0)
      return ENOSPC;
    from += (uint64_t)done;
  }
  return fdatasync(fd) == 0 ? 0 : errno;
}

/* Growing past the limit would send SIGXFSZ to the job. */
static bool within_limit(uint64_t bytes) {
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
         bytes <= limit.rlim_cur;
}

int vs_space_allocate(struct vs_space *space, uint64_t bytes) {
  int fd, error;
  uint64_t from = space->allocated;
  if (bytes <= from)
    return 0;
  if (!within_limit(bytes))
    return EFBIG;
  if ((error = reopen(space, &fd)) != 0)
    return error;
  if (fallocate(fd, 0, (off_t)from, (off_t)(bytes - from)) != 0) {
    error = errno;
    if (error == EOPNOTSUPP || error == ENOSYS)
      error = write_zeros(fd, from, bytes);
  }
  close(fd);
  if (error == 0)
    space->allocated = bytes;
  return error;
}

int vs_space_map(const struct vs_space *space, uint64_t offset, size_t bytes, void **memory) {
  int fd, error;
  if ((error = reopen(space, &fd)) != 0)
    return error;
  *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
  if (*memory == MAP_FAILED)
    error = errno;
  close(fd);
  return error;
}

int vs_space_trim(struct vs_space *space, uint64_t bytes) {
  int fd, error;
  if ((error = reopen(space, &fd)) != 0)
    return error;
  if (ftruncate(fd, (off_t)bytes) != 0)
    error = errno;
  close(fd);
  if (error == 0)
    space->allocated = bytes;
  return error;
}
