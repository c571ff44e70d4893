/* A message of 3 GB (3 x 10^9 bytes) that needs 1 MB of memory: elements of that size lie on one
 * another. */
#include "check.h"

#define ELEMENT 1000000

int main(int argc, char **argv) {
  static char buffer[ELEMENT];
  MPI_Datatype element, stacked;
  MPI_Init(&argc, &argv);
  MPI_Type_contiguous(ELEMENT, MPI_BYTE, &element);
  MPI_Type_create_resized(element, 0, 0, &stacked);
  MPI_Type_commit(&stacked);
  const int rank = world_rank();
  buffer[5] = rank == 0 ? 'x' : 'y';
  if (rank == 0)
    MPI_Send(buffer, 3000, stacked, 1, 1, MPI_COMM_WORLD);
  else
    MPI_Recv(buffer, 3000, stacked, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(buffer[5] == 'x');
  MPI_Type_free(&element);
  MPI_Type_free(&stacked);
  return finish("big");
}
