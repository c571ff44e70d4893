/*
 * How the calls of threads are recorded: after they returned, with the time at which they began.
 * So a wait that was too short leaves no mark, and one that never returns here (cancelled, left by
 * longjmp or an exception out of a signal handler) leaves nothing to be put in order.
 *
 *   uint64_t since = vs_wait_begin();
 *   ... the real call ...
 *   vs_wait_end(since, call, site);
 *
 * All keep errno.
 */
#ifndef VARSCOPE_WAIT_H
#define VARSCOPE_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "gate.h"

#define VS_EXPORT __attribute__((visibility("default")))
#define VS_SITE __builtin_return_address(0)

static inline bool vs_threads_asleep(void) {
  return __builtin_expect(vs_mode() == VS_ASLEEP, 1);
}

/* The tick, or 0 if what follows is not to be recorded: asleep, option off, inside a recorded call,
 * or a thread of the MPI library. */
uint64_t vs_wait_begin(void);

/* Records a wait as long as the threshold or longer. */
void vs_wait_end(uint64_t since, uint32_t call, const void *site);

/* Records a call of any length. */
void vs_thread_call_end(uint64_t since, uint32_t call, const void *site);

/* Records what went on from one tick to another in this thread; `bytes` as the call has it. */
void vs_thread_record(uint64_t enter, uint64_t exit, uint32_t call, const void *site,
                      uint64_t bytes);

#endif
