/*
 * Occupies one core during given intervals and writes what it really did to a truth file; see
 * ../README.md for the options and the format.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../common/run.h"
#include "../common/truth.h"
#include "schedule.h"

struct hog {
  pthread_t thread;
  int64_t until, first, last, cpu_ns;
};

static void *occupy(void *argument) {
  struct hog *hog = argument;
  hog->first = hog->last = read_clock(CLOCK_MONOTONIC);
  double value = 1.0;
  while (!stopped && hog->last < hog->until) {
    for (int i = 0; i < 20000; i++)
      value = value * 1.0000001 + 1e-9;
    atomic_signal_fence(memory_order_seq_cst);
    hog->last = read_clock(CLOCK_MONOTONIC);
  }
  *(volatile double *)&value = value; /* the work must not be optimised away */
  hog->cpu_ns = read_clock(CLOCK_THREAD_CPUTIME_ID);
  return NULL;
}

/* Runs all hogs of one interval. False if it was stopped before its end or no thread could start.
 */
static bool occupy_interval(int threads, int64_t until, struct done_interval *done) {
  static struct hog hogs[MAX_THREADS];
  const int64_t offset = read_clock(CLOCK_REALTIME) - read_clock(CLOCK_MONOTONIC);
  int started = 0;
  for (; started < threads; started++) {
    hogs[started] = (struct hog){.until = until};
    if (pthread_create(&hogs[started].thread, NULL, occupy, &hogs[started]) != 0)
      break;
  }
  *done = (struct done_interval){.monotonic = {INT64_MAX, 0}};
  for (int i = 0; i < started; i++) {
    pthread_join(hogs[i].thread, NULL);
    if (hogs[i].first < done->monotonic[0])
      done->monotonic[0] = hogs[i].first;
    if (hogs[i].last > done->monotonic[1])
      done->monotonic[1] = hogs[i].last;
    done->cpu_ns += hogs[i].cpu_ns;
  }
  for (int end = 0; end < 2; end++)
    done->realtime[end] = done->monotonic[end] + offset;
  if (started < threads)
    fprintf(stderr, "cpu-hog: only %d of %d threads could be started\n", started, threads);
  return started == threads && done->monotonic[1] >= until;
}

/* False with errno if the truth file, where one is wanted, cannot be written. */
static bool tell_truth(const struct schedule *schedule, const struct done_interval *done, int count,
                       bool complete) {
  char target[32], settings[32];
  snprintf(target, sizeof target, "\"core\": %d", schedule->core);
  snprintf(settings, sizeof settings, "\"threads\": %d", schedule->threads);
  const struct truth truth = {.injector = "cpu-hog",
                              .cause = "cpu-contention",
                              .target = target,
                              .settings = settings,
                              .complete = complete};
  return !schedule->truth_file || write_truth(schedule->truth_file, &truth, done, count);
}

int main(int argc, char **argv) {
  static struct schedule schedule;
  static struct done_interval done[MAX_INTERVALS];
  const int64_t start = read_clock(CLOCK_MONOTONIC);
  if (!parse_schedule(argc, argv, &schedule))
    return 2;
  if (schedule.help) {
    puts("usage: cpu-hog --core N [--threads N] [--truth FILE]\n"
         "               (--interval FROM:TO ... | --start S --duration S [--repeat N --every S])\n"
         "Computes on one core during the given intervals, in seconds since its start.");
    return 0;
  }
  if (!pin_to(schedule.core)) {
    fprintf(stderr, "cpu-hog: cannot run on core %d: %s\n", schedule.core, strerror(errno));
    return 1;
  }
  watch_signals();

  int count = 0;
  bool complete = true;
  for (int i = 0; i < schedule.intervals && complete; i++) {
    sleep_until(start + (int64_t)(schedule.interval[i].from * (double)SECOND));
    if (stopped)
      complete = false;
    else
      complete = occupy_interval(schedule.threads,
                                 start + (int64_t)(schedule.interval[i].to * (double)SECOND),
                                 &done[count++]);
  }
  if (!tell_truth(&schedule, done, count, complete)) {
    fprintf(stderr, "cpu-hog: cannot write %s: %s\n", schedule.truth_file, strerror(errno));
    return 1;
  }
  return complete || stopped ? 0 : 1;
}
