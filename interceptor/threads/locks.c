/*
 * Locks that can be tried: taken at once, they cost a branch more than without us. Only what has to
 * wait is timed. Trying changes nothing that a program could see: where it takes the lock, locking
 * would have done so; where it fails for whatever reason, the real call decides. (POSIX.1-2017,
 * pthread_mutex_timedlock: the time need not be looked at if the lock can be taken at once.)
 */
#define _GNU_SOURCE 1
#include <stdbool.h>

#include "calls.h"
#include "real.h"
#include "wait.h"

#define REAL vs_real_threads

/* Robust mutexes, and those that inherit or set priorities, have the bits 16, 32 and 64 in glibc's
 * kind, whose place and values are part of its ABI (PTHREAD_MUTEX_INITIALIZER writes it). They are
 * not tried: pthread_mutex_trylock of glibc (seen in 2.36) keeps the lock word of a mutex that is
 * not recoverable when it says so, and the next lock would wait for ever. */
static inline bool took_mutex(pthread_mutex_t *mutex) {
#ifdef __GLIBC__
  if (__builtin_expect((mutex->__data.__kind & 0x70) != 0, 0))
    return false;
#endif
  return __builtin_expect(REAL.pthread_mutex_trylock(mutex) == 0, 1);
}

#define WAIT(name, arguments)                                                                      \
  uint64_t since = vs_wait_begin();                                                                \
  int result = REAL.name arguments;                                                                \
  vs_wait_end(since, VS_CALL_##name, VS_SITE);                                                     \
  return result

#define SLOW __attribute__((noinline, cold)) static

/* Waiting is apart, so that the usual way needs no frame; the site is handed on. */
#define SLOW_WAIT(name, parameters, arguments)                                                     \
  SLOW int wait_##name parameters {                                                                \
    uint64_t since = vs_wait_begin();                                                              \
    int result = REAL.name arguments;                                                              \
    vs_wait_end(since, VS_CALL_##name, site);                                                      \
    return result;                                                                                 \
  }

#define MUTEX(name, parameters, slow_parameters, arguments, slow_arguments)                        \
  SLOW_WAIT(name, slow_parameters, arguments)                                                      \
  VS_EXPORT int name parameters {                                                                  \
    if (vs_threads_asleep())                                                                       \
      return REAL.name arguments;                                                                  \
    if (took_mutex(a))                                                                             \
      return 0;                                                                                    \
    return wait_##name slow_arguments;                                                             \
  }

MUTEX(pthread_mutex_lock, (pthread_mutex_t * a), (pthread_mutex_t * a, const void *site), (a),
      (a, VS_SITE))
MUTEX(pthread_mutex_timedlock, (pthread_mutex_t * a, const struct timespec *b),
      (pthread_mutex_t * a, const struct timespec *b, const void *site), (a, b), (a, b, VS_SITE))
MUTEX(pthread_mutex_clocklock, (pthread_mutex_t * a, clockid_t b, const struct timespec *c),
      (pthread_mutex_t * a, clockid_t b, const struct timespec *c, const void *site), (a, b, c),
      (a, b, c, VS_SITE))

#define TRIED(name, try, parameters, slow_parameters, arguments, slow_arguments)                   \
  SLOW_WAIT(name, slow_parameters, arguments)                                                      \
  VS_EXPORT int name parameters {                                                                  \
    if (vs_threads_asleep())                                                                       \
      return REAL.name arguments;                                                                  \
    if (__builtin_expect(REAL.try(a) == 0, 1))                                                     \
      return 0;                                                                                    \
    return wait_##name slow_arguments;                                                             \
  }

TRIED(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, (pthread_rwlock_t * a),
      (pthread_rwlock_t * a, const void *site), (a), (a, VS_SITE))
TRIED(pthread_rwlock_timedrdlock, pthread_rwlock_tryrdlock,
      (pthread_rwlock_t * a, const struct timespec *b),
      (pthread_rwlock_t * a, const struct timespec *b, const void *site), (a, b), (a, b, VS_SITE))
TRIED(pthread_rwlock_clockrdlock, pthread_rwlock_tryrdlock,
      (pthread_rwlock_t * a, clockid_t b, const struct timespec *c),
      (pthread_rwlock_t * a, clockid_t b, const struct timespec *c, const void *site), (a, b, c),
      (a, b, c, VS_SITE))
TRIED(pthread_rwlock_wrlock, pthread_rwlock_trywrlock, (pthread_rwlock_t * a),
      (pthread_rwlock_t * a, const void *site), (a), (a, VS_SITE))
TRIED(pthread_rwlock_timedwrlock, pthread_rwlock_trywrlock,
      (pthread_rwlock_t * a, const struct timespec *b),
      (pthread_rwlock_t * a, const struct timespec *b, const void *site), (a, b), (a, b, VS_SITE))
TRIED(pthread_rwlock_clockwrlock, pthread_rwlock_trywrlock,
      (pthread_rwlock_t * a, clockid_t b, const struct timespec *c),
      (pthread_rwlock_t * a, clockid_t b, const struct timespec *c, const void *site), (a, b, c),
      (a, b, c, VS_SITE))
/* thrd_success is 0 in all C libraries. */
TRIED(mtx_lock, mtx_trylock, (mtx_t * a), (mtx_t * a, const void *site), (a), (a, VS_SITE))
TRIED(mtx_timedlock, mtx_trylock, (mtx_t *restrict a, const struct timespec *restrict b),
      (mtx_t * a, const struct timespec *b, const void *site), (a, b), (a, b, VS_SITE))

/* What cannot be tried first, since it always waits, or is a point of cancellation even when it
 * need not wait. */
#define TIMED(name, parameters, arguments)                                                         \
  VS_EXPORT int name parameters {                                                                  \
    if (vs_threads_asleep())                                                                       \
      return REAL.name arguments;                                                                  \
    WAIT(name, arguments);                                                                         \
  }

TIMED(pthread_cond_wait, (pthread_cond_t * a, pthread_mutex_t *b), (a, b))
TIMED(pthread_cond_timedwait,
      (pthread_cond_t * a, pthread_mutex_t *b, const struct timespec *restrict c), (a, b, c))
TIMED(pthread_cond_clockwait,
      (pthread_cond_t * a, pthread_mutex_t *b, clockid_t c, const struct timespec *restrict d),
      (a, b, c, d))
TIMED(pthread_barrier_wait, (pthread_barrier_t * a), (a))
TIMED(sem_wait, (sem_t * a), (a))
TIMED(sem_timedwait, (sem_t *restrict a, const struct timespec *restrict b), (a, b))
TIMED(sem_clockwait, (sem_t *restrict a, clockid_t b, const struct timespec *restrict c), (a, b, c))
TIMED(cnd_wait, (cnd_t * a, mtx_t *b), (a, b))
TIMED(cnd_timedwait, (cnd_t * a, mtx_t *restrict b, const struct timespec *restrict c), (a, b, c))
