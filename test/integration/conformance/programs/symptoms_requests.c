/* What has broken programs under tools that keep books of requests, one kind per run:
 * symptoms_requests KIND. */
#include <string.h>

#include "check.h"

#define WORLD MPI_COMM_WORLD
#define N 16

static int rank, other;

/* Open MPI gives small sends that are done at once one and the same handle. */
static void shared_handles(void) {
  MPI_Request requests[2 * N];
  int in[N], out[N];
  for (int round = 0; round < 20; round++) {
    for (int i = 0; i < N; i++)
      MPI_Irecv(&in[i], 1, MPI_INT, other, i, WORLD, &requests[i]);
    for (int i = 0; i < N; i++) {
      out[i] = 100 * rank + i;
      MPI_Isend(&out[i], 1, MPI_INT, other, i, WORLD, &requests[N + i]);
    }
    MPI_Waitall(2 * N, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < N; i++)
      CHECK(in[i] == 100 * other + i);
  }
}

static void null_requests(void) {
  MPI_Request none[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status status;
  int index = 0, flag = 0, count = 0, indices[3], value = 1;
  MPI_Wait(&none[0], &status);
  CHECK(status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG);
  MPI_Waitall(3, none, MPI_STATUSES_IGNORE);
  MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE);
  MPI_Waitany(3, none, &index, &status);
  CHECK(index == MPI_UNDEFINED);
  MPI_Waitsome(3, none, &count, indices, MPI_STATUSES_IGNORE);
  CHECK(count == MPI_UNDEFINED);
  MPI_Test(&none[0], &flag, MPI_STATUS_IGNORE);
  CHECK(flag);
  MPI_Testall(3, none, &flag, MPI_STATUSES_IGNORE);
  CHECK(flag);
  MPI_Testany(3, none, &index, &flag, MPI_STATUS_IGNORE);
  CHECK(flag && index == MPI_UNDEFINED);
  MPI_Testsome(3, none, &count, indices, MPI_STATUSES_IGNORE);
  CHECK(count == MPI_UNDEFINED);
  MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, 1, WORLD, &none[0]);
  MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 1, WORLD, &none[2]);
  MPI_Waitall(3, none, MPI_STATUSES_IGNORE);
  MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 1, WORLD, &status);
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL && value == 1);
}

static void inactive(void) {
  MPI_Request requests[2];
  MPI_Status status;
  int in = -1, out = rank, flag = 0;
  MPI_Recv_init(&in, 1, MPI_INT, other, 1, WORLD, &requests[0]);
  MPI_Send_init(&out, 1, MPI_INT, other, 1, WORLD, &requests[1]);
  for (int i = 0; i < 50; i++) {
    in = -1;
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Wait(&requests[0], &status);
    MPI_Test(&requests[1], &flag, MPI_STATUS_IGNORE);
    CHECK(flag && in == other && status.MPI_SOURCE == MPI_ANY_SOURCE);
    CHECK(requests[0] != MPI_REQUEST_NULL && requests[1] != MPI_REQUEST_NULL);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

/* The count in the status of a send or a collective means nothing, and what stood in the fields
 * stays. */
static void send_status(void) {
  MPI_Request request;
  MPI_Status status;
  int in[100], out[100] = {0};
  for (int i = 0; i < 10; i++) {
    memset(&status, 0x7f, sizeof status);
    MPI_Irecv(in, 100, MPI_INT, other, 1, WORLD, &request);
    MPI_Request send;
    MPI_Isend(out, i, MPI_INT, other, 1, WORLD, &send);
    MPI_Wait(&send, &status);
    MPI_Wait(&request, &status);
    int count = -1;
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(count == i);
    memset(&status, 0x7f, sizeof status);
    MPI_Ibarrier(WORLD, &request);
    MPI_Wait(&request, &status);
  }
}

int main(int argc, char **argv) {
  const char *kind = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  rank = world_rank();
  other = 1 - rank;
  if (strcmp(kind, "shared-handles") == 0)
    shared_handles();
  else if (strcmp(kind, "null") == 0)
    null_requests();
  else if (strcmp(kind, "inactive") == 0)
    inactive();
  else if (strcmp(kind, "send-status") == 0)
    send_status();
  else
    failures++;
  return finish(kind);
}
