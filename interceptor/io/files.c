#define _GNU_SOURCE 1
#include "files.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#include "clock.h"
#include "file.h"
#include "lock.h"
#include "table.h"

/* A program that goes through more different files shows the later ones without their names. */
#define MOST_FILES 65536u
#define PATH_BYTES 4096u

static struct vs_table files; /* by hash of device, inode and path */
static char path[PATH_BYTES]; /* under the lock */
static bool too_many;

static uint32_t kind_of(int fd, mode_t mode) {
  char settings[256]; /* struct termios of the kernel, whose size the C library's differs from */
  if (S_ISREG(mode))
    return VST_FILE_REGULAR;
  if (S_ISDIR(mode))
    return VST_FILE_DIRECTORY;
  if (S_ISFIFO(mode))
    return VST_FILE_PIPE;
  if (S_ISSOCK(mode))
    return VST_FILE_SOCKET;
  if (S_ISCHR(mode) && syscall(SYS_ioctl, fd, TCGETS, settings) == 0)
    return VST_FILE_TERMINAL;
  return S_ISCHR(mode) || S_ISBLK(mode) ? VST_FILE_DEVICE : VST_FILE_OTHER;
}

/* Length of the path the kernel has for it, in `path`; 0 if /proc does not tell. Under the lock. */
static size_t read_path(int fd) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  long length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
  path[length > 0 ? length : 0] = 0;
  return strlen(path);
}

static uint64_t hash(uint64_t sum, const void *data, size_t bytes) {
  for (size_t i = 0; i < bytes; i++)
    sum = (sum ^ ((const uint8_t *)data)[i]) * 0x100000001b3u;
  return sum;
}

/* Number of the file; writes its block when it is new. Under the lock. */
static uint32_t number_of(struct vst_file *file, size_t path_length) {
  uint64_t sum = hash(0xcbf29ce484222325u, &file->device, sizeof file->device);
  sum = hash(sum, &file->inode, sizeof file->inode);
  struct vs_key key = {hash(sum, path, path_length), file->kind, 0};
  uint32_t number = vs_table_find(&files, key);
  if (number != VS_NOT_FOUND)
    return number;
  if (files.used == MOST_FILES) {
    if (!too_many)
      vs_file_append_problem("more than 65536 files were used; I/O on the others shows no file");
    too_many = true;
    return VST_NO_COMMUNICATOR;
  }
  struct vst_block block = {.type = VST_BLOCK_FILE};
  struct vs_part parts[] = {{file, sizeof *file}, {path, path_length + 1}};
  file->file = files.used;
  if (!vs_file_append(&block, parts, 2) || !vs_table_insert(&files, key, file->file))
    return VST_NO_COMMUNICATOR;
  return file->file;
}

bool vs_io_identify(int fd, struct vs_io_file *known) {
  uint64_t since = vs_tick();
  struct stat status;
  struct statfs system = {0};
  struct vs_lock lock;
  if (fstat(fd, &status) != 0)
    return false;
  struct vst_file file = {
      .kind = kind_of(fd, status.st_mode), .device = status.st_dev, .inode = status.st_ino};
  if (syscall(SYS_fstatfs, fd, &system) == 0)
    file.file_system = (uint64_t)system.f_type & 0xffffffffu;
  long flags = syscall(SYS_fcntl, fd, F_GETFL);
  known->append = flags >= 0 && (flags & O_APPEND) != 0;
  known->seekable = file.kind == VST_FILE_REGULAR || S_ISBLK(status.st_mode);
  vs_lock_since(&lock, since);
  known->number = number_of(&file, read_path(fd));
  vs_unlock(&lock);
  return true;
}
