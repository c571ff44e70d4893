/* An allocator that finds the real one by name at its first call, as tools for memory do. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

static char early[1 << 16];
static size_t used;
static __thread int looking;

static void *from_early(size_t bytes) {
  used = (used + 15) & ~(size_t)15;
  void *found = early + used;
  used += bytes;
  return found;
}

void *malloc(size_t bytes) {
  static void *(*real)(size_t);
  if (looking)
    return from_early(bytes);
  if (!real) {
    looking = 1;
    real = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
    looking = 0;
  }
  return real(bytes);
}

void *calloc(size_t count, size_t bytes) {
  static void *(*real)(size_t, size_t);
  if (looking)
    return from_early(count * bytes);
  if (!real) {
    looking = 1;
    real = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "calloc");
    looking = 0;
  }
  return real(count, bytes);
}

void free(void *memory) {
  static void (*real)(void *);
  if ((char *)memory >= early && (char *)memory < early + sizeof early)
    return;
  if (!real) {
    looking = 1;
    real = (void (*)(void *))dlsym(RTLD_NEXT, "free");
    looking = 0;
  }
  real(memory);
}
