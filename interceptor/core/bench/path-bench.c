/*
 * Prints what finding the call path costs (ns per call), at several depths: repeated calls, whose
 * walk is remembered; calls whose walk has to be made anew; and beside them glibc's backtrace() and
 * libunwind's unw_backtrace(), where that is installed, at the same frames.
 *
 *   gcc -O2 -std=c11 -Iinterceptor/core -Iinterceptor/include interceptor/core/bench/path-bench.c
 *       interceptor/core/[a-z]*.c -lpthread -ldl -o build/path-bench && build/path-bench [CALLS]
 *
 * VARSCOPE_TRACE_DIR names an empty folder.
 */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "options.h"
#include "paths.h"
#include "recorder.h"

#define APART __attribute__((noinline, noclone, noipa))

static const struct vs_call_info calls[] = {{"MPI_Send", VST_CATEGORY_SEND}};
static int (*unwind)(void **, int);
static volatile long sink;

enum how { WHOLE_CALL, OTHER_DEPTHS, GLIBC, LIBUNWIND };

APART static void one_call(void) {
  static const struct vs_arguments arguments = {.peer = VST_NO_PEER, .tag = VST_NO_TAG};
  struct vs_scope scope;
  if (vs_begin(&scope, 0, __builtin_return_address(0)) != VS_RECORD)
    return;
  vs_stop(&scope);
  vs_end(&scope, &arguments);
}

/* The same frames at another place on the stack each time, so that no walk is known. */
APART static void moved(unsigned bytes) {
  char *room = __builtin_alloca(16 + bytes);
  room[0] = 1;
  one_call();
  sink += room[0];
}

APART static void repeat(enum how how, long count) {
  void *frames[64];
  const int depth = (int)vs_options.call_path_frames;
  for (long i = 0; i < count; i++) {
    if (how == WHOLE_CALL)
      one_call();
    else if (how == OTHER_DEPTHS)
      moved((unsigned)(i * 16 & 16383));
    else
      sink += how == GLIBC ? backtrace(frames, depth) : unwind(frames, depth);
  }
  sink++;
}

/* Of this thread's processor time: other programs may run meanwhile. */
static uint64_t cpu_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

APART static void go_down(int depth, enum how how, long count) {
  if (depth > 0)
    go_down(depth - 1, how, count);
  else
    repeat(how, count);
  sink++;
}

static void measure(const char *name, enum how how, long count) {
  printf("%-34s", name);
  static const uint32_t depths[] = {0, 1, 4, 8, 16, 32};
  for (unsigned i = 0; i < sizeof depths / sizeof *depths; i++) {
    double least = 1e9;
    vs_options.call_path_frames = depths[i];
    vs_paths_forget();
    for (int batch = 0; batch < 5; batch++) {
      const uint64_t start = cpu_ns();
      go_down(36, how, count);
      const double ns = (double)(cpu_ns() - start) / (double)count;
      least = ns < least ? ns : least;
    }
    printf(" %7.1f", least);
  }
  printf("\n");
}

int main(int argc, char **argv) {
  const long count = argc > 1 ? strtol(argv[1], NULL, 10) : 100000;
  char problem[256];
  struct vs_job job = {.calls = calls,
                       .call_count = 1,
                       .mpi_implementation = "",
                       .mpi_version = "",
                       .job_id = 1,
                       .world_size = 1};
  setenv("VARSCOPE_CALL_PATHS", "32", 1); /* room for the deepest */
  if (!vs_start(&job, problem, sizeof problem)) {
    fprintf(stderr, "%s\n", problem);
    return 1;
  }
  void *library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  unwind = library ? (int (*)(void **, int))dlsym(library, "unw_backtrace") : NULL;
  printf("%-34s %7s %7d %7d %7d %7d %7d\n", "ns per call, frames:", "none", 1, 4, 8, 16, 32);
  measure("recording, same place again", WHOLE_CALL, count);
  measure("recording, stack moved each time", OTHER_DEPTHS, count);
  measure("glibc backtrace() alone", GLIBC, count / 10);
  if (unwind)
    measure("libunwind unw_backtrace() alone", LIBUNWIND, count);
  vs_finish();
  return 0;
}
