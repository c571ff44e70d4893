/*
 * Counts a program's MPI calls independently of the interceptor: preloaded before it, this library
 * gets every call first and hands it on. Calls from inside another counted call are the
 * implementation's own. NAMES_FILE, written by the tests, lists X(symbol, number). Counts go to
 * COUNT_DIR/PID, one a line.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define WORDS                                                                                      \
  uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f, uintptr_t g,       \
      uintptr_t h, uintptr_t i, uintptr_t j, uintptr_t k, uintptr_t l, uintptr_t m, uintptr_t n,   \
      uintptr_t o, uintptr_t p

/* As many words as the longest call has; shorter ones get some more, which they do not look at. */
typedef uintptr_t function(WORDS);

static unsigned long counts[COUNTS];
static _Thread_local int depth;
static pid_t started;

#define X(symbol, number)                                                                          \
  uintptr_t symbol(WORDS);                                                                         \
  uintptr_t symbol(WORDS) {                                                                        \
    static function *next;                                                                         \
    if (!next)                                                                                     \
      next = (function *)dlsym(RTLD_NEXT, #symbol);                                                \
    if (depth++ == 0)                                                                              \
      __atomic_add_fetch(&counts[number], 1, __ATOMIC_RELAXED);                                    \
    const uintptr_t result = next(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);                 \
    depth--;                                                                                       \
    return result;                                                                                 \
  }
#include NAMES_FILE

__attribute__((constructor)) static void note_process(void) {
  started = getpid();
}

__attribute__((destructor)) static void write_counts(void) {
  char path[4096];
  unsigned long sum = 0;
  for (int number = 0; number < COUNTS; number++)
    sum += counts[number];
  if (sum == 0 || getpid() != started)
    return;
  snprintf(path, sizeof path, "%s/%d", getenv("COUNT_DIR"), (int)started);
  FILE *file = fopen(path, "w");
  if (!file)
    return;
  for (int number = 0; number < COUNTS; number++)
    fprintf(file, "%lu\n", counts[number]);
  fclose(file);
}
