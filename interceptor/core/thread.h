/*
 * What is kept per thread: marks, and the staging area in the trace file. Only the thread itself
 * touches it, except where said. When a thread ends, the next new one takes it over, so programs
 * that start thousands of short threads need no more of them than run at once.
 */
#ifndef VARSCOPE_THREAD_H
#define VARSCOPE_THREAD_H

#include <stdatomic.h>

#include "counters.h"
#include "counts.h"
#include "governor.h"
#include "recorder.h"

/* Number of a thread that is not in the trace (calibration). */
#define VS_NO_THREAD 0xffffffffu

/* States whose calls the thread leaves out, by place; see quick.h. A power of two. */
#define VS_QUICK_ENTRIES 64u

/* Half a cache line. */
struct vs_quick_entry {
  const void *site; /* NULL: free */
  struct vst_count *count;
  uint64_t watched; /* these bits of the gate must be VS_RECORDING alone */
  uint32_t call;
  uint32_t unused;
};

/* Of a thread's record, what the quick way reads of every call: one cache line with `scope`. */
struct vs_quick {
  struct vs_gate *gate; /* vs_gate_page() */
  uint32_t left;        /* calls that may go the quick way before the recorder looks again */
  uint32_t given;       /* `left` when it was granted */
  uint32_t timed_mask;  /* a call left out is timed if count->calls & timed_mask is 0 */
};

/* In `enter` of a thread: the call on record is counted already. */
#define VS_COUNTED 1u

struct vs_thread {
  const struct vs_scope *scope; /* of the call being recorded, or NULL */
  uint64_t enter;               /* of that call */
  struct vs_quick quick;
  _Atomic uint32_t busy; /* inside vs_end; read by vs_finish in another thread */
  uint32_t number;
  struct vst_staging *staging; /* NULL: recording broke off before there was one */
  struct vst_record *slots;
  uint32_t staged; /* slots in use: staging->written minus the sealed ones */
  uint32_t capacity;
  bool fresh; /* no exit before the next block that its first gap could be counted from */
  uint64_t previous_exit; /* of the last sealed record */
  uint64_t last_exit;     /* of the last record: times of a thread never go back */
  struct vs_counter_state counters;
  struct vst_transfer_staging *transfers; /* NULL: it completed none yet */
  uint32_t transfers_staged;   /* slots in use: transfers->written minus the sealed ones */
  struct vs_path_cache *paths; /* NULL before the first call path, see paths.h */
  uint64_t told;               /* staging->sampled_out at the last record */
  struct vs_governor governor;
  struct vs_thread_counts counts;
  _Alignas(64) struct vs_quick_entry quick_entries[VS_QUICK_ENTRIES];
  struct vs_thread *next; /* of all; under the lock */
  struct vs_thread *free; /* next of those whose thread has ended; under the lock */
};

/* Counts a call left out, and how long one took; with the counters of struct vst_staging as calls'
 * sum. */
static inline void vs_count_call(struct vst_count *count) {
  __atomic_store_n(&count->calls, count->calls + 1, __ATOMIC_RELAXED);
}

static inline void vs_count_time(struct vs_thread *thread, struct vst_count *count, uint64_t ticks,
                                 uint64_t exit) {
  count->ticks += ticks;
  count->timed++;
  if (thread->counts.first)
    thread->counts.first->last_exit = exit;
  thread->governor.timed++;
}

/* Adds the calls that went the quick way to the thread's counters, and allows no more of them. */
static inline void vs_quick_settle(struct vs_thread *thread) {
  struct vs_quick *quick = &thread->quick;
  uint32_t used = quick->given - __atomic_load_n(&quick->left, __ATOMIC_RELAXED);
  __atomic_store_n(&quick->left, 0, __ATOMIC_RELAXED);
  quick->given = 0;
  if (used == 0)
    return;
  struct vst_staging *staging = thread->staging;
  __atomic_store_n(&staging->intercepted, staging->intercepted + used, __ATOMIC_RELAXED);
  __atomic_store_n(&staging->sampled_out, staging->sampled_out + used, __ATOMIC_RELEASE);
  thread->governor.quick_calls += used;
  thread->governor.until_probe -= used;
  if (thread->governor.pause > 0)
    thread->governor.turn -= used;
}

/* Must succeed once before the others are used; false if the system gives no thread-specific key.
 */
bool vs_threads_prepare(void);

/* For the calling thread, which has none yet; NULL if memory cannot be had. */
struct vs_thread *vs_thread_attach(void);

/* Packs the thread's staged records into a FRAGMENTS block. Under the lock. */
void vs_thread_seal(struct vs_thread *thread);

/* Seals all threads but those still busy after a second. Under the lock; nobody records any more.
 * False if some had to be left. */
bool vs_threads_seal_all(void);

/* Waits, for a second at most, until no thread is inside vs_end. */
void vs_threads_settle(void);

/* Counts a call that is left out although it was to be recorded, as the file is at its size limit;
 * `plan` may be NULL. */
void vs_thread_count_left_out(struct vs_thread *thread, struct vs_plan *plan,
                              const struct vs_scope *scope);

/* Counts a call that could not be recorded. */
void vs_thread_count_lost(struct vs_thread *thread);

#endif
