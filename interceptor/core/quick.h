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
 */
#ifndef VARSCOPE_QUICK_H
#define VARSCOPE_QUICK_H

#include "gate.h"
#include "local.h"

struct vs_quick_call {
  struct vs_scope scope; /* enter and thread alone are set */
};

static inline struct vs_quick_entry *vs_quick_place(struct vs_thread *thread, const void *site) {
  return &thread->quick.entries[((uintptr_t)site >> 2) % VS_QUICK_ENTRIES];
}

/* The calling thread's record, for libraries that vs_self_offset() was handed to. */
static inline struct vs_thread *vs_quick_self(ptrdiff_t offset) {
  return *(struct vs_thread *const *)(const void *)(vs_thread_pointer() + offset);
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
  const struct vs_quick_entry *entry = vs_quick_place(thread, site);
  uint32_t left = thread->quick.left;
  if (entry->site != site || entry->call != call || left == 0)
    return false;
  struct vst_count *count = entry->count;
  uint64_t calls = count->calls;
  if ((calls & thread->governor.timed_mask) == 0 ||
      atomic_load_explicit(entry->usual, memory_order_relaxed) ||
      atomic_load_explicit(thread->quick.gate, memory_order_acquire) != VS_RECORDING)
    return false;
  quick->scope.thread = thread;
  thread->enter = quick->scope.enter = VS_COUNTED;
  thread->scope = &quick->scope;
  atomic_signal_fence(memory_order_seq_cst);
  __atomic_store_n(&thread->quick.left, left - 1, __ATOMIC_RELAXED);
  __atomic_store_n(&count->calls, calls + 1, __ATOMIC_RELAXED);
  return true;
}

/* No look at who is on record: a frame that is left does not come back. */
static inline __attribute__((always_inline)) void vs_quick_end(struct vs_quick_call *quick) {
  atomic_signal_fence(memory_order_seq_cst);
  quick->scope.thread->scope = NULL;
}

#endif
