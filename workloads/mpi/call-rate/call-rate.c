/*
 * Makes cheap MPI calls as fast as it can and prints the time per call, so that running it with and
 * without a tool shows what recording one call costs. One rank is enough; it talks to itself.
 *
 *   probe   MPI_Iprobe that finds nothing: the cheapest call there is
 *   self    MPI_Sendrecv of nothing to oneself
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void probe(void) {
  int found;
  MPI_Iprobe(0, 1, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
}

static void send_to_self(void) {
  MPI_Sendrecv(NULL, 0, MPI_BYTE, 0, 0, NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static double nanoseconds_per_call(void (*call)(void), long calls) {
  double start = MPI_Wtime();
  for (long i = 0; i < calls; i++)
    call();
  return (MPI_Wtime() - start) * 1e9 / (double)calls;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  long calls = argc > 1 ? strtol(argv[1], NULL, 10) : 1000000;
  int status = 0, rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (calls <= 0) {
    fprintf(stderr, "usage: call-rate [CALLS]\n");
    status = 2;
  } else if (rank == 0) {
    nanoseconds_per_call(send_to_self, calls / 100); /* warm up */
    printf("call-rate: probe %.2f self %.2f ns\n", nanoseconds_per_call(probe, calls),
           nanoseconds_per_call(send_to_self, calls));
  }
  MPI_Finalize();
  return status;
}
