/*
 * Events counted by the processor, through perf_event_open(2). The events of a thread are one
 * group, led by its task clock, so that they are counted over the same time and one read gets them
 * all. If the processor has too few registers for what everybody counts, the kernel takes turns:
 * what was counted is then scaled up to the whole time between two readings, and `not_counted_time`
 * tells how much of it was not counted.
 *
 * The descriptors must stay open. They are moved to high numbers, out of the program's way, and
 * each is asked for its identity before it is used: the program may have closed it, and the number
 * may be something else by now.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "counter_sources.h"
#include "recorder.h"

/* Threads that have events at the same time, so that the program keeps its descriptors. */
#define MOST_THREADS 32
#define HIGH_DESCRIPTOR 1000u

enum { INSTRUCTIONS, CYCLES, CACHE_MISSES, BRANCH_MISSES, TASK_CLOCK, NOT_COUNTED };

/* By counter; the leader is opened first. */
static const struct {
  uint32_t type;
  uint64_t config;
} events[VS_PERF_EVENTS] = {
    [INSTRUCTIONS] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    [CYCLES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    [CACHE_MISSES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    [BRANCH_MISSES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    [TASK_CLOCK] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
};
static const int order[VS_PERF_EVENTS] = {TASK_CLOCK, INSTRUCTIONS, CYCLES, CACHE_MISSES,
                                          BRANCH_MISSES};

static _Atomic int threads;

static long move_up(long fd) {
  struct rlimit limit;
  uint64_t least = HIGH_DESCRIPTOR;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur / 2 < least)
    least = limit.rlim_cur / 2;
  long moved = syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, least);
  if (moved < 0)
    return fd;
  syscall(SYS_close, fd);
  return moved;
}

/* Returns 0 or an errno value. */
static int open_event(struct vs_perf_state *perf, int event) {
  struct perf_event_attr attributes = {
      .type = events[event].type,
      .size = sizeof attributes,
      .config = events[event].config,
      .exclude_kernel = 1,
      .exclude_hv = 1,
      .read_format =
          PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
  };
  int leader = perf->open & 1u << TASK_CLOCK ? perf->fd[TASK_CLOCK] : -1;
  long fd = syscall(SYS_perf_event_open, &attributes, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
  if (fd < 0)
    return errno;
  fd = move_up(fd);
  if (syscall(SYS_ioctl, fd, PERF_EVENT_IOC_ID, &perf->id[event]) != 0) {
    int error = errno;
    syscall(SYS_close, fd);
    return error;
  }
  perf->fd[event] = (int)fd;
  perf->open |= 1u << event;
  return 0;
}

static bool still_ours(const struct vs_perf_state *perf, int event) {
  uint64_t id = 0;
  return syscall(SYS_ioctl, perf->fd[event], PERF_EVENT_IOC_ID, &id) == 0 && id == perf->id[event];
}

static void close_all(struct vs_perf_state *perf) {
  for (int event = 0; event < (int)VS_PERF_EVENTS; event++) {
    if (perf->open & 1u << event && still_ours(perf, event))
      syscall(SYS_close, perf->fd[event]);
  }
  *perf = (struct vs_perf_state){0};
}

static void explain(int error, char *reason) {
  char level[16] = "unknown";
  if (error == EACCES || error == EPERM) {
    vs_read_text("/proc/sys/kernel/perf_event_paranoid", level, sizeof level);
    level[strcspn(level, "\n")] = 0;
    snprintf(reason, VS_REASON_BYTES, "refused: kernel.perf_event_paranoid=%s", level);
  } else if (error == ENOENT || error == EOPNOTSUPP || error == ENODEV || error == EINVAL) {
    snprintf(reason, VS_REASON_BYTES, "this processor or virtual machine offers no such event");
  } else if (error == ENOSYS) {
    snprintf(reason, VS_REASON_BYTES, "kernel without perf_event_open");
  } else {
    snprintf(reason, VS_REASON_BYTES, "perf_event_open: %s", strerror(error));
  }
}

void vs_look_for_events(struct vs_counter_state *state, char (*reason)[VS_REASON_BYTES]) {
  for (unsigned i = 0; i < VS_PERF_EVENTS; i++) {
    int error = open_event(&state->perf, order[i]);
    if (error != 0)
      explain(error, reason[order[i]]);
  }
  memcpy(reason[NOT_COUNTED], reason[TASK_CLOCK], VS_REASON_BYTES);
  close_all(&state->perf);
}

static void tell_limit(void) {
  static _Atomic bool told;
  char text[80];
  if (atomic_exchange(&told, true))
    return;
  snprintf(text, sizeof text, "more than %d threads at once: the later ones lack hardware counters",
           MOST_THREADS);
  vs_report_problem(text);
}

static bool open_all(struct vs_perf_state *perf) {
  perf->tried = true;
  if (atomic_fetch_add(&threads, 1) >= MOST_THREADS) {
    atomic_fetch_sub(&threads, 1);
    tell_limit();
    return false;
  }
  for (unsigned i = 0; i < VS_PERF_EVENTS; i++)
    open_event(perf, order[i]);
  if (perf->open & 1u << TASK_CLOCK)
    return true;
  close_all(perf);
  perf->tried = true;
  atomic_fetch_sub(&threads, 1);
  return false;
}

/* What was counted since the last reading, scaled to the whole time. */
static void advance(struct vs_perf_state *perf, int event, uint64_t raw, uint64_t enabled,
                    uint64_t running) {
  uint64_t counted = raw - perf->raw[event];
  double scale = running > 0 ? (double)enabled / (double)running : 0;
  perf->scaled[event] += enabled <= running ? counted : (uint64_t)((double)counted * scale);
  perf->raw[event] = raw;
}

bool vs_read_events(struct vs_counter_state *state, uint64_t *values) {
  struct vs_perf_state *perf = &state->perf;
  struct {
    uint64_t count, enabled, running, raw[VS_PERF_EVENTS];
  } now;
  if (!perf->tried && !open_all(perf))
    return false;
  unsigned expected = (unsigned)__builtin_popcount(perf->open);
  if (expected == 0 || !still_ours(perf, TASK_CLOCK) ||
      syscall(SYS_read, perf->fd[TASK_CLOCK], &now, sizeof now) <= 0 || now.count != expected)
    return false;
  unsigned next = 0;
  for (unsigned i = 0; i < VS_PERF_EVENTS; i++) {
    if (perf->open & 1u << order[i])
      advance(perf, order[i], now.raw[next++], now.enabled - perf->enabled,
              now.running - perf->running);
  }
  perf->enabled = now.enabled;
  perf->running = now.running;
  memcpy(values, perf->scaled, sizeof perf->scaled);
  values[NOT_COUNTED] = now.enabled - now.running;
  return true;
}

void vs_close_events(struct vs_counter_state *state) {
  if (state->perf.open == 0) {
    state->perf = (struct vs_perf_state){0};
    return;
  }
  close_all(&state->perf);
  atomic_fetch_sub(&threads, 1);
}
