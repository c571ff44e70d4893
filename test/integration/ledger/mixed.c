/*
 * What a ledger has to account for, in one program: computation in two sizes, collectives,
 * messages, writing, a second thread that holds a lock, and calls so short and frequent that
 * recording leaves some out.
 */
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { STEPS = 150, PROBES = 400 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile double sink;

static void compute(int rounds) {
  double x = 1.0;
  for (int i = 0; i < rounds * 1000; i++)
    x = x * 1.0000001 + 1e-9;
  sink = x;
}

static void *hold(void *unused) {
  int null = open("/dev/null", O_WRONLY);
  for (int i = 0; i < 60; i++) {
    pthread_mutex_lock(&lock);
    usleep(1000);
    if (write(null, "x", 1) != 1)
      abort();
    pthread_mutex_unlock(&lock);
    usleep(500);
  }
  close(null);
  return unused;
}

int main(int argc, char **argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char name[64];
  snprintf(name, sizeof name, "ledger-%d.out", rank);
  int file = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0600);
  pthread_t other;
  pthread_create(&other, NULL, hold, NULL);
  compute(20000);
  static char block[65536];
  for (int step = 0; step < STEPS; step++) {
    compute(step % 10 == 0 ? 900 : 300);
    double sum;
    double one = 1.0;
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (write(file, block, sizeof block) != (ssize_t)sizeof block)
      MPI_Abort(MPI_COMM_WORLD, 3);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < PROBES; i++) {
      int flag;
      MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }
  }
  pthread_join(other, NULL);
  close(file);
  unlink(name);
  MPI_Finalize();
  return 0;
}
