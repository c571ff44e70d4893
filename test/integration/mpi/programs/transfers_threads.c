/*
 * Transfers between threads of one process: started in one, completed in another, and threads that
 * start and complete their own at the same time. The file truth-RANK gets a line for each transfer:
 *
 *   START COMPLETION PEER TAG BYTES OUTCOME OTHER
 *
 * where OTHER is 1 if another thread than the starting one completed it. Tags tell them apart.
 */
#include "check.h"
#include <pthread.h>
#include <stdatomic.h>

#define THREADS 4
#define ROUNDS 200

static int rank, other;
static FILE *truth;
static pthread_mutex_t told_lock = PTHREAD_MUTEX_INITIALIZER;
static MPI_Request handed[8];
static double shared_in[8];

static void told(const char *start, const char *end, int tag, int bytes, int across) {
  pthread_mutex_lock(&told_lock);
  fprintf(truth, "MPI_%s MPI_%s %d %d %d 0 %d\n", start, end, other, tag, bytes, across);
  pthread_mutex_unlock(&told_lock);
}

static void *start_them(void *unused) {
  for (int i = 0; i < 8; i++)
    MPI_Irecv(&shared_in[i], 1, MPI_DOUBLE, MPI_ANY_SOURCE, i, MPI_COMM_WORLD, &handed[i]);
  return unused;
}

static void *wait_for_them(void *unused) {
  MPI_Waitall(8, handed, MPI_STATUSES_IGNORE);
  return unused;
}

/* Every round one thread starts, this one sends, a third waits. */
static void across(void) {
  pthread_t thread;
  double out = rank;
  for (int round = 0; round < 20; round++) {
    pthread_create(&thread, NULL, start_them, NULL);
    pthread_join(thread, NULL);
    for (int i = 0; i < 8; i++)
      MPI_Send(&out, 1, MPI_DOUBLE, other, i, MPI_COMM_WORLD);
    if (round % 2) {
      wait_for_them(NULL);
    } else {
      pthread_create(&thread, NULL, wait_for_them, NULL);
      pthread_join(thread, NULL);
    }
    for (int i = 0; i < 8; i++)
      told("Irecv", "Waitall", i, 8, round % 2);
  }
}

static void *exchange(void *number) {
  double out[3] = {rank, 0, 0}, in[8];
  for (int round = 0; round < ROUNDS; round++) {
    const int tag = 100 + 100 * (round % 2) + (int)(long)number;
    MPI_Request r[2];
    MPI_Irecv(in, 8, MPI_DOUBLE, round % 2 ? other : MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(out, 1 + round % 3, MPI_DOUBLE, other, tag, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    CHECK(in[0] == other);
    told("Isend", "Waitall", tag, 8 * (1 + round % 3), 0);
    /* Without a status only receives from anyone tell what came; that of others counts as posted.
     */
    if (round % 2 == 0)
      told("Irecv", "Waitall", tag, 8 * (1 + round % 3), 0);
  }
  return NULL;
}

int main(int argc, char **argv) {
  char name[32];
  int provided;
  pthread_t threads[THREADS];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  CHECK(provided == MPI_THREAD_MULTIPLE);
  rank = world_rank();
  other = 1 - rank;
  snprintf(name, sizeof name, "truth-%d", rank);
  truth = fopen(name, "w");
  across();
  for (long i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, exchange, (void *)i);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  fclose(truth);
  return finish("transfers_threads");
}
