/* Every call that can wait, once so that it waits for HELD_MS at least, and often so that it does
 * not. The other thread is made by thrd_create and lets go after that time. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <threads.h>

#include "check.h"

#define HELD_MS 100

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;
static mtx_t plain;
static cnd_t plain_condition;
static atomic_int turn; /* of the other thread: odd when it may let go */
static int ready;

static void await_turn(int number) {
  while (atomic_load(&turn) < number)
    sleep_ms(1);
}

/* The other thread: takes, says so, holds, lets go. */
#define HOLD(number, take, let_go)                                                                 \
  await_turn(2 * (number));                                                                        \
  take;                                                                                            \
  atomic_fetch_add(&turn, 1);                                                                      \
  sleep_ms(HELD_MS);                                                                               \
  let_go;

#define NOTHING ((void)0)

static int other(void *given) {
  for (int i = 0; i < 3; i++) {
    HOLD(i, pthread_mutex_lock(&mutex), pthread_mutex_unlock(&mutex));
  }
  for (int i = 3; i < 6; i++) {
    HOLD(i, pthread_rwlock_wrlock(&rwlock), pthread_rwlock_unlock(&rwlock));
  }
  for (int i = 6; i < 9; i++) {
    HOLD(i, pthread_rwlock_rdlock(&rwlock), pthread_rwlock_unlock(&rwlock));
  }
  for (int i = 9; i < 12; i++) {
    HOLD(i, NOTHING, pthread_mutex_lock(&mutex); ready = i; pthread_cond_broadcast(&condition);
         pthread_mutex_unlock(&mutex));
  }
  HOLD(12, NOTHING, pthread_barrier_wait(&barrier));
  for (int i = 13; i < 16; i++) {
    HOLD(i, NOTHING, sem_post(&semaphore));
  }
  for (int i = 16; i < 18; i++) {
    HOLD(i, mtx_lock(&plain), mtx_unlock(&plain));
  }
  for (int i = 18; i < 20; i++) {
    HOLD(i, NOTHING, mtx_lock(&plain); ready = i; cnd_broadcast(&plain_condition);
         mtx_unlock(&plain));
  }
  return *(int *)given;
}

/* This thread: gives the turn, and waits. */
#define WAIT(number, call)                                                                         \
  atomic_store(&turn, 2 * (number));                                                               \
  await_turn(2 * (number) + 1);                                                                    \
  CHECK((call) == 0);

static void no_waits(void) {
  const struct timespec late = in_ms(CLOCK_REALTIME, 60000);
  const struct timespec mono = in_ms(CLOCK_MONOTONIC, 60000);
  for (int i = 0; i < 1000; i++) {
    CHECK(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
    CHECK(pthread_mutex_timedlock(&mutex, &late) == 0 && pthread_mutex_unlock(&mutex) == 0);
    CHECK(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &mono) == 0);
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    CHECK(pthread_rwlock_rdlock(&rwlock) == 0 && pthread_rwlock_rdlock(&rwlock) == 0);
    CHECK(pthread_rwlock_unlock(&rwlock) == 0 && pthread_rwlock_unlock(&rwlock) == 0);
    CHECK(pthread_rwlock_wrlock(&rwlock) == 0 && pthread_rwlock_unlock(&rwlock) == 0);
    if (i < 100)
      CHECK(sem_post(&semaphore) == 0 && sem_wait(&semaphore) == 0);
    CHECK(mtx_lock(&plain) == thrd_success && mtx_unlock(&plain) == thrd_success);
  }
}

int main(int argc, char **argv) {
  start_mpi(&argc, &argv);
  pthread_barrier_init(&barrier, NULL, 2);
  sem_init(&semaphore, 0, 0);
  mtx_init(&plain, mtx_timed);
  cnd_init(&plain_condition);
  no_waits();
  const struct timespec late = in_ms(CLOCK_REALTIME, 60000);
  const struct timespec mono = in_ms(CLOCK_MONOTONIC, 60000);
  int status = 7, joined = 0;
  thrd_t thread;
  atomic_store(&turn, -1);
  CHECK(thrd_create(&thread, other, &status) == thrd_success);
  WAIT(0, pthread_mutex_lock(&mutex));
  pthread_mutex_unlock(&mutex);
  WAIT(1, pthread_mutex_timedlock(&mutex, &late));
  pthread_mutex_unlock(&mutex);
  WAIT(2, pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &mono));
  pthread_mutex_unlock(&mutex);
  WAIT(3, pthread_rwlock_rdlock(&rwlock));
  pthread_rwlock_unlock(&rwlock);
  WAIT(4, pthread_rwlock_timedrdlock(&rwlock, &late));
  pthread_rwlock_unlock(&rwlock);
  WAIT(5, pthread_rwlock_clockrdlock(&rwlock, CLOCK_MONOTONIC, &mono));
  pthread_rwlock_unlock(&rwlock);
  WAIT(6, pthread_rwlock_wrlock(&rwlock));
  pthread_rwlock_unlock(&rwlock);
  WAIT(7, pthread_rwlock_timedwrlock(&rwlock, &late));
  pthread_rwlock_unlock(&rwlock);
  WAIT(8, pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &mono));
  pthread_rwlock_unlock(&rwlock);
  pthread_mutex_lock(&mutex);
  WAIT(9, pthread_cond_wait(&condition, &mutex));
  WAIT(10, pthread_cond_timedwait(&condition, &mutex, &late));
  WAIT(11, pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &mono));
  CHECK(ready == 11);
  pthread_mutex_unlock(&mutex);
  atomic_store(&turn, 24);
  await_turn(25);
  const int serial = pthread_barrier_wait(&barrier);
  CHECK(serial == 0 || serial == PTHREAD_BARRIER_SERIAL_THREAD);
  WAIT(13, sem_wait(&semaphore));
  WAIT(14, sem_timedwait(&semaphore, &late));
  WAIT(15, sem_clockwait(&semaphore, CLOCK_MONOTONIC, &mono));
  WAIT(16, mtx_lock(&plain));
  mtx_unlock(&plain);
  WAIT(17, mtx_timedlock(&plain, &late));
  mtx_unlock(&plain);
  mtx_lock(&plain);
  WAIT(18, cnd_wait(&plain_condition, &plain));
  WAIT(19, cnd_timedwait(&plain_condition, &plain, &late));
  CHECK(ready == 19);
  mtx_unlock(&plain);
  CHECK(thrd_join(thread, &joined) == thrd_success && joined == 7);
  return finish("waits");
}
