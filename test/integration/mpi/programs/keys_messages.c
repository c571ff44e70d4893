/* Every form of sending, receiving, probing and completing, in a fixed sequence;
 * keys-messages.test.ts lists the rows. keys_messages.F90 makes the same calls. */
#include "check.h"

#define D MPI_DOUBLE
#define WORLD MPI_COMM_WORLD
#define NO MPI_STATUS_IGNORE

static double out[16], in[16], buffer[256];
static int rank, other;

/* The first element is what the other rank sent. */
static void came(const char *what) {
  if (in[0] != 10 * other) {
    printf("%s: %g came\n", what, in[0]);
    failures++;
  }
  in[0] = -1;
}

/* The receive is there before anything is sent, as a ready send wants it. */
static MPI_Request expect_message(int tag) {
  MPI_Request request;
  L(MPI_Irecv)(in, 8, D, other, tag, WORLD, &request);
  MPI_Barrier(WORLD);
  return request;
}

static void blocking(void) {
  MPI_Request r = expect_message(1);
  L(MPI_Send)(out, 1, D, other, 1, WORLD), MPI_Wait(&r, NO), came("send");
  r = expect_message(2);
  L(MPI_Bsend)(out, 2, D, other, 2, WORLD), MPI_Wait(&r, NO), came("bsend");
  r = expect_message(3);
  L(MPI_Ssend)(out, 3, D, other, 3, WORLD), MPI_Wait(&r, NO), came("ssend");
  r = expect_message(4);
  L(MPI_Rsend)(out, 4, D, other, 4, WORLD), MPI_Wait(&r, NO), came("rsend");
}

static void started(void) {
  MPI_Request r[2];
  r[0] = expect_message(5);
  L(MPI_Isend)(out, 1, D, other, 5, WORLD, &r[1]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE), came("isend");
  r[0] = expect_message(6);
  L(MPI_Ibsend)(out, 2, D, other, 6, WORLD, &r[1]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE), came("ibsend");
  r[0] = expect_message(7);
  L(MPI_Issend)(out, 3, D, other, 7, WORLD, &r[1]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE), came("issend");
  r[0] = expect_message(8);
  L(MPI_Irsend)(out, 4, D, other, 8, WORLD, &r[1]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE), came("irsend");
}

static void exchanged(void) {
  MPI_Status status;
  L(MPI_Sendrecv)(out, 4, D, other, 9, in, 9, D, other, 9, WORLD, &status), came("sendrecv");
  in[0] = out[0];
  L(MPI_Sendrecv_replace)(in, 2, D, other, 10, other, 10, WORLD, &status), came("replace");
#if MPI_VERSION >= 4
  MPI_Request r;
  L(MPI_Isendrecv)(out, 3, D, other, 11, in, 5, D, other, 11, WORLD, &r);
  MPI_Wait(&r, NO), came("isendrecv");
  in[0] = out[0];
  L(MPI_Isendrecv_replace)(in, 6, D, other, 12, other, 12, WORLD, &r);
  MPI_Wait(&r, NO), came("isendrecv_replace");
#endif
}

static void probed(void) {
  MPI_Request r, s;
  MPI_Status status;
  MPI_Message message;
  int flag;
  L(MPI_Isend)(out, 1, D, other, 20, WORLD, &r);
  MPI_Probe(other, 20, WORLD, &status);
  L(MPI_Recv)(in, 3, D, other, 20, WORLD, &status), MPI_Wait(&r, NO), came("probe");
  L(MPI_Isend)(out, 1, D, other, 21, WORLD, &r);
  for (flag = 0; !flag;)
    MPI_Iprobe(MPI_ANY_SOURCE, 21, WORLD, &flag, &status);
  L(MPI_Recv)(in, 3, D, other, 21, WORLD, &status), MPI_Wait(&r, NO), came("iprobe");
  L(MPI_Isend)(out, 1, D, other, 22, WORLD, &r);
  MPI_Mprobe(MPI_ANY_SOURCE, 22, WORLD, &message, &status);
  L(MPI_Mrecv)(in, 3, D, &message, &status), MPI_Wait(&r, NO), came("mprobe");
  L(MPI_Isend)(out, 1, D, other, 23, WORLD, &r);
  for (flag = 0; !flag;)
    MPI_Improbe(other, 23, WORLD, &flag, &message, &status);
  L(MPI_Imrecv)(in, 3, D, &message, &s), MPI_Wait(&s, NO), MPI_Wait(&r, NO), came("improbe");
}

/* Two requests, of which the second is null. */
static void completed(void) {
  MPI_Request r[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status status, statuses[2];
  int flag, index, indices[2], n;
  r[0] = expect_message(30);
  L(MPI_Send)(out, 1, D, other, 30, WORLD), MPI_Waitany(2, r, &index, &status), came("waitany");
  CHECK(index == 0);
  r[0] = expect_message(31);
  L(MPI_Send)(out, 1, D, other, 31, WORLD), MPI_Waitsome(2, r, &n, indices, statuses);
  came("waitsome");
  CHECK(n == 1 && indices[0] == 0);
  r[0] = expect_message(32);
  L(MPI_Send)(out, 1, D, other, 32, WORLD);
  for (flag = 0; !flag;)
    MPI_Test(&r[0], &flag, &status);
  came("test");
  r[0] = expect_message(33);
  L(MPI_Send)(out, 1, D, other, 33, WORLD);
  for (flag = 0; !flag;)
    MPI_Testall(2, r, &flag, statuses);
  came("testall");
  r[0] = expect_message(34);
  L(MPI_Send)(out, 1, D, other, 34, WORLD);
  for (flag = 0; !flag;)
    MPI_Testany(2, r, &index, &flag, &status);
  came("testany");
  r[0] = expect_message(35);
  L(MPI_Send)(out, 1, D, other, 35, WORLD);
  for (n = 0; n == 0;)
    MPI_Testsome(2, r, &n, indices, statuses);
  came("testsome");
}

#if MPI_VERSION >= 4
static void in_parts(void) {
  MPI_Request r[2];
  const int both[2] = {0, 1};
  int flag = 0;
  MPI_Psend_init(out, 2, 4, D, other, 40, WORLD, MPI_INFO_NULL, &r[0]);
  MPI_Precv_init(in, 2, 4, D, other, 40, WORLD, MPI_INFO_NULL, &r[1]);
  MPI_Startall(2, r);
  MPI_Pready_list(2, both, r[0]);
  while (!flag)
    MPI_Parrived(r[1], 0, &flag);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE), came("partitioned");
  MPI_Request_free(&r[0]);
  MPI_Request_free(&r[1]);
}
#endif

int main(int argc, char **argv) {
  void *detached;
  count_type bytes;
  MPI_Init(&argc, &argv);
  rank = world_rank();
  other = 1 - rank;
  out[0] = 10 * rank;
  L(MPI_Buffer_attach)(buffer, sizeof buffer);
  blocking();
  started();
  L(MPI_Buffer_detach)(&detached, &bytes);
  CHECK(detached == buffer && bytes == sizeof buffer);
  exchanged();
  probed();
  completed();
#if MPI_VERSION >= 4
  in_parts();
#endif
  return finish("keys_messages");
}
