#define _GNU_SOURCE 1
#include "counter_sources.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

static bool read_cpu_time(struct vs_counter_state *state, uint64_t *values) {
  struct timespec used;
  (void)state;
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used) != 0)
    return false;
  values[0] = (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
  return true;
}

static bool read_usage(struct vs_counter_state *state, uint64_t *values) {
  struct rusage usage;
  (void)state;
  if (getrusage(RUSAGE_THREAD, &usage) != 0)
    return false;
  values[0] = (uint64_t)usage.ru_minflt;
  values[1] = (uint64_t)usage.ru_majflt;
  values[2] = (uint64_t)usage.ru_nvcsw;
  values[3] = (uint64_t)usage.ru_nivcsw;
  return true;
}

/* The kernel's own count (se.nr_migrations) costs four times all of this together; what is seen
 * here is less where a thread went away and came back between two readings. */
static bool read_core(struct vs_counter_state *state, uint64_t *values) {
  int core = sched_getcpu();
  if (core < 0)
    return false;
  if (state->core != 0 && state->core != (uint32_t)core + 1)
    state->moves++;
  state->core = (uint32_t)core + 1;
  values[0] = state->moves;
  return true;
}

/* Three numbers: ns on a core, ns waiting for one, times put on one (Documentation/scheduler/
 * sched-stats). */
static bool read_schedule(struct vs_counter_state *state, uint64_t *values) {
  char text[96], *at;
  (void)state;
  if (!vs_read_text("/proc/thread-self/schedstat", text, sizeof text))
    return false;
  strtoull(text, &at, 10);
  values[0] = strtoull(at, &at, 10);
  values[1] = strtoull(at, &at, 10);
  return true;
}

static void look_for_schedule(struct vs_counter_state *state, char (*reason)[VS_REASON_BYTES]) {
  uint64_t values[2];
  const char *why = NULL;
  if (!read_schedule(state, values))
    why = "no /proc/thread-self/schedstat (kernel without CONFIG_SCHED_INFO, or /proc is hidden)";
  else if (values[1] == 0)
    why = "this kernel counts nothing in /proc/thread-self/schedstat";
  for (int i = 0; why && i < 2; i++)
    snprintf(reason[i], VS_REASON_BYTES, "%s", why);
}

/* Column 8 of the first line: time that the hypervisor gave to others, all cores together. */
static bool read_steal(struct vs_counter_state *state, uint64_t *values) {
  char text[256], *at = text + 3;
  uint64_t number = 0;
  (void)state;
  if (!vs_read_text("/proc/stat", text, sizeof text) || strncmp(text, "cpu ", 4) != 0)
    return false;
  for (int column = 1; column <= 8; column++)
    number = strtoull(at, &at, 10);
  values[0] = number * (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK));
  return true;
}

static void look_for_steal(struct vs_counter_state *state, char (*reason)[VS_REASON_BYTES]) {
  uint64_t value;
  if (!read_steal(state, &value))
    snprintf(reason[0], VS_REASON_BYTES, "/proc/stat cannot be read");
}

/* Field 42 of the thread's stat, in clock ticks; the name in field 2 may hold blanks and brackets.
 */
static bool read_delay(struct vs_counter_state *state, uint64_t *values) {
  char text[1024], *at;
  (void)state;
  if (!vs_read_text("/proc/thread-self/stat", text, sizeof text) || !(at = strrchr(text, ')')))
    return false;
  for (int field = 3; field <= 42; field++) {
    if (!(at = strchr(at + 1, ' ')))
      return false;
  }
  values[0] = strtoull(at, NULL, 10) * (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK));
  return true;
}

/* Kernels before 5.14 have no switch and keep it unless booted otherwise. */
static void look_for_delay(struct vs_counter_state *state, char (*reason)[VS_REASON_BYTES]) {
  char text[16];
  uint64_t value;
  if (!read_delay(state, &value))
    snprintf(reason[0], VS_REASON_BYTES, "/proc/thread-self/stat cannot be read");
  else if (vs_read_text("/proc/sys/kernel/task_delayacct", text, sizeof text) && text[0] == '0')
    snprintf(reason[0], VS_REASON_BYTES, "kernel.task_delayacct=0");
}

static bool read_traffic(struct vs_counter_state *state, uint64_t *values) {
  char text[512];
  (void)state;
  return vs_read_text("/proc/thread-self/io", text, sizeof text) &&
         vs_number_of(text, "rchar:", &values[0]) && vs_number_of(text, "wchar:", &values[1]) &&
         vs_number_of(text, "read_bytes:", &values[2]) &&
         vs_number_of(text, "write_bytes:", &values[3]);
}

static void look_for_traffic(struct vs_counter_state *state, char (*reason)[VS_REASON_BYTES]) {
  uint64_t values[4];
  for (int i = 0; !read_traffic(state, values) && i < 4; i++)
    snprintf(reason[i], VS_REASON_BYTES, "/proc/thread-self/io cannot be read");
}

const struct vs_counter_source vs_counter_sources[] = {
    {"default,scheduler",
     VS_CHEAP,
     VST_SCOPE_THREAD,
     {{"cpu_time", "ns", "scheduler"}},
     NULL,
     read_cpu_time},
    {"default,scheduler,memory",
     VS_CHEAP,
     VST_SCOPE_THREAD,
     {{"minor_faults", "count", "memory"},
      {"major_faults", "count", "memory"},
      {"voluntary_switches", "count", "scheduler"},
      {"involuntary_switches", "count", "scheduler"}},
     NULL,
     read_usage},
    {"default,scheduler",
     VS_CHEAP,
     VST_SCOPE_THREAD,
     {{"core_changes", "count", "scheduler"}},
     NULL,
     read_core},
    {"default,scheduler",
     VS_MODERATE,
     VST_SCOPE_THREAD,
     {{"run_delay", "ns", "scheduler"}, {"timeslices", "count", "scheduler"}},
     look_for_schedule,
     read_schedule},
    {"default,scheduler",
     VS_DEAR,
     VST_SCOPE_GROUP,
     {{"throttled_periods", "count", "scheduler"}, {"throttled_time", "ns", "scheduler"}},
     vs_look_for_throttling,
     vs_read_throttling},
    {"default,scheduler",
     VS_DEAR,
     VST_SCOPE_HOST,
     {{"steal_time", "ns", "scheduler"}},
     look_for_steal,
     read_steal},
    {"io", VS_DEAR, VST_SCOPE_THREAD, {{"block_delay", "ns", "io"}}, look_for_delay, read_delay},
    {"io",
     VS_DEAR,
     VST_SCOPE_THREAD,
     {{"bytes_read", "bytes", "io"},
      {"bytes_written", "bytes", "io"},
      {"storage_read", "bytes", "io"},
      {"storage_written", "bytes", "io"}},
     look_for_traffic,
     read_traffic},
    {"hardware",
     VS_MODERATE,
     VST_SCOPE_THREAD,
     {{"instructions", "count", "hardware"},
      {"cycles", "count", "hardware"},
      {"cache_misses", "count", "hardware"},
      {"branch_misses", "count", "hardware"},
      {"task_clock", "ns", "hardware"},
      {"not_counted_time", "ns", "hardware"}},
     vs_look_for_events,
     vs_read_events},
};

const unsigned vs_counter_source_count = COUNT(vs_counter_sources);

bool vs_counter_group_known(const char *name, size_t length) {
  static const char *const names[] = {"default",  "scheduler", "memory", "io",
                                      "hardware", "all",       "none"};
  for (unsigned i = 0; i < COUNT(names); i++) {
    if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0)
      return true;
  }
  return false;
}
