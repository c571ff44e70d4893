/*
 * Non-blocking transfers of every kind, from start to completion, between two ranks. The file
 * truth-RANK gets a line for each transfer, in the order in which they were completed:
 *
 *   START COMPLETION PEER TAG BYTES OUTCOME
 *
 * the names of the two calls, and what this program knows of the transfer by its own logic.
 */
#include "check.h"

static int rank, other;
static double out[4096], in[4096];
static MPI_Request r[128];
static MPI_Status st[128];
static int indices[128];
static FILE *truth;

static void told(const char *start, const char *end, int peer, int tag, int bytes, int outcome) {
  fprintf(truth, "MPI_%s MPI_%s %d %d %d %d\n", start, end, peer, tag, bytes, outcome);
}

static void barrier(void) {
  MPI_Barrier(MPI_COMM_WORLD);
}

static void send(int doubles, int tag) {
  MPI_Send(out, doubles, MPI_DOUBLE, other, tag, MPI_COMM_WORLD);
}

/* Small sends at a time, which have one handle under some MPIs, and a null request between. */
static void equal_handles(void) {
  for (int round = 0; round < 20; round++) {
    for (int i = 0; i < 16; i++)
      MPI_Irecv(&in[i], 1, MPI_DOUBLE, other, i, MPI_COMM_WORLD, &r[i]);
    r[16] = MPI_REQUEST_NULL;
    for (int i = 0; i < 16; i++)
      MPI_Isend(&out[i], 1, MPI_DOUBLE, other, i, MPI_COMM_WORLD, &r[17 + i]);
    MPI_Waitall(33, r, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 16; i++)
      told("Irecv", "Waitall", other, i, 8, 0);
    for (int i = 0; i < 16; i++)
      told("Isend", "Waitall", other, i, 8, 0);
  }
}

/* Receives from anyone: the source is known though the program ignores it. */
static void from_anyone(void) {
  MPI_Comm reversed;
  int done = 0;
  MPI_Irecv(in, 100, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &r[0]);
  send(3, 40 + rank);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  told("Irecv", "Wait", other, 40 + other, 24, 0);
  for (int round = 0; round < 2; round++) {
    MPI_Irecv(in, 100, MPI_DOUBLE, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(in + 100, 100, MPI_DOUBLE, other, MPI_ANY_TAG, MPI_COMM_WORLD, &r[1]);
    barrier();
    send(1, 5);
    send(0, 6);
    MPI_Waitall(2, r, round ? st : MPI_STATUSES_IGNORE);
    if (round)
      CHECK(st[0].MPI_SOURCE == other && st[1].MPI_TAG == 6);
    told("Irecv", "Waitall", other, 5, 8, 0);
    told("Irecv", "Waitall", other, 6, 0, 0);
  }
  MPI_Irecv(in, 1, MPI_DOUBLE, MPI_PROC_NULL, 8, MPI_COMM_WORLD, &r[0]);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  told("Irecv", "Wait", -3, 8, 0, 0);
  /* ranks the other way round: the world rank counts */
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  MPI_Irecv(in, 9, MPI_DOUBLE, MPI_ANY_SOURCE, 9, reversed, &r[0]);
  MPI_Send(out, 9, MPI_DOUBLE, rank, 9, reversed);
  while (!done)
    MPI_Test(&r[0], &done, MPI_STATUS_IGNORE);
  told("Irecv", "Test", other, 9, 72, 0);
  MPI_Comm_free(&reversed);
}

/* All forms of waiting and testing, one message at a time; a null entry in between. */
static void one_by_one(void) {
  int index, count, flag;
  for (int i = 0; i < 6; i++)
    MPI_Irecv(&in[i], 1, MPI_DOUBLE, MPI_ANY_SOURCE, 10 + i, MPI_COMM_WORLD, &r[i]);
  r[6] = MPI_REQUEST_NULL;
  barrier();
  send(1, 12);
  MPI_Waitany(7, r, &index, MPI_STATUS_IGNORE);
  CHECK(index == 2);
  told("Irecv", "Waitany", other, 12, 8, 0);
  barrier();
  send(1, 15);
  MPI_Waitsome(7, r, &count, indices, MPI_STATUSES_IGNORE);
  CHECK(count == 1 && indices[0] == 5);
  told("Irecv", "Waitsome", other, 15, 8, 0);
  barrier();
  send(0, 11);
  for (flag = 0; !flag;)
    MPI_Testany(7, r, &index, &flag, st);
  CHECK(index == 1 && st[0].MPI_SOURCE == other);
  told("Irecv", "Testany", other, 11, 0, 0);
  barrier();
  send(1, 13);
  for (count = 0; count == 0;)
    MPI_Testsome(7, r, &count, indices, MPI_STATUSES_IGNORE);
  CHECK(count == 1 && indices[0] == 3);
  told("Irecv", "Testsome", other, 13, 8, 0);
  barrier();
  send(1, 14);
  send(1, 10);
  for (flag = 0; !flag;)
    MPI_Testall(7, r, &flag, MPI_STATUSES_IGNORE);
  told("Irecv", "Testall", other, 10, 8, 0);
  told("Irecv", "Testall", other, 14, 8, 0);
  /* nothing is left: none of these completes anything */
  MPI_Waitall(7, r, MPI_STATUSES_IGNORE);
  MPI_Waitany(7, r, &index, MPI_STATUS_IGNORE);
  MPI_Testany(7, r, &index, &flag, MPI_STATUS_IGNORE);
  MPI_Waitsome(7, r, &count, indices, MPI_STATUSES_IGNORE);
  MPI_Wait(&r[6], MPI_STATUS_IGNORE);
}

/* Started again and again; while it is inactive, it completes at once and is no transfer. */
static void persistent(void) {
  MPI_Send_init(out, 4, MPI_DOUBLE, other, 20, MPI_COMM_WORLD, &r[0]);
  MPI_Recv_init(in, 8, MPI_DOUBLE, MPI_ANY_SOURCE, 21, MPI_COMM_WORLD, &r[1]);
  MPI_Recv_init(in, 8, MPI_DOUBLE, other, 20, MPI_COMM_WORLD, &r[2]);
  MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 50; i++) {
    MPI_Startall(3, r);
    send(2, 21);
    MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
    told("Startall", "Waitall", other, 20, 32, 0);
    told("Startall", "Waitall", other, 21, 16, 0);
    told("Startall", "Waitall", other, 20, 32, 0);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  }
  MPI_Start(&r[1]);
  send(8, 21);
  MPI_Wait(&r[1], st);
  told("Start", "Wait", other, 21, 64, 0);
  for (int i = 0; i < 3; i++)
    MPI_Request_free(&r[i]);
}

