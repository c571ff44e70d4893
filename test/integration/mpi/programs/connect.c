/* Two processes of one job meet once more through a port: connect.test.ts lists the rows.
 * connect.F90 makes the same calls. */
#include "check.h"

#include <string.h>

int main(int argc, char **argv) {
  char port[MPI_MAX_PORT_NAME] = "";
  MPI_Comm inter;
  MPI_Init(&argc, &argv);
  const int rank = world_rank();
  double out = rank, in = -1;
  if (rank == 0) {
    MPI_Open_port(MPI_INFO_NULL, port);
    CHECK(strlen(port) > 0);
  }
  MPI_Bcast(port, 256, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (rank == 0)
    MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
  else
    MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
  MPI_Sendrecv(&out, 1, MPI_DOUBLE, 0, 1, &in, 1, MPI_DOUBLE, 0, 1, inter, MPI_STATUS_IGNORE);
  CHECK(in == 1 - rank);
  MPI_Comm_disconnect(&inter);
  if (rank == 0)
    MPI_Close_port(port);
  return finish("connect");
}
