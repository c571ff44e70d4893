/* Every point-to-point call, requests and probes between two ranks. */
#include "check.h"

#define WORLD MPI_COMM_WORLD

static int rank, other;

static void blocking(void) {
  char room[4096];
  void *detached;
  int size, value = rank, got = -1;
  MPI_Status status;
  MPI_Buffer_attach(room, sizeof room);
  if (rank == 0) {
    MPI_Send(&value, 1, MPI_INT, 1, 1, WORLD);
    MPI_Bsend(&value, 1, MPI_INT, 1, 2, WORLD);
    MPI_Ssend(&value, 1, MPI_INT, 1, 3, WORLD);
    MPI_Recv(&got, 1, MPI_INT, 1, 9, WORLD, MPI_STATUS_IGNORE);
    MPI_Rsend(&value, 1, MPI_INT, 1, 4, WORLD);
  } else {
    MPI_Request ready;
    MPI_Irecv(&got, 1, MPI_INT, 0, 4, WORLD, &ready);
    for (int tag = 1; tag <= 3; tag++) {
      int first = -1;
      MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, tag == 2 ? MPI_ANY_TAG : tag, WORLD, &status);
      CHECK(first == 0 && status.MPI_SOURCE == 0 && status.MPI_TAG == tag);
    }
    MPI_Send(&value, 1, MPI_INT, 0, 9, WORLD);
    MPI_Wait(&ready, &status);
    CHECK(got == 0 && status.MPI_TAG == 4);
  }
  MPI_Buffer_detach(&detached, &size);
  MPI_Sendrecv(&rank, 1, MPI_INT, other, 5, &got, 1, MPI_INT, other, 5, WORLD, MPI_STATUS_IGNORE);
  CHECK(got == other);
  MPI_Sendrecv_replace(&value, 1, MPI_INT, other, 6, other, 6, WORLD, &status);
  CHECK(value == other && status.MPI_SOURCE == other);
  MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, WORLD);
  MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, WORLD, &status);
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL && value == other);
}

static void starts(void) {
  char room[4096];
  void *detached;
  int size, out = rank, in[4] = {-1, -1, -1, -1};
  MPI_Request requests[8];
  MPI_Status statuses[8];
  MPI_Buffer_attach(room, sizeof room);
  for (int i = 0; i < 4; i++)
    MPI_Irecv(&in[i], 1, MPI_INT, other, 10 + i, WORLD, &requests[i]);
  MPI_Barrier(WORLD);
  MPI_Isend(&out, 1, MPI_INT, other, 10, WORLD, &requests[4]);
  MPI_Ibsend(&out, 1, MPI_INT, other, 11, WORLD, &requests[5]);
  MPI_Issend(&out, 1, MPI_INT, other, 12, WORLD, &requests[6]);
  MPI_Irsend(&out, 1, MPI_INT, other, 13, WORLD, &requests[7]);
  MPI_Waitall(8, requests, statuses);
  for (int i = 0; i < 4; i++)
    CHECK(in[i] == other && statuses[i].MPI_SOURCE == other && requests[i] == MPI_REQUEST_NULL);
  MPI_Buffer_detach(&detached, &size);
}

/* Equal handles: an implementation may give one handle to all sends that completed at once. */
static void sixteen(void) {
  int out = rank, in[16], done = 0, index, flag, indices[16], count;
  MPI_Request sends[16], receives[16];
  MPI_Status statuses[16];
  for (int i = 0; i < 16; i++)
    MPI_Isend(&out, 1, MPI_INT, other, 20, WORLD, &sends[i]);
  for (int i = 0; i < 16; i++)
    MPI_Irecv(&in[i], 1, MPI_INT, other, 20, WORLD, &receives[i]);
  MPI_Waitall(16, sends, MPI_STATUSES_IGNORE);
  MPI_Waitany(16, receives, &index, MPI_STATUS_IGNORE);
  CHECK(index >= 0 && index < 16 && receives[index] == MPI_REQUEST_NULL);
  for (done = 1; done < 8; done += count)
    MPI_Waitsome(16, receives, &count, indices, MPI_STATUSES_IGNORE);
  while (done < 16) {
    MPI_Testsome(16, receives, &count, indices, statuses);
    for (int i = 0; i < count; i++)
      CHECK(statuses[i].MPI_SOURCE == other);
    done += count == MPI_UNDEFINED ? 0 : count;
  }
  for (int i = 0; i < 16; i++)
    CHECK(in[i] == other);
  MPI_Testall(16, receives, &flag, MPI_STATUSES_IGNORE);
  CHECK(flag);
  MPI_Testany(16, receives, &index, &flag, MPI_STATUS_IGNORE);
  CHECK(flag && index == MPI_UNDEFINED);
  MPI_Waitany(16, receives, &index, MPI_STATUS_IGNORE);
  CHECK(index == MPI_UNDEFINED);
  MPI_Waitsome(16, receives, &count, indices, MPI_STATUSES_IGNORE);
  CHECK(count == MPI_UNDEFINED);
  MPI_Wait(&receives[0], MPI_STATUS_IGNORE);
  MPI_Test(&receives[0], &flag, MPI_STATUS_IGNORE);
  CHECK(flag);
  MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE);
}

static void probes(void) {
  int flag = 0, count, in[3] = {0, 0, 0};
  MPI_Status status;
  MPI_Message message;
  MPI_Request request;
  if (rank == 0) {
    for (int tag = 30; tag < 34; tag++)
      MPI_Send(in, 3, MPI_INT, 1, tag, WORLD);
  } else {
    MPI_Probe(MPI_ANY_SOURCE, 30, WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(status.MPI_SOURCE == 0 && count == 3);
    MPI_Recv(in, 3, MPI_INT, 0, 30, WORLD, MPI_STATUS_IGNORE);
    while (!flag)
      MPI_Iprobe(0, 31, WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Recv(in, 3, MPI_INT, 0, 31, WORLD, &status);
    MPI_Mprobe(0, 32, WORLD, &message, &status);
    MPI_Mrecv(in, 3, MPI_INT, &message, MPI_STATUS_IGNORE);
    for (flag = 0; !flag;)
      MPI_Improbe(0, 33, WORLD, &flag, &message, MPI_STATUS_IGNORE);
    MPI_Imrecv(in, 3, MPI_INT, &message, &request);
    MPI_Wait(&request, &status);
    CHECK(status.MPI_TAG == 33);
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  rank = world_rank();
  other = 1 - rank;
  blocking();
  starts();
  sixteen();
  probes();
  return finish("point_to_point");
}
