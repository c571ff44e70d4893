/*
 * What wrappers of calls that start or complete requests need of the recorder each time, without a
 * call of it: see recorder.h for what vs_open_transfers and vs_close_transfers promise.
 */
#ifndef VARSCOPE_TRANSFER_ROOM_H
#define VARSCOPE_TRANSFER_ROOM_H

#include "gate.h"
#include "table.h"
#include "thread.h"

#define VS_NO_RECORD UINT64_MAX

/* vs_mode() as threads know it. */
static inline bool vs_thread_records(const struct vs_thread *thread) {
  return atomic_load_explicit(&thread->quick.gate->mode, memory_order_acquire) == VS_RECORDING;
}

/* Between vs_stop and vs_end: the number that the record of this call will have in its thread;
 * VS_NO_RECORD if it will have none. */
static inline uint64_t vs_record_number(const struct vs_scope *scope) {
  const struct vs_thread *thread = scope->thread;
  if (thread->scope != scope || scope->state == VS_NOT_FOUND || !thread->staging ||
      thread->staged >= thread->capacity || !vs_thread_records(thread))
    return VS_NO_RECORD;
  return thread->staging->written;
}

/* Marks the thread busy, as vs_end does; vs_close_transfers ends that. */
static inline void vs_enter_transfers(struct vs_thread *thread) {
  atomic_store_explicit(&thread->busy, 1, memory_order_relaxed);
  atomic_signal_fence(memory_order_seq_cst);
}

/* As vs_open_transfers; NULL also where that has to be asked. */
static inline struct vst_transfer *vs_transfer_room(const struct vs_scope *scope, uint32_t count) {
  struct vs_thread *thread = scope->thread;
  struct vst_transfer_staging *staging = thread->transfers;
  if (thread->scope != scope || !staging || staging->capacity - thread->transfers_staged < count)
    return NULL;
  vs_enter_transfers(thread);
  if (vs_thread_records(thread))
    return (struct vst_transfer *)(staging + 1) + thread->transfers_staged;
  atomic_store_explicit(&thread->busy, 0, memory_order_release);
  return NULL;
}

/* As vs_close_transfers; false, and nothing done, where that has to be asked. `written` is stored
 * last: whenever the process is killed, it covers complete transfers only. */
static inline bool vs_transfers_close(const struct vs_scope *scope, uint32_t count) {
  struct vs_thread *thread = scope->thread;
  struct vst_transfer_staging *staging = thread->transfers;
  if (thread->transfers_staged + count >= staging->capacity)
    return false;
  thread->transfers_staged += count;
  __atomic_store_n(&staging->written, staging->written + count, __ATOMIC_RELEASE);
  atomic_store_explicit(&thread->busy, 0, memory_order_release);
  return true;
}

#endif
