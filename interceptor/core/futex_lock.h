/*
 * A lock that calls no library: the interceptor sees the program's calls of pthread_mutex_lock, and
 * must not meet its own. States and transitions as in U. Drepper, "Futexes Are Tricky" (2011),
 * section 5, mutex 2.
 */
#ifndef VARSCOPE_FUTEX_LOCK_H
#define VARSCOPE_FUTEX_LOCK_H

#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

struct vs_futex_lock {
  _Atomic uint32_t state; /* 0 free, 1 taken, 2 taken and others may wait */
};

static inline void vs_futex_lock(struct vs_futex_lock *lock) {
  uint32_t state = 0;
  if (atomic_compare_exchange_strong_explicit(&lock->state, &state, 1, memory_order_acquire,
                                              memory_order_relaxed))
    return;
  while (atomic_exchange_explicit(&lock->state, 2, memory_order_acquire) != 0)
    syscall(SYS_futex, &lock->state, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

static inline void vs_futex_unlock(struct vs_futex_lock *lock) {
  if (atomic_exchange_explicit(&lock->state, 0, memory_order_release) == 2)
    syscall(SYS_futex, &lock->state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

#endif
