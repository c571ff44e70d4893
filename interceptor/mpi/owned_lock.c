#define _GNU_SOURCE 1
#include "owned_lock.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>

/* Attempts before the lock is given up: tens of milliseconds at least. */
#define ATTEMPTS 100000u

void (*vs_owned_barrier)(void);

static bool given_up(struct vs_owned_lock *lock) {
  return atomic_load_explicit(&lock->mode, memory_order_relaxed) == VS_GIVEN_UP;
}

static bool give_up(struct vs_owned_lock *lock) {
  atomic_store(&lock->mode, VS_GIVEN_UP);
  return false;
}

static void pause_after(uint32_t attempts) {
  if (attempts >= 100)
    sched_yield();
}

static bool take(struct vs_owned_lock *lock) {
  for (uint32_t i = 0; i < ATTEMPTS && !given_up(lock); i++) {
    if (!atomic_load_explicit(&lock->taken, memory_order_relaxed) &&
        !atomic_exchange_explicit(&lock->taken, 1, memory_order_acquire))
      return true;
    pause_after(i);
  }
  return give_up(lock);
}

/* Whoever has taken it ends the ownership: either the owner sees that, or it is seen to be inside.
 * False if it does not come out. */
static bool end_ownership(struct vs_owned_lock *lock) {
  uint32_t owned = VS_OWNED;
  const int error = errno;
  if (!atomic_compare_exchange_strong(&lock->mode, &owned, VS_SHARED))
    return true; /* ended before, by a thread that had taken it, too */
  vs_owned_barrier();
  errno = error;
  for (uint32_t i = 0; i < ATTEMPTS; i++) {
    if (!atomic_load_explicit(&lock->inside, memory_order_acquire))
      return true;
    pause_after(i);
  }
  return give_up(lock);
}

bool vs_owned_lock_slowly(struct vs_owned_lock *lock, const void *thread) {
  const void *nobody = NULL;
  if (given_up(lock))
    return false;
  if (atomic_compare_exchange_strong(&lock->owner, &nobody, thread))
    return vs_owned_lock(lock, thread);
  if (nobody == thread && atomic_load_explicit(&lock->inside, memory_order_relaxed))
    return give_up(lock); /* it left the lock without releasing it */
  if (!take(lock))
    return false;
  if (end_ownership(lock))
    return true;
  atomic_store_explicit(&lock->taken, 0, memory_order_release);
  return false;
}
