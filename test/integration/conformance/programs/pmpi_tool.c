/* A small tool of its own: counts barriers and broadcasts by the profiling interface, and says so
 * at the end. */
#include <mpi.h>
#include <stdio.h>

static int barriers, broadcasts;

int MPI_Barrier(MPI_Comm comm) {
  barriers++;
  return PMPI_Barrier(comm);
}

int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  broadcasts++;
  return PMPI_Bcast(buffer, count, type, root, comm);
}

int MPI_Finalize(void) {
  int rank;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  printf("tool on rank %d: %d barriers, %d broadcasts\n", rank, barriers, broadcasts);
  fflush(stdout);
  return PMPI_Finalize();
}
