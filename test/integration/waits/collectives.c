/*
 * One rank of two comes 200 ms late to one collective after the other: rank 1, but rank 0 to the
 * scan. Prints nothing.
 */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

static int rank;

static void late(int who) {
  const struct timespec time = {.tv_sec = 0, .tv_nsec = 200 * 1000 * 1000};
  if (rank == who)
    nanosleep(&time, NULL);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int one = 1, sum = 0;

  late(1);
  MPI_Barrier(MPI_COMM_WORLD);
  late(1);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  late(1);
  MPI_Bcast(&one, 1, MPI_INT, 1, MPI_COMM_WORLD);
  late(1);
  MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  late(0);
  MPI_Scan(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);

  MPI_Request request;
  late(1);
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);

  MPI_Comm other;
  late(1);
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  late(1);
  MPI_Barrier(other);
  MPI_Comm_free(&other);

  MPI_Finalize();
  return EXIT_SUCCESS;
}
