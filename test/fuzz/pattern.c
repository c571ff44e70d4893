/*
 * Makes MPI calls whose arguments follow from the thread and from how many calls it made before, so
 * that a trace of any part of the run can be checked call by call; see pattern.ts.
 *
 *   pattern CALLS THREADS     CALLS calls in each of 1 + THREADS threads (default 0)
 */
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_BYTES 4096
#define TAGS_OF_A_THREAD 4096
#define MOST_THREADS 7

static long calls;
static pthread_barrier_t all_done; /* else a thread's number would be used again for the next one */

/* A number for call `call` of thread `thread`. */
static uint32_t mix(uint32_t thread, uint32_t call) {
  uint32_t x = (call + 1) * 2654435761u + thread * 40503u;
  x ^= x >> 15;
  x *= 2246822519u;
  return x ^ (x >> 13);
}

/* Only the first thread makes the collective ones: they all go over one communicator. */
static void make_call(uint32_t thread, uint32_t call) {
  static char from[MOST_BYTES], to[MOST_BYTES];
  const uint32_t number = mix(thread, call);
  int found;
  if (thread == 0 && number % 4 == 0)
    MPI_Allreduce(from, to, (int)(number / 4 % MOST_BYTES), MPI_BYTE, MPI_BOR, MPI_COMM_SELF);
  else
    MPI_Iprobe(0, (int)(thread * TAGS_OF_A_THREAD + number / 4 % TAGS_OF_A_THREAD), MPI_COMM_SELF,
               &found, MPI_STATUS_IGNORE);
}

static void *make_calls(void *thread) {
  for (long call = 0; call < calls; call++)
    make_call((uint32_t)(uintptr_t)thread, (uint32_t)call);
  pthread_barrier_wait(&all_done);
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t others[MOST_THREADS];
  int provided;
  calls = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
  long threads = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
  if (calls <= 0 || threads < 0 || threads > MOST_THREADS) {
    fprintf(stderr, "usage: pattern CALLS [THREADS], at most %d threads\n", MOST_THREADS);
    return 2;
  }
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE)
    threads = 0;
  pthread_barrier_init(&all_done, NULL, (unsigned)threads + 1);
  for (long i = 0; i < threads; i++)
    pthread_create(&others[i], NULL, make_calls, (void *)(uintptr_t)(i + 1));
  make_calls(NULL);
  for (long i = 0; i < threads; i++)
    pthread_join(others[i], NULL);
  MPI_Finalize();
  return 0;
}
