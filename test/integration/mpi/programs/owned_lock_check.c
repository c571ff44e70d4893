/* Two threads under interceptor/mpi/owned_lock.c: the owner, and one that ends its ownership at a
 * moment that differs from round to round. What they count without atomic operations must add up.
 * Then locks whose holder never comes back. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "gate.h"
#include "owned_lock.h"

#define ROUNDS 100
#define STEPS 4000

static struct vs_owned_lock lock;
static volatile long counted, held_by;
static long refused, disturbed;
static _Atomic int started;
static const char names[2];

static void barrier(void) {
  vs_all_threads_see();
  errno = 5; /* as system calls may do */
}

static void use_lock(int thread, int steps) {
  for (int i = 0; i < steps; i++) {
    if (!vs_owned_lock(&lock, &names[thread])) {
      refused++;
      return;
    }
    held_by = thread;
    counted = counted + 1;
    disturbed += held_by != thread;
    vs_owned_unlock(&lock, &names[thread]);
  }
}

static void *second(void *delay) {
  atomic_store(&started, 1);
  for (volatile int i = 0; i < *(int *)delay; i++)
    ;
  errno = 77;
  use_lock(1, STEPS);
  if (errno != 77)
    disturbed++;
  return NULL;
}

static long lost(int round) {
  pthread_t thread;
  int delay = rand() % 20000;
  lock = (struct vs_owned_lock){0};
  counted = 0;
  atomic_store(&started, 0);
  use_lock(0, 1 + round % 3);
  pthread_create(&thread, NULL, second, &delay);
  while (!atomic_load(&started))
    ;
  use_lock(0, STEPS);
  pthread_join(thread, NULL);
  return STEPS * 2 + 1 + round % 3 - counted;
}

/* Nobody gets a lock whose holder does not come back, nor waits for it for ever. */
static int given_up(int holder) {
  int got = 0;
  lock = (struct vs_owned_lock){0};
  if (!vs_owned_lock(&lock, &names[0]))
    return -1;
  if (holder == 1) {
    vs_owned_unlock(&lock, &names[0]);
    if (!vs_owned_lock(&lock, &names[1]))
      return -1;
  }
  got += vs_owned_lock(&lock, &names[1 - holder]);
  got += vs_owned_lock(&lock, &names[holder]);
  got += vs_owned_lock(&lock, &names[1 - holder]);
  return got;
}

/* An owner that meets itself inside would wait for itself. */
static int met_itself(void) {
  lock = (struct vs_owned_lock){0};
  return !vs_owned_lock(&lock, &names[0]) + vs_owned_lock(&lock, &names[0]);
}

int main(void) {
  long all = 0;
  vs_owned_barrier = barrier;
  if (!vs_gate_prepare())
    return 1;
  srand(1);
  for (int round = 0; round < ROUNDS; round++)
    all += labs(lost(round));
  printf("%ld lost, %ld disturbed, %ld refused\n", all, disturbed, refused);
  printf("got %d, %d, %d\n", given_up(0), given_up(1), met_itself());
  return 0;
}
