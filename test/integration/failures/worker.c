/*
 * An MPI program that shows what it was given, and works on whatever happens to its trace.
 *
 *   worker CALLS [WORD...]     CALLS rounds of calls; prints a sum over its words, and its result
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
  unsigned sum = 2166136261u;
  long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 0, result = 0;
  int rank, found;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < argc; i++)
    for (const char *at = argv[i]; *at; at++)
      sum = (sum ^ (unsigned char)*at) * 16777619u;
  for (long i = 0; i < rounds; i++) {
    long own = i + rank;
    if (i % 64 == 0)
      MPI_Allreduce(MPI_IN_PLACE, &own, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Iprobe(MPI_ANY_SOURCE, (int)(i % 30000), MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
    result = result * 31 + own + found;
  }
  MPI_Allreduce(MPI_IN_PLACE, &result, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%d words %08x result %016lx\n", argc, sum, (unsigned long)result);
  MPI_Finalize();
  /* A launcher may kill all ranks once one ends with a status: the others need not be done with
   * MPI_Finalize yet. */
  usleep(300000);
  return 7;
}
