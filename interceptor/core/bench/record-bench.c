/*
 * Prints what recording one call costs (ns, beside a call of the clock alone) and takes in the
 * trace (bytes), for a program that repeats itself and for one that does not.
 *
 *   gcc -O2 -std=c11 -Iinterceptor/core -Iinterceptor/include interceptor/core/bench/record-bench.c
 *       interceptor/core/[a-z]*.c -lpthread -o build/record-bench && build/record-bench [CALLS]
 */
#define _GNU_SOURCE 1
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "recorder.h"

static const struct vs_call_info calls[] = {
    {"MPI_Isend", VST_CATEGORY_ISEND},
    {"MPI_Irecv", VST_CATEGORY_IRECEIVE},
    {"MPI_Waitall", VST_CATEGORY_WAIT},
    {"MPI_Allreduce", VST_CATEGORY_COLLECTIVE},
};

/* Addresses in this program to stand for call sites. */
static const char sites[64];

static uint64_t random_state = 88172645463325252u;

static uint64_t next_random(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}

static inline void one_call(uint32_t call, const void *site, const struct vs_arguments *arguments) {
  struct vs_scope scope;
  if (vs_begin(&scope, call, site) != VS_RECORD)
    return;
  vs_stop(&scope);
  vs_end(&scope, arguments);
}

/* A halo exchange with four neighbours, then a reduction: the same in each step. */
static void regular(long count) {
  for (long i = 0; i < count; i++) {
    long step = i % 10;
    uint32_t call = step < 4 ? 1 : step < 8 ? 0 : step < 9 ? 2 : 3;
    struct vs_arguments arguments = {.bytes = call < 2    ? 8192
                                              : call == 3 ? 8
                                                          : 0,
                                     .peer = call < 2 ? (int32_t)(step & 3) : VST_NO_PEER,
                                     .tag = call < 2 ? (int32_t)step : VST_NO_TAG,
                                     .requests = call == 2 ? 8 : 0,
                                     .completed = call == 2 ? 8 : 0};
    one_call(call, &sites[step], &arguments);
  }
}

/* Call, site, size, partner and tag all at random. */
static void irregular(long count) {
  for (long i = 0; i < count; i++) {
    uint64_t random = next_random();
    struct vs_arguments arguments = {.bytes = random >> 44,
                                     .peer = (int32_t)(random >> 16 & 1023),
                                     .tag = (int32_t)(random >> 32 & 255)};
    one_call(random & 3, &sites[random >> 2 & 63], &arguments);
  }
}

/* Time between calls, as real programs have it; not counted. Ticks in it make columns wider. */
static void spaced(long count) {
  for (long i = 0; i < count; i++) {
    uint64_t until = vs_monotonic_ns() + 2000 + (next_random() & 2047);
    while (vs_monotonic_ns() < until) {
    }
    regular(1);
  }
}

static void clock_only(long count) {
  volatile uint64_t sink;
  for (long i = 0; i < count; i++) {
    sink = vs_tick();
    sink = vs_tick();
  }
  (void)sink;
}

/* One recording in a process of its own, as a process records once. */
static void measure(const char *name, void (*pattern)(long), long count) {
  char directory[] = "/tmp/varscope-bench-XXXXXX", path[64], problem[256];
  struct stat status = {0};
  fflush(stdout);
  if (fork() != 0) {
    wait(NULL);
    return;
  }
  struct vs_job job = {.calls = calls,
                       .call_count = 4,
                       .mpi_implementation = "none",
                       .mpi_version = "none",
                       .world_size = 1};
  if (!mkdtemp(directory) || setenv("VARSCOPE_TRACE_DIR", directory, 1) != 0 ||
      !vs_start(&job, problem, sizeof problem)) {
    printf("%s: cannot record: %s\n", name, problem);
    _exit(1);
  }
  snprintf(path, sizeof path, "%s/0.vst", directory);
  pattern(4096);
  uint64_t start = vs_monotonic_ns();
  pattern(count);
  double ns = (double)(vs_monotonic_ns() - start) / (double)count;
  vs_finish();
  stat(path, &status);
  struct vst_header header;
  FILE *trace = fopen(path, "rb");
  if (!trace || fread(&header, sizeof header, 1, trace) != 1)
    _exit(1);
  size_t fixed = VST_HEADER_BYTES + sizeof(struct vst_staging) + 2048 * sizeof(struct vst_record);
  double bytes = ((double)status.st_size - (double)fixed) / (double)(count + 4096);
  printf(
      "%-10s %8.1f ns/call %8.2f bytes/call   calibrated %.1f ns, sealing and files %.1f ns/call\n",
      name, ns, bytes, (double)header.call_cost_picoseconds / 1e3,
      (double)header.tool_ticks * 1e9 / (double)header.ticks_per_second / (double)count);
  fflush(stdout);
  unlink(path);
  rmdir(directory);
  _exit(0);
}

int main(int argc, char **argv) {
  long count = argc > 1 ? strtol(argv[1], NULL, 10) : 5000000;
  if (count < 1) {
    fprintf(stderr, "record-bench: CALLS must be a positive number, not %s\n", argv[1]);
    return 2;
  }
  vs_clock_prepare();
  uint64_t start = vs_monotonic_ns();
  clock_only(count);
  printf("%-10s %8.1f ns/call\n", "clock x 2", (double)(vs_monotonic_ns() - start) / (double)count);
  measure("regular", regular, count);
  measure("irregular", irregular, count);
  measure("spaced", spaced, count / 10 + 1);
  return 0;
}
