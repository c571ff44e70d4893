/*
 * The recorder's one lock: over the trace file and the tables shared by threads. While it is held
 * all signals are blocked and cancellation is off, so no handler runs, jumps out of, or ends the
 * thread in the middle. The time from taking to releasing it is counted as the tool's own cost.
 * errno is afterwards as it was before, whatever is done meanwhile: waiting for the lock sets it,
 * too.
 */
#ifndef VARSCOPE_LOCK_H
#define VARSCOPE_LOCK_H

#include <signal.h>
#include <stdint.h>

struct vs_lock {
  sigset_t signals;
  int cancellation, error;
  uint64_t since; /* tick */
};

void vs_lock(struct vs_lock *lock);

/* Like vs_lock; the cost counts from `since`, for callers that did work before they needed the
 * lock. */
void vs_lock_since(struct vs_lock *lock, uint64_t since);

void vs_unlock(struct vs_lock *lock);

#endif
