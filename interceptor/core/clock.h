/*
 * Ticks: the invariant time-stamp counter where the kernel itself trusts it, shifted so that a tick
 * is 4 to 8 ns (columns of the trace stay small); else CLOCK_MONOTONIC in nanoseconds.
 */
#ifndef VARSCOPE_CLOCK_H
#define VARSCOPE_CLOCK_H

#include <stdint.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "trace_format.h"

struct vs_clock {
  uint32_t kind; /* enum vst_clock_kind; 0 until vs_clock_prepare */
  uint32_t tick_shift;
};

extern struct vs_clock vs_clock;

/* Chooses the source; takes about half a millisecond the first time. Safe from any thread. */
void vs_clock_prepare(void);

/* Measures the rate since vs_clock_prepare; waits until that is 3 ms ago, for accuracy's sake. */
uint64_t vs_clock_ticks_per_second(void);

/* Reads the three clocks together. */
void vs_clock_read(struct vst_clock *reading);

/* Own work that seems to have taken longer than half a millisecond was interrupted: the system ran
 * something else, which it would have done without us, too. Such a stretch counts as that long. */
uint64_t vs_clock_plausible(uint64_t ticks);

static inline uint64_t vs_monotonic_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The current tick; vs_clock_prepare was called before. */
static inline uint64_t vs_tick(void) {
#if defined(__x86_64__)
  if (__builtin_expect(vs_clock.kind == VST_CLOCK_TSC, 1))
    return __rdtsc() >> vs_clock.tick_shift;
#endif
  return vs_monotonic_ns();
}

#endif
