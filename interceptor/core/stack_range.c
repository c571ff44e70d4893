#define _GNU_SOURCE 1
#include "stack_range.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Part of a line of /proc/self/maps that matters: addresses and rights. The stack's name, far
 * behind, is looked for apart. */
#define HEAD_BYTES 64u

/* How far a main thread's stack may grow: its mapping does so by itself, at the low end, and the
 * kernel keeps at least this much free below it. */
#define GROWTH_BYTES ((uintptr_t)64 << 20)

struct lines {
  int fd;
  char buffer[1024];
  size_t at, held;
};

/* The next character, or -1. */
static int next(struct lines *lines) {
  if (lines->at == lines->held) {
    /* By number: the I/O wrappers of this library must not see it. */
    const long got = syscall(SYS_read, lines->fd, lines->buffer, sizeof lines->buffer);
    if (got <= 0)
      return -1;
    lines->held = (size_t)got;
    lines->at = 0;
  }
  return (unsigned char)lines->buffer[lines->at++];
}

/* The start of the next line, and whether it ends as the main stack's does. False at the end. */
static bool take_line(struct lines *lines, char head[HEAD_BYTES], bool *stack) {
  static const char name[] = "[stack]";
  size_t length = 0, matched = 0;
  int c = next(lines);
  if (c < 0)
    return false;
  for (; c >= 0 && c != '\n'; c = next(lines)) {
    if (length + 1 < HEAD_BYTES)
      head[length++] = (char)c;
    matched = c == name[matched] ? matched + 1 : c == name[0];
  }
  head[length] = 0;
  *stack = matched == sizeof name - 1;
  return true;
}

static const char *take_hexadecimal(const char *at, uintptr_t *value) {
  *value = 0;
  for (;; at++) {
    const char *digits = "0123456789abcdef";
    const char *digit = *at ? strchr(digits, *at) : NULL;
    if (!digit)
      return at;
    *value = *value << 4 | (uintptr_t)(digit - digits);
  }
}

static bool search(struct lines *lines, uintptr_t address, struct vs_stack_range *range) {
  char head[HEAD_BYTES];
  bool stack;
  while (take_line(lines, head, &stack)) {
    const char *at = take_hexadecimal(head, &range->low);
    if (*at != '-')
      continue;
    at = take_hexadecimal(at + 1, &range->high);
    if (address < range->low || address >= range->high)
      continue;
    if (stack && range->low > GROWTH_BYTES)
      range->low -= GROWTH_BYTES;
    return at[0] == ' ' && at[1] == 'r';
  }
  return false;
}

bool vs_stack_range_find(uintptr_t address, struct vs_stack_range *range) {
  const int error = errno;
  struct lines lines;
  lines.fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
  lines.at = lines.held = 0;
  const bool found = lines.fd >= 0 && search(&lines, address, range);
  if (lines.fd >= 0)
    syscall(SYS_close, lines.fd);
  errno = error;
  return found;
}
