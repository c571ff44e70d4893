/* Persistent requests in a fixed sequence: persistent.test.ts lists the rows. persistent.F90 makes
 * the same calls. */
#include "check.h"

#define D MPI_DOUBLE
#define WORLD MPI_COMM_WORLD

static double out[64], in[64], buffer[128];
static int rank, other;

static void restarted(void) {
  MPI_Request requests[2];
  MPI_Status status;
  int flag = 0;
  L(MPI_Send_init)(out, 10, D, other, 1, WORLD, &requests[0]);
  L(MPI_Recv_init)(in, 20, D, other, 1, WORLD, &requests[1]);
  for (int i = 0; i < 2; i++) {
    out[9] = 100 * i + rank;
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK(in[9] == 100 * i + other);
  }
  MPI_Request_get_status(requests[0], &flag, &status);
  CHECK(flag);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  CHECK(requests[0] == MPI_REQUEST_NULL);
}

static void modes(void) {
  MPI_Comm reversed;
  MPI_Request send, receive;
  void *detached;
  count_type bytes;
  MPI_Comm_split(WORLD, 0, -rank, &reversed);
  L(MPI_Ssend_init)(out, 3, D, rank, 2, reversed, &send);
  L(MPI_Recv_init)(in, 3, D, MPI_ANY_SOURCE, MPI_ANY_TAG, reversed, &receive);
  MPI_Start(&receive);
  MPI_Start(&send);
  MPI_Wait(&receive, MPI_STATUS_IGNORE);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  MPI_Request_free(&send);
  L(MPI_Rsend_init)(out, 2, D, rank, 3, reversed, &send);
  MPI_Start(&receive);
  MPI_Barrier(WORLD);
  MPI_Start(&send);
  MPI_Wait(&receive, MPI_STATUS_IGNORE);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  MPI_Request_free(&send);
  MPI_Request_free(&receive);
  MPI_Comm_free(&reversed);
  MPI_Buffer_attach(buffer, sizeof buffer);
  L(MPI_Bsend_init)(out, 1, D, other, 4, WORLD, &send);
  MPI_Start(&send);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  L(MPI_Recv)(in, 1, D, other, 4, WORLD, MPI_STATUS_IGNORE);
  MPI_Request_free(&send);
  L(MPI_Buffer_detach)(&detached, &bytes);
}

static void endings(void) {
  MPI_Request requests[2];
  MPI_Status status;
  int flag = 0;
  L(MPI_Send_init)(out, 7, D, MPI_PROC_NULL, 5, WORLD, &requests[0]);
  L(MPI_Recv_init)(in, 8, D, other, 6, WORLD, &requests[1]);
  MPI_Startall(2, requests);
  MPI_Cancel(&requests[1]);
  MPI_Wait(&requests[1], &status);
  MPI_Test_cancelled(&status, &flag);
  CHECK(flag);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  /* Not persistent, and freed while it is under way. */
  L(MPI_Isend)(out, 1, D, other, 7, WORLD, &requests[0]);
  MPI_Request_free(&requests[0]);
  L(MPI_Recv)(in, 1, D, other, 7, WORLD, MPI_STATUS_IGNORE);
}

#if MPI_VERSION >= 4
static void of_mpi_4(void) {
  MPI_Request requests[2];
  int flag = 0;
  MPI_Comm copy;
  MPI_Comm_idup_with_info(WORLD, MPI_INFO_NULL, &copy, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Comm_free(&copy);
  L(MPI_Allreduce_init)(out, in, 5, D, MPI_SUM, WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Start(&requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Request_free(&requests[0]);
  L(MPI_Bcast_init)(out, 2, D, 1, WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Start(&requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Request_free(&requests[0]);
  L(MPI_Isendrecv)(out, 2, D, other, 8, in, 3, D, other, 8, WORLD, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Psend_init(out, 2, 4, D, other, 9, WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Precv_init(in, 2, 4, D, other, 9, WORLD, MPI_INFO_NULL, &requests[1]);
  MPI_Startall(2, requests);
  MPI_Pready(0, requests[0]);
  MPI_Pready_range(1, 1, requests[0]);
  while (!flag)
    MPI_Parrived(requests[1], 1, &flag);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}
#else
static void of_mpi_4(void) {}
#endif

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  rank = world_rank();
  other = 1 - rank;
  restarted();
  modes();
  endings();
  of_mpi_4();
  return finish("persistent");
}
