/*
 * Messages that are found and received while recording is paused, under handles that are used
 * again: what is known of the one must not be said of the other.
 */
#include "check.h"

int main(int argc, char **argv) {
  MPI_Comm reversed;
  MPI_Message message;
  MPI_Status status;
  double in = 0, out = 1;
  MPI_Init(&argc, &argv);
  const int rank = world_rank(), other = 1 - rank;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  for (int round = 0; round < 10; round++) {
    MPI_Send(&out, 1, MPI_DOUBLE, other, 1, MPI_COMM_WORLD);
    MPI_Send(&out, 1, MPI_DOUBLE, rank, 2, reversed);
    MPI_Mprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &message, &status);
    MPI_Pcontrol(0);
    MPI_Mrecv(&in, 1, MPI_DOUBLE, &message, &status);
    MPI_Mprobe(MPI_ANY_SOURCE, 2, reversed, &message, &status);
    MPI_Pcontrol(1);
    MPI_Mrecv(&in, 1, MPI_DOUBLE, &message, &status);
    CHECK(in == 1 && status.MPI_SOURCE == rank && status.MPI_TAG == 2);
    MPI_Send(&out, 1, MPI_DOUBLE, rank, 3, reversed);
    MPI_Mprobe(MPI_ANY_SOURCE, 3, reversed, &message, &status);
    MPI_Mrecv(&in, 1, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
  }
  MPI_Comm_free(&reversed);
  return finish("matched_left_out");
}
