/*
 * What the user asked for, from the environment that `varscope run` sets:
 *
 *   VARSCOPE_BUDGET      percent of run time that recording may cost; "0": count only, "full": no
 * limit VARSCOPE_CALL_PATHS  frames of the call path that tell states apart; 0: the call's site
 * alone VARSCOPE_COUNTERS    names of counter groups, with commas; "none" VARSCOPE_IO "off": POSIX
 * and stdio calls pass through unseen VARSCOPE_THREADS     "off": calls and regions of threads pass
 * through unseen VARSCOPE_LOCK_WAIT   microseconds; shorter waits of threads are not recorded
 *   VARSCOPE_PROBES      "off" or "0": the speed of cores is not probed
 *   VARSCOPE_MAX_TRACE   bytes that the trace file of one process may take; 0: no limit
 *
 * What cannot be understood counts as not given: `varscope run` has checked it, and nothing here
 * may stop a job.
 */
#ifndef VARSCOPE_OPTIONS_H
#define VARSCOPE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct vs_options {
  bool full;     /* no budget: everything is recorded */
  double budget; /* share of run time, 0.01 is 1 %; 0: count only */
  uint32_t call_path_frames;
  char counters[128];
  bool io, threads, probes;
  uint64_t lock_wait_ns;
  uint64_t max_trace_bytes;
};

extern struct vs_options vs_options;

/* Reads the environment; called once, by vs_start, before anything uses vs_options. */
void vs_options_read(void);

#endif
