/* Open MPI alone. Two processes of one job meet once more through a port: connect.test.ts lists the
 * rows. connect.F90 makes the same calls, but for the socket. */
#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>

#include "check.h"

#define INFO MPI_INFO_NULL

static void names(char *port) {
  char found[MPI_MAX_PORT_NAME] = "";
  MPI_Publish_name("varscope", INFO, port);
  MPI_Lookup_name("varscope", INFO, found);
  CHECK(strcmp(found, port) == 0);
  MPI_Unpublish_name("varscope", INFO, port);
}

/* Joins through a socket of their own. */
static void join(int rank) {
  struct sockaddr_in place = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t bytes = sizeof place;
  MPI_Comm joined;
  int one = socket(AF_INET, SOCK_STREAM, 0);
  double out = rank, in = -1;
  if (rank == 0) {
    bind(one, (struct sockaddr *)&place, bytes);
    listen(one, 1);
    getsockname(one, (struct sockaddr *)&place, &bytes);
  }
  MPI_Bcast(&place, 16, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (rank == 0)
    one = accept(one, NULL, NULL);
  else
    CHECK(connect(one, (struct sockaddr *)&place, bytes) == 0);
  MPI_Comm_join(one, &joined);
  MPI_Sendrecv(&out, 1, MPI_DOUBLE, 0, 2, &in, 1, MPI_DOUBLE, 0, 2, joined, MPI_STATUS_IGNORE);
  CHECK(in == 1 - rank);
  MPI_Comm_disconnect(&joined);
}

int main(int argc, char **argv) {
  char port[MPI_MAX_PORT_NAME] = "";
  MPI_Comm inter;
  MPI_Init(&argc, &argv);
  const int rank = world_rank();
  double out = rank, in = -1;
  if (rank == 0) {
    MPI_Open_port(MPI_INFO_NULL, port);
    CHECK(strlen(port) > 0);
    names(port);
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
  join(rank);
  return finish("connect");
}
