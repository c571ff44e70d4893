#define _GNU_SOURCE 1
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "counter_sources.h"

bool vs_read_text(const char *path, char *text, size_t bytes) {
  long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  long got = syscall(SYS_read, fd, text, bytes - 1);
  syscall(SYS_close, fd);
  text[got > 0 ? got : 0] = 0;
  return got > 0;
}

bool vs_number_of(const char *text, const char *key, uint64_t *number) {
  size_t length = strlen(key);
  for (const char *line = text; line; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (strncmp(line, key, length) == 0 && line[length] == ' ') {
      *number = strtoull(line + length, NULL, 10);
      return true;
    }
  }
  return false;
}
