/* Return codes and errno of every kind of mutex and of waits that fail; prints them all, so that
 * runs with and without varscope can be compared. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <threads.h>

#include "check.h"

static pthread_mutex_t mutex, robust;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;

#define SAY(call)                                                                                  \
  do {                                                                                             \
    errno = 77;                                                                                    \
    int code = (call);                                                                             \
    printf("%s = %d, errno %d\n", #call, code, errno);                                             \
  } while (0)

static void make(pthread_mutex_t *made, int type, int protocol, int robustness) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, type);
  pthread_mutexattr_setprotocol(&attributes, protocol);
  pthread_mutexattr_setrobust(&attributes, robustness);
  CHECK(pthread_mutex_init(made, &attributes) == 0);
}

static void *die_with_lock(void *given) {
  SAY(pthread_mutex_lock(&robust));
  return given;
}

static void run(void *(*routine)(void *)) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, routine, NULL) == 0);
  SAY(pthread_join(thread, NULL));
}

static void robust_mutexes(int protocol) {
  make(&robust, PTHREAD_MUTEX_NORMAL, protocol, PTHREAD_MUTEX_ROBUST);
  run(die_with_lock);
  SAY(pthread_mutex_lock(&robust)); /* EOWNERDEAD */
  SAY(pthread_mutex_consistent(&robust));
  SAY(pthread_mutex_unlock(&robust));
  run(die_with_lock);
  SAY(pthread_mutex_lock(&robust)); /* EOWNERDEAD */
  SAY(pthread_mutex_unlock(&robust));
  SAY(pthread_mutex_lock(&robust)); /* ENOTRECOVERABLE */
}

static void types_of_mutexes(void) {
  struct timespec soon = in_ms(CLOCK_REALTIME, 20), odd = {.tv_nsec = -1};
  make(&mutex, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
  SAY(pthread_mutex_lock(&mutex));
  SAY(pthread_mutex_lock(&mutex)); /* EDEADLK */
  SAY(pthread_mutex_timedlock(&mutex, &soon));
  SAY(pthread_mutex_unlock(&mutex));
  SAY(pthread_mutex_unlock(&mutex));          /* EPERM */
  SAY(pthread_mutex_timedlock(&mutex, &odd)); /* taken: the time is not looked at */
  SAY(pthread_mutex_unlock(&mutex));
  make(&mutex, PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
  SAY(pthread_mutex_lock(&mutex));
  SAY(pthread_mutex_lock(&mutex));
  SAY(pthread_mutex_unlock(&mutex));
  SAY(pthread_mutex_unlock(&mutex));
  SAY(pthread_mutex_unlock(&mutex)); /* EPERM: it was counted right */
  make(&mutex, PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_STALLED);
  SAY(pthread_mutex_lock(&mutex));
  SAY(pthread_mutex_timedlock(&mutex, &soon)); /* ETIMEDOUT */
  SAY(pthread_mutex_unlock(&mutex));
  make(&mutex, PTHREAD_MUTEX_ADAPTIVE_NP, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
  SAY(pthread_mutex_lock(&mutex));
  SAY(pthread_mutex_timedlock(&mutex, &odd)); /* EINVAL */
  SAY(pthread_mutex_unlock(&mutex));
}

static void failing_waits(void) {
  struct timespec past = {0}, odd = {.tv_nsec = 1000000000};
  make(&mutex, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
  SAY(pthread_cond_wait(&condition, &mutex)); /* EPERM: not locked */
  SAY(pthread_mutex_lock(&mutex));
  SAY(pthread_cond_timedwait(&condition, &mutex, &past));
  SAY(pthread_cond_timedwait(&condition, &mutex, &odd));
  SAY(pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &past));
  SAY(pthread_cond_clockwait(&condition, &mutex, CLOCK_BOOTTIME, &past));
  SAY(pthread_mutex_unlock(&mutex));
  SAY(pthread_rwlock_wrlock(&rwlock));
  SAY(pthread_rwlock_wrlock(&rwlock)); /* EDEADLK */
  SAY(pthread_rwlock_rdlock(&rwlock)); /* EDEADLK */
  SAY(pthread_rwlock_unlock(&rwlock));
  SAY(pthread_rwlock_rdlock(&rwlock));
  SAY(pthread_rwlock_timedwrlock(&rwlock, &past));
  SAY(pthread_rwlock_unlock(&rwlock));
  sem_init(&semaphore, 0, 1);
  SAY(sem_wait(&semaphore));
  SAY(sem_timedwait(&semaphore, &past));
  SAY(sem_timedwait(&semaphore, &odd));
  SAY(pthread_join(pthread_self(), NULL));
  SAY(pthread_tryjoin_np(pthread_self(), NULL));
}

/* More stack than there is memory for. */
static void failing_create(void) {
  pthread_t thread;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  CHECK(pthread_attr_setstacksize(&attributes, (size_t)1 << 46) == 0);
  SAY(pthread_create(&thread, &attributes, die_with_lock, NULL));
}

int main(int argc, char **argv) {
  start_mpi(&argc, &argv);
  robust_mutexes(PTHREAD_PRIO_NONE);
  robust_mutexes(PTHREAD_PRIO_INHERIT);
  types_of_mutexes();
  failing_waits();
  failing_create();
  return finish("results");
}
