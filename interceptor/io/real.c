#define _GNU_SOURCE 1
#include "real.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>

#include "system.h"

void *_Atomic vs_io_reals[VS_IO_SYMBOL_COUNT];

static _Atomic bool loaded;

static const char *const names[VS_IO_SYMBOL_COUNT] = {
#define VS_NAME(name) [VS_IO_##name] = #name,
    VS_IO_SYMBOLS(VS_NAME)
#undef VS_NAME
};

/* What allocators call when they come to life, before our constructor. */
static void *const early[VS_IO_SYMBOL_COUNT] = {
    [VS_IO_open] = (void *)__wrap_open,     [VS_IO_open64] = (void *)__wrap_open,
    [VS_IO_openat] = (void *)__wrap_openat, [VS_IO_openat64] = (void *)__wrap_openat,
    [VS_IO_close] = (void *)__wrap_close,   [VS_IO_read] = (void *)__wrap_read,
    [VS_IO_write] = (void *)__wrap_write,   [VS_IO_lseek] = (void *)__wrap_lseek,
    [VS_IO_lseek64] = (void *)__wrap_lseek, [VS_IO_mmap] = (void *)__wrap_mmap,
    [VS_IO_mmap64] = (void *)__wrap_mmap,   [VS_IO_fstat] = (void *)__wrap_fstat,
    [VS_IO_fstat64] = (void *)__wrap_fstat, [VS_IO_access] = (void *)__wrap_access,
};

static long no_such_function(void) {
  errno = ENOSYS;
  return -1;
}

/* Symbols that new programs no longer get (__xstat since glibc 2.33) are found only with their
 * version: the first one of each architecture. */
static void *find(const char *name) {
  static const char *const first_versions[] = {"GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.27"};
  void *found = dlsym(RTLD_NEXT, name);
  for (unsigned i = 0; !found && i < sizeof first_versions / sizeof *first_versions; i++)
    found = dlvsym(RTLD_NEXT, name, first_versions[i]);
  return found ? found : (void *)no_such_function;
}

void *vs_io_look_up(enum vs_io_symbol symbol) {
  if (early[symbol] && !atomic_load_explicit(&loaded, memory_order_relaxed))
    return early[symbol];
  int error = errno;
  void *found = find(names[symbol]);
  atomic_store_explicit(&vs_io_reals[symbol], found, memory_order_relaxed);
  errno = error;
  return found;
}

__attribute__((constructor(101))) static void look_up_all(void) {
  atomic_store_explicit(&loaded, true, memory_order_relaxed);
  for (unsigned i = 0; i < VS_IO_SYMBOL_COUNT; i++)
    vs_io_look_up((enum vs_io_symbol)i);
}