/* A receive that is cancelled, a send that is freed. */
static void endings(void) {
  MPI_Irecv(in, 5, MPI_DOUBLE, other, 30, MPI_COMM_WORLD, &r[0]);
  MPI_Cancel(&r[0]);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  told("Irecv", "Wait", other, 30, 0, 1);
  MPI_Irecv(in, 1, MPI_DOUBLE, other, 31, MPI_COMM_WORLD, &r[0]);
  MPI_Isend(out, 1, MPI_DOUBLE, other, 31, MPI_COMM_WORLD, &r[1]);
  MPI_Request_free(&r[1]);
  told("Isend", "Request_free", other, 31, 8, 2);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  told("Irecv", "Wait", other, 31, 8, 0);
}

/* Messages found by probes: whom from is known from the start, whatever the program ignores. */
static void matched(void) {
  MPI_Comm reversed;
  MPI_Message message;
  int flag;
  send(3, 50 + rank);
  MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Imrecv(in, 100, MPI_DOUBLE, &message, &r[0]);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  told("Imrecv", "Wait", other, 50 + other, 24, 0);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  MPI_Send(out, 2, MPI_DOUBLE, rank, 52, reversed);
  for (flag = 0; !flag;)
    MPI_Improbe(MPI_ANY_SOURCE, 52, reversed, &flag, &message, st);
  MPI_Imrecv(in, 2, MPI_DOUBLE, &message, &r[0]);
  MPI_Waitall(1, r, st);
  CHECK(st[0].MPI_SOURCE == rank);
  told("Imrecv", "Waitall", other, 52, 16, 0);
  MPI_Comm_free(&reversed);
  MPI_Mprobe(MPI_PROC_NULL, 53, MPI_COMM_WORLD, &message, st);
  MPI_Imrecv(in, 2, MPI_DOUBLE, &message, &r[0]);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  told("Imrecv", "Wait", -3, 53, 0, 0);
}

/* Collectives and others that give a request. */
static void others(void) {
  MPI_Comm copy;
  MPI_Ibarrier(MPI_COMM_WORLD, &r[0]);
  MPI_Iallreduce(out, in, 5, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r[1]);
  MPI_Comm_idup(MPI_COMM_WORLD, &copy, &r[2]);
  MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
  told("Ibarrier", "Waitall", -1, -1, 0, 0);
  told("Iallreduce", "Waitall", -1, -1, 40, 0);
  told("Comm_idup", "Waitall", -1, -1, 0, 0);
  MPI_Comm_free(&copy);
  /* more than are handled at a time */
  for (int i = 0; i < 128; i++) {
    if (i % 2)
      MPI_Isend(&out[i], 1, MPI_DOUBLE, other, i / 2, MPI_COMM_WORLD, &r[i]);
    else
      MPI_Irecv(&in[i], 2, MPI_DOUBLE, MPI_ANY_SOURCE, i / 2, MPI_COMM_WORLD, &r[i]);
  }
  MPI_Waitall(128, r, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 128; i++)
    told(i % 2 ? "Isend" : "Irecv", "Waitall", other, i / 2, 8, 0);
}

int main(int argc, char **argv) {
  char name[32];
  MPI_Init(&argc, &argv);
  rank = world_rank();
  other = 1 - rank;
  snprintf(name, sizeof name, "truth-%d", rank);
  truth = fopen(name, "w");
  equal_handles();
  from_anyone();
  one_by_one();
  persistent();
  endings();
  matched();
  others();
  fclose(truth);
  return finish("transfers");
}
