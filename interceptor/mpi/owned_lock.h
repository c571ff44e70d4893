/*
 * A lock for what one thread uses nearly always: the first thread that takes it owns it, and takes
 * and releases it by plain loads and stores, a fifth of what an atomic exchange costs. The first
 * other thread ends that for good, after a barrier in all threads: from
 * then on all take turns by an atomic exchange. It does not matter what level of threads MPI was
 * asked for, nor whether the program keeps to it.
 *
 * The idea of a lock biased towards one thread is that of K. Kawachiya, A. Koseki and T. Onodera,
 * "Lock Reservation" (OOPSLA 2002); theirs is handed back by stopping the owner, this one by
 * membarrier(2).
 *
 * A thread can be ended, or leave by longjmp, while it holds the lock. So the lock is given up
 * after a while, for good, and whoever wanted it must do without.
 */
#ifndef VARSCOPE_OWNED_LOCK_H
#define VARSCOPE_OWNED_LOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum vs_owned_mode { VS_OWNED = 0, VS_SHARED, VS_GIVEN_UP };

/* All zero is a lock that nobody has taken yet. */
struct vs_owned_lock {
  const void *_Atomic owner;
  _Atomic uint32_t mode;   /* enum vs_owned_mode */
  _Atomic uint32_t inside; /* the owner holds it as such */
  _Atomic uint32_t taken;  /* another holds it, or the owner like any other */
};

/* The barrier: returns when every other thread has seen what this one stored before. Given with the
 * recorder (vs_all_threads_see in gate.h), before any lock is taken. */
extern void (*vs_owned_barrier)(void);

bool vs_owned_lock_slowly(struct vs_owned_lock *lock, const void *thread);

/* Takes the lock for `thread`, an address that tells threads apart, not NULL. False if it is given
 * up. errno stays as it is. */
static inline bool vs_owned_lock(struct vs_owned_lock *lock, const void *thread) {
  if (atomic_load_explicit(&lock->owner, memory_order_relaxed) == thread &&
      !atomic_load_explicit(&lock->inside, memory_order_relaxed)) {
    atomic_store_explicit(&lock->inside, 1, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst); /* the rest is done by who ends the ownership */
    if (__builtin_expect(atomic_load_explicit(&lock->mode, memory_order_relaxed) == VS_OWNED, 1))
      return true;
    atomic_store_explicit(&lock->inside, 0, memory_order_release);
  }
  return vs_owned_lock_slowly(lock, thread);
}

static inline void vs_owned_unlock(struct vs_owned_lock *lock, const void *thread) {
  if (atomic_load_explicit(&lock->owner, memory_order_relaxed) == thread &&
      atomic_load_explicit(&lock->inside, memory_order_relaxed))
    atomic_store_explicit(&lock->inside, 0, memory_order_release);
  else
    atomic_store_explicit(&lock->taken, 0, memory_order_release);
}

#endif
