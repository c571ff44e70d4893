/*
 * Sends messages to itself, 64 receives and sends at a time, until it is killed after some
 * milliseconds (its argument): at no special place. The file rounds counts the rounds that it has
 * done, whatever happens: it is mapped.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

static void die(int unused) {
  (void)unused;
  kill(getpid(), SIGKILL);
}

int main(int argc, char **argv) {
  double out[32] = {0}, in[32];
  MPI_Request r[64];
  const struct itimerval when = {{0, 0}, {0, 1000 * atoi(argv[1])}};
  const int file = open("rounds", O_RDWR | O_CREAT, 0644);
  if (file < 0 || ftruncate(file, sizeof(long)) != 0)
    return 1;
  volatile long *rounds = mmap(NULL, sizeof *rounds, PROT_WRITE, MAP_SHARED, file, 0);
  MPI_Init(&argc, &argv);
  signal(SIGALRM, die);
  setitimer(ITIMER_REAL, &when, NULL);
  for (;;) {
    for (int i = 0; i < 32; i++)
      MPI_Irecv(&in[i], 1, MPI_DOUBLE, MPI_ANY_SOURCE, i, MPI_COMM_SELF, &r[i]);
    for (int i = 0; i < 32; i++)
      MPI_Isend(&out[i], 1, MPI_DOUBLE, 0, i, MPI_COMM_SELF, &r[32 + i]);
    MPI_Waitall(64, r, MPI_STATUSES_IGNORE);
    ++*rounds;
  }
}
