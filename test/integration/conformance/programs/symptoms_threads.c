/* Threads that send to themselves at once, each on a communicator of its own: symptoms_threads
 * THREADS TIMES. */
#include <pthread.h>

#include "check.h"

static int times;
static pthread_barrier_t together;

static void *exchange(void *comm) {
  pthread_barrier_wait(&together);
  for (int i = 0; i < times; i++) {
    int out = i, in = -1, rank;
    MPI_Comm_rank(*(MPI_Comm *)comm, &rank);
    MPI_Sendrecv(&out, 1, MPI_INT, rank, 1, &in, 1, MPI_INT, rank, 1, *(MPI_Comm *)comm,
                 MPI_STATUS_IGNORE);
    if (in != i)
      failures++;
  }
  pthread_barrier_wait(&together); /* all live until all are done */
  return NULL;
}

int main(int argc, char **argv) {
  MPI_Comm comms[8];
  pthread_t threads[8];
  int provided, count = atoi(argv[1]);
  times = atoi(argv[2]);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  CHECK(provided == MPI_THREAD_MULTIPLE && count <= 8);
  for (int i = 0; i < count; i++)
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  pthread_barrier_init(&together, NULL, (unsigned)count);
  for (int i = 0; i < count; i++)
    pthread_create(&threads[i], NULL, exchange, &comms[i]);
  for (int i = 0; i < count; i++)
    pthread_join(threads[i], NULL);
  for (int i = 0; i < count; i++)
    MPI_Comm_free(&comms[i]);
  return finish("symptoms_threads");
}
