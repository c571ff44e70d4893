/* All ways in which a thread ends or leaves a wait, each many times; a call of MPI afterwards shows
 * that the thread is still recorded. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t never;
static atomic_int waiting, cancelled;

static void send_once(void) {
  int flag;
  MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

static void cleanup(void *given) {
  send_once();
  if (given)
    pthread_mutex_unlock(given);
}

static void *in_cond(void *given) {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(cleanup, &mutex);
  atomic_store(&waiting, 1);
  for (;;)
    pthread_cond_wait(&condition, &mutex);
  pthread_cleanup_pop(0);
  return given;
}

static void *in_sem(void *given) {
  pthread_cleanup_push(cleanup, NULL);
  atomic_store(&waiting, 1);
  sem_wait(&never);
  pthread_cleanup_pop(0);
  return given;
}

static void *never_ends(void *given) {
  for (;;)
    pause();
  return given;
}

static void *in_join(void *given) {
  pthread_cleanup_push(cleanup, NULL);
  atomic_store(&waiting, 1);
  pthread_join(*(pthread_t *)given, NULL);
  pthread_cleanup_pop(0);
  return given;
}

/* A wait for what is there is a point of cancellation, too. */
static void *at_once(void *given) {
  sem_t there;
  sem_init(&there, 0, 1);
  pthread_cleanup_push(cleanup, NULL);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
  atomic_store(&waiting, 1);
  while (!atomic_load(&cancelled))
    sleep_ms(1);
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
  sem_wait(&there);
  CHECK(!"cancelled");
  pthread_cleanup_pop(0);
  return given;
}

static void *exits(void *given) {
  send_once();
  pthread_exit(given);
}

static void cancel_in(void *(*routine)(void *), void *argument) {
  pthread_t thread;
  void *result;
  atomic_store(&waiting, 0);
  atomic_store(&cancelled, 0);
  CHECK(pthread_create(&thread, NULL, routine, argument) == 0);
  while (!atomic_load(&waiting))
    sleep_ms(1);
  sleep_ms(2);
  CHECK(pthread_cancel(thread) == 0);
  atomic_store(&cancelled, 1);
  CHECK(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
}

static jmp_buf out;

static void jump(int number) {
  (void)number;
  longjmp(out, 1);
}

/* Undefined for most calls, but done: out of a signal handler, past a wait. */
static void jump_out_of_wait(void) {
  signal(SIGALRM, jump);
  if (setjmp(out) == 0) {
    ualarm(20000, 0);
    sem_wait(&never);
  }
  sigset_t alarm;
  sigemptyset(&alarm);
  sigaddset(&alarm, SIGALRM);
  pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
  send_once();
}

int main(int argc, char **argv) {
  pthread_t thread, endless;
  void *result;
  start_mpi(&argc, &argv);
  sem_init(&never, 0, 0);
  CHECK(pthread_create(&endless, NULL, never_ends, NULL) == 0);
  for (int i = 0; i < 5; i++) {
    cancel_in(in_cond, NULL);
    cancel_in(in_sem, NULL);
    cancel_in(in_join, &endless);
    cancel_in(at_once, NULL);
    CHECK(pthread_create(&thread, NULL, exits, &thread) == 0);
    CHECK(pthread_join(thread, &result) == 0 && result == &thread);
  }
  jump_out_of_wait();
  return finish("ends");
}
