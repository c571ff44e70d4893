#define _GNU_SOURCE
#include "run.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>

#include "truth.h"

volatile sig_atomic_t stopped;

static void stop(int signal_number) {
  (void)signal_number;
  stopped = 1;
}

void watch_signals(void) {
  const struct sigaction action = {.sa_handler = stop};
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGINT, &action, NULL);
}

int64_t read_clock(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * SECOND + time.tv_nsec;
}

void sleep_until(int64_t monotonic) {
  const struct timespec time = {.tv_sec = monotonic / SECOND, .tv_nsec = monotonic % SECOND};
  while (!stopped && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR)
    ;
}

bool pin_to(int core) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET((size_t)core, &cores);
  return sched_setaffinity(0, sizeof cores, &cores) == 0;
}
