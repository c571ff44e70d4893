/* Threads that keep each other waiting at mutexes, read-write locks, conditions, barriers and
 * semaphores, some made and ended meanwhile, one still at it when MPI is finalized. What the locks
 * guard is plain memory: a lock that did not hold would show in it, and as a race. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "check.h"

#define THREADS 4
#define ROUNDS 300

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t passed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;
static long counted, written, shared, turn;
static atomic_int stop;

static void call_once(void) {
  int flag;
  MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

static void *count_once(void *unused) {
  pthread_mutex_lock(&mutex);
  counted++;
  pthread_mutex_unlock(&mutex);
  call_once();
  return unused;
}

/* The threads take turns. */
static void pass_on(long number) {
  pthread_mutex_lock(&mutex);
  while (turn % THREADS != number)
    pthread_cond_wait(&passed, &mutex);
  turn++;
  pthread_cond_broadcast(&passed);
  pthread_mutex_unlock(&mutex);
}

static void *contend(void *given) {
  const long number = (long)given;
  for (int round = 0; round < ROUNDS; round++) {
    count_once(NULL);
    pthread_rwlock_wrlock(&rwlock);
    written++;
    pthread_rwlock_unlock(&rwlock);
    pthread_rwlock_rdlock(&rwlock);
    CHECK(written > 0);
    pthread_rwlock_unlock(&rwlock);
    sem_wait(&semaphore);
    shared++;
    sem_post(&semaphore);
    pass_on(number);
    if (round % 50 == 0) {
      pthread_t thread;
      CHECK(pthread_create(&thread, NULL, count_once, NULL) == 0);
      CHECK(pthread_join(thread, NULL) == 0);
      pthread_barrier_wait(&barrier);
    }
  }
  return NULL;
}

static void *go_on(void *unused) {
  while (!atomic_load(&stop))
    count_once(unused);
  return unused;
}

int main(int argc, char **argv) {
  pthread_t threads[THREADS], late;
  start_mpi(&argc, &argv);
  pthread_barrier_init(&barrier, NULL, THREADS);
  sem_init(&semaphore, 0, 1);
  for (long i = 0; i < THREADS; i++)
    CHECK(pthread_create(&threads[i], NULL, contend, (void *)i) == 0);
  for (int i = 0; i < THREADS; i++)
    CHECK(pthread_join(threads[i], NULL) == 0);
  CHECK(counted == THREADS * (ROUNDS + ROUNDS / 50) && turn == THREADS * ROUNDS);
  CHECK(written == THREADS * ROUNDS && shared == THREADS * ROUNDS);
  CHECK(pthread_create(&late, NULL, go_on, NULL) == 0);
  call_once();
  MPI_Finalize();
  atomic_store(&stop, 1);
  CHECK(pthread_join(late, NULL) == 0);
  printf("contend: %s\n", failures ? "failed" : "done");
  return failures != 0;
}
