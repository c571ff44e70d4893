/* Ten thousand sites and a thousand communicators. */
#include <mpi.h>
#include <stdio.h>

#define COMMUNICATORS 1000

int main(int argc, char **argv) {
  static MPI_Comm made[COMMUNICATORS];
  int rank, found, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#define P MPI_Iprobe(0, 1, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
#define P10 P P P P P P P P P P
#define P100 P10 P10 P10 P10 P10 P10 P10 P10 P10 P10
#define P1000 P100 P100 P100 P100 P100 P100 P100 P100 P100 P100
  P1000 P1000 P1000 P1000 P1000 P1000 P1000 P1000 P1000 P1000 for (int i = 0; i < COMMUNICATORS;
                                                                   i++) {
    int one = i;
    MPI_Comm_dup(MPI_COMM_WORLD, &made[i]);
    MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_SUM, made[i]);
    sum += one;
  }
  for (int i = 0; i < COMMUNICATORS; i++)
    MPI_Comm_free(&made[i]);
  if (rank == 0)
    printf("sum %d\n", sum);
  MPI_Finalize();
  return 0;
}
