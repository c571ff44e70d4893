/*
 * Counters of the calling thread: CPU time, waits for a core, switches, faults, hardware events...
 * They are read at the entry or the exit of a call, when the last reading is older than an
 * interval. That follows from the measured cost of a reading, so that all readings together stay
 * below a quarter of the budget; dear sources are read less often than cheap ones. So every
 * computation and every call that is longer than the interval has a reading near its start and near
 * its end.
 *
 * A reading at the entry of a call is made before its entry time is taken, one at the exit after
 * its exit time: never inside the call as it is recorded, but inside the computation beside it. It
 * is counted as the tool's own time. All signals are blocked and cancellation is off meanwhile, and
 * errno is kept. Nothing but the hardware source keeps a descriptor.
 */
#ifndef VARSCOPE_COUNTERS_H
#define VARSCOPE_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "trace_format.h"

#define VS_MOST_COLUMNS 32u
#define VS_PERF_EVENTS 5u

/* How dear a source is; each kind has an equal share of the time that readings may take. */
enum vs_counter_cost { VS_CHEAP, VS_MODERATE, VS_DEAR, VS_COUNTER_COSTS };

struct vs_thread;

/* What a thread must remember, all zero at first. Only the thread itself touches it. */
struct vs_counter_state {
  uint64_t due;                        /* tick of the next reading; UINT64_MAX: never */
  uint64_t cost_due[VS_COUNTER_COSTS]; /* of the next one of these sources */
  uint64_t ticks[VS_COUNTER_COSTS];    /* that a reading takes: mean of the last ones */
  uint64_t own_ticks;                  /* spent, and not yet counted as the tool's own */
  struct vst_counter_staging *staging;
  uint64_t staged; /* slots in use */
  uint64_t based;  /* mask: sources whose `offset` is set */
  uint64_t offset[VS_MOST_COLUMNS], last[VS_MOST_COLUMNS];
  uint32_t core;  /* where the thread was last seen, + 1 */
  uint64_t moves; /* times that it was seen on another core */
  struct vs_perf_state {
    bool tried;
    uint32_t open; /* events that could be opened; event i has bit i */
    int fd[VS_PERF_EVENTS];
    uint64_t id[VS_PERF_EVENTS];
    uint64_t raw[VS_PERF_EVENTS], scaled[VS_PERF_EVENTS]; /* at the last reading */
    uint64_t enabled, running;                            /* ns, at the last reading */
  } perf;
};

/* Finds out what can be read of what was asked for, and writes that down. Under the lock. False
 * when recording is over. */
bool vs_counters_start(uint64_t ticks_per_second);

/* Reads the sources that are due at tick `now`. Returns the tick afterwards. */
uint64_t vs_counters_read(struct vs_thread *thread, uint64_t now);

/* Reads all sources, for the calling thread's end. */
void vs_counters_last(struct vs_thread *thread);

/* Packs the thread's readings into a COUNTERS block. Under the lock. */
void vs_counters_seal(struct vs_thread *thread);

/* Lets go of what was open for the calling thread, which ends, so that another can take its place.
 */
void vs_counters_leave(struct vs_thread *thread);

#endif
