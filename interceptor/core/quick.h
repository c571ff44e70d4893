/*
 * The quick way of a call that is left out again and again: where the recorder has decided so
 * lately, wrappers count the call themselves, in a few nanoseconds, without asking it. It allows
 * each thread so many of these at a time (`left`) as it need not look at; a call that is to be
 * timed, whose state is not known here, or that came when none is left takes the usual way.
 *
 *   struct vs_quick_call quick;
 *   if (vs_quick_begin(&quick, thread, call, site)) {
 *     result = real(...);
 *     vs_quick_end(&quick);
 *     return result;
 *   }
 *
 * Such a call counts when it begins, in its state's count alone; vs_quick_settle adds it to the
 * thread's counters.
 *
 * Calls that only look (MPI_Test, MPI_Iprobe and their kin) may come by the million from a loop
 * that does nothing else, and leave even less behind:
 *
 *   if (vs_quick_count(thread, call, site))
 *     return real(...);
 *
 * The thread is not known to be inside a call then. Its I/O, waits and new threads are known to be
 * MPI's by where they come from (io/origin.h); recorded MPI calls of a callback that the real call
 * runs (a reduction of the program's own) count as the program's, which these rarely make.
 *
 * A program may leave nothing of all this in the first-level cache between two calls: what is read
 * lies in few cache lines (thread.h, gate.h, work.h).
 */
#ifndef VARSCOPE_QUICK_H
#define VARSCOPE_QUICK_H

#include "gate.h"
#include "local.h"

struct vs_quick_call {
  struct vs_scope scope; /* enter and thread alone are set */
};

static inline struct vs_quick_entry *vs_quick_place(struct vs_thread *thread, const void *site) {
  return &thread->quick_entries[((uintptr_t)site >> 2) % VS_QUICK_ENTRIES];
}

/* The calling thread's record, for libraries that vs_self_offset() was handed to. */
static inline struct vs_thread *vs_quick_self(ptrdiff_t offset) {
  return *(struct vs_thread *const *)(const void *)(vs_thread_pointer() + offset);
}

/* The state's count if the call may go the quick way; it is the thread's only call then. */
static inline __attribute__((always_inline)) struct vst_count *
vs_quick_state(struct vs_thread *thread, uint32_t call, const void *site) {
  const struct vs_quick_entry *entry = vs_quick_place(thread, site);
  if (entry->site != site || entry->call != call || thread->quick.left == 0)
    return NULL;
  uint64_t gate = atomic_load_explicit(&thread->quick.gate->words, memory_order_acquire);
  if ((gate & entry->watched) != VS_RECORDING)
    return NULL;
  return (entry->count->calls & thread->quick.timed_mask) ? entry->count : NULL;
}

static inline __attribute__((always_inline)) void vs_quick_add(struct vs_thread *thread,
                                                               struct vst_count *count) {
  __atomic_store_n(&thread->quick.left, thread->quick.left - 1, __ATOMIC_RELAXED);
  __atomic_store_n(&count->calls, count->calls + 1, __ATOMIC_RELAXED);
}

/* True if the call is to be made the quick way; it is counted then. */
static inline __attribute__((always_inline)) bool vs_quick_begin(struct vs_quick_call *quick,
                                                                 struct vs_thread *thread,
                                                                 uint32_t call, const void *site) {
  if (!thread)
    return false;
  if (thread->scope) {
    quick->scope.thread = NULL; /* where a frame was left, this overwrites it (recorder.c) */
    return false;
  }
  struct vst_count *count = vs_quick_state(thread, call, site);
  if (!count)
    return false;
  quick->scope.thread = thread;
  thread->enter = quick->scope.enter = VS_COUNTED;
  thread->scope = &quick->scope;
  atomic_signal_fence(memory_order_seq_cst);
  vs_quick_add(thread, count);
  return true;
}

/* No look at who is on record: a frame that is left does not come back. */
static inline __attribute__((always_inline)) void vs_quick_end(struct vs_quick_call *quick) {
  atomic_signal_fence(memory_order_seq_cst);
  quick->scope.thread->scope = NULL;
}

/* True if a call that only looks is to be made the quick way; it is counted, and nothing follows.
 */
static inline __attribute__((always_inline)) bool vs_quick_count(struct vs_thread *thread,
                                                                 uint32_t call, const void *site) {
  if (!thread || thread->scope)
    return false;
  struct vst_count *count = vs_quick_state(thread, call, site);
  if (!count)
    return false;
  vs_quick_add(thread, count);
  return true;
}

#endif
