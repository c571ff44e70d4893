/* One rank sends itself a value each of named types, and of derived ones that are freed at once, so
 * that their handles come again with other sizes. */
#include <mpi.h>
#include <stdio.h>

#define ROUNDS 40

static char out[1024], in[1024];

static void send_one(MPI_Datatype type) {
  MPI_Request request;
  MPI_Irecv(in, 1, type, 0, 0, MPI_COMM_WORLD, &request);
  MPI_Send(out, 1, type, 0, 0, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  MPI_Datatype before = MPI_DATATYPE_NULL, type;
  int reused = 0;
  MPI_Init(&argc, &argv);
  for (int round = 1; round <= ROUNDS; round++) {
    const MPI_Datatype named[] = {MPI_CHAR, MPI_SHORT, MPI_INT, MPI_DOUBLE, MPI_DOUBLE_INT};
    send_one(named[round % 5]);
    MPI_Type_contiguous(round, MPI_SHORT, &type);
    MPI_Type_commit(&type);
    reused += type == before;
    before = type;
    send_one(type);
    MPI_Type_free(&type);
    MPI_Type_dup(named[round % 5], &type); /* as large as it, and without a name */
    send_one(type);
    MPI_Type_free(&type);
  }
  printf("type_sizes: done, %s\n", reused ? "handles came again" : "no handle came again");
  MPI_Finalize();
  return 0;
}
