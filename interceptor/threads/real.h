/*
 * The functions that the wrappers of this folder stand before. Each pointer leads to a binder until
 * the first call of any, or until the library's constructor: programs and other libraries may call
 * before that.
 */
#ifndef VARSCOPE_THREADS_REAL_H
#define VARSCOPE_THREADS_REAL_H

#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>

/* X(name, symbol version, result where the system has no such function, parameters, arguments).
 * The version is that of x86-64: condition variables exist twice in glibc, with other layouts. On
 * other machines the unversioned name is looked up, as it is for ""; all are of type int. */
#define VS_PTHREADS(X)                                                                             \
  X(pthread_create, "", ENOSYS,                                                                    \
    (pthread_t * a, const pthread_attr_t *b, void *(*c)(void *), void *d), (a, b, c, d))           \
  X(pthread_join, "", ENOSYS, (pthread_t a, void **b), (a, b))                                     \
  X(pthread_tryjoin_np, "", ENOSYS, (pthread_t a, void **b), (a, b))                               \
  X(pthread_timedjoin_np, "", ENOSYS, (pthread_t a, void **b, const struct timespec *c),           \
    (a, b, c))                                                                                     \
  X(pthread_mutex_lock, "", ENOSYS, (pthread_mutex_t * a), (a))                                    \
  X(pthread_mutex_trylock, "", ENOSYS, (pthread_mutex_t * a), (a))                                 \
  X(pthread_mutex_timedlock, "", ENOSYS, (pthread_mutex_t * a, const struct timespec *b), (a, b))  \
  X(pthread_rwlock_rdlock, "", ENOSYS, (pthread_rwlock_t * a), (a))                                \
  X(pthread_rwlock_tryrdlock, "", ENOSYS, (pthread_rwlock_t * a), (a))                             \
  X(pthread_rwlock_timedrdlock, "", ENOSYS, (pthread_rwlock_t * a, const struct timespec *b),      \
    (a, b))                                                                                        \
  X(pthread_rwlock_wrlock, "", ENOSYS, (pthread_rwlock_t * a), (a))                                \
  X(pthread_rwlock_trywrlock, "", ENOSYS, (pthread_rwlock_t * a), (a))                             \
  X(pthread_rwlock_timedwrlock, "", ENOSYS, (pthread_rwlock_t * a, const struct timespec *b),      \
    (a, b))                                                                                        \
  X(pthread_cond_wait, "GLIBC_2.3.2", ENOSYS, (pthread_cond_t * a, pthread_mutex_t * b), (a, b))   \
  X(pthread_cond_timedwait, "GLIBC_2.3.2", ENOSYS,                                                 \
    (pthread_cond_t * a, pthread_mutex_t * b, const struct timespec *c), (a, b, c))                \
  X(pthread_barrier_wait, "", ENOSYS, (pthread_barrier_t * a), (a))                                \
  X(sem_wait, "", (errno = ENOSYS, -1), (sem_t * a), (a))                                          \
  X(sem_timedwait, "", (errno = ENOSYS, -1), (sem_t * a, const struct timespec *b), (a, b))        \
  X(thrd_create, "", thrd_error, (thrd_t * a, thrd_start_t b, void *c), (a, b, c))                 \
  X(thrd_join, "", thrd_error, (thrd_t a, int *b), (a, b))                                         \
  X(mtx_lock, "", thrd_error, (mtx_t * a), (a))                                                    \
  X(mtx_trylock, "", thrd_error, (mtx_t * a), (a))                                                 \
  X(mtx_timedlock, "", thrd_error, (mtx_t * a, const struct timespec *b), (a, b))                  \
  X(cnd_wait, "", thrd_error, (cnd_t * a, mtx_t * b), (a, b))                                      \
  X(cnd_timedwait, "", thrd_error, (cnd_t * a, mtx_t * b, const struct timespec *c), (a, b, c))    \
  /* Younger than others in glibc (2.30, 2.31): a lookup that fails may allocate memory. */        \
  X(pthread_mutex_clocklock, "", ENOSYS,                                                           \
    (pthread_mutex_t * a, clockid_t b, const struct timespec *c), (a, b, c))                       \
  X(pthread_rwlock_clockrdlock, "", ENOSYS,                                                        \
    (pthread_rwlock_t * a, clockid_t b, const struct timespec *c), (a, b, c))                      \
  X(pthread_rwlock_clockwrlock, "", ENOSYS,                                                        \
    (pthread_rwlock_t * a, clockid_t b, const struct timespec *c), (a, b, c))                      \
  X(pthread_cond_clockwait, "", ENOSYS,                                                            \
    (pthread_cond_t * a, pthread_mutex_t * b, clockid_t c, const struct timespec *d),              \
    (a, b, c, d))                                                                                  \
  X(sem_clockwait, "", (errno = ENOSYS, -1), (sem_t * a, clockid_t b, const struct timespec *c),   \
    (a, b, c))                                                                                     \
  X(pthread_clockjoin_np, "", ENOSYS,                                                              \
    (pthread_t a, void **b, clockid_t c, const struct timespec *d), (a, b, c, d))

struct vs_pthreads {
#define VS_MEMBER(name, version, missing, parameters, arguments) int(*name) parameters;
  VS_PTHREADS(VS_MEMBER)
#undef VS_MEMBER
};

extern struct vs_pthreads vs_real_threads;

#endif
