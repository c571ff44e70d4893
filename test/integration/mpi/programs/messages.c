/*
 * Messages of every kind between two ranks, each with its number. The file truth-RANK gets a line
 * for each message received, in the order in which the receives were posted:
 *
 *   SENDER NUMBER
 *
 * the rank that sent it, and which of its sends that was, counted from 0 in the order of the calls.
 * What is received says so itself.
 */
#include <string.h>

#include "check.h"

#define MOST 4096

static int rank, other;
static long sent, posted;
static long out[MOST][2], in[MOST][2];
static MPI_Request r[16];
static MPI_Status st[16];

static long *next_out(void) {
  out[sent][0] = rank;
  out[sent][1] = sent;
  return out[sent++];
}

static long *next_in(void) {
  in[posted][0] = -1;
  return in[posted++];
}

#define OUT next_out(), 2, MPI_LONG
#define IN next_in(), 2, MPI_LONG
#define WORLD MPI_COMM_WORLD

static void wait_one(MPI_Request *request) {
  MPI_Wait(request, MPI_STATUS_IGNORE);
}

/* Rank 0 sends in every mode, several with one tag; rank 1 receives. */
static void modes(void) {
  static char room[10000];
  if (rank == 0) {
    MPI_Buffer_attach(room, sizeof room);
    MPI_Send(OUT, 1, 1, WORLD);
    MPI_Ssend(OUT, 1, 1, WORLD);
    MPI_Bsend(OUT, 1, 1, WORLD);
    MPI_Send(OUT, 1, 2, WORLD);
    MPI_Barrier(WORLD);
    MPI_Rsend(OUT, 1, 3, WORLD);
    MPI_Isend(OUT, 1, 1, WORLD, &r[0]);
    MPI_Issend(OUT, 1, 1, WORLD, &r[1]);
    MPI_Ibsend(OUT, 1, 1, WORLD, &r[2]);
    MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
    int size;
    void *old;
    MPI_Buffer_detach(&old, &size);
  } else {
    MPI_Recv(IN, 0, 1, WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(IN, MPI_ANY_SOURCE, 1, WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(IN, 0, MPI_ANY_TAG, WORLD, st);
    MPI_Recv(IN, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(IN, 0, 3, WORLD, &r[0]);
    MPI_Barrier(WORLD);
    wait_one(&r[0]);
    for (int i = 0; i < 3; i++)
      MPI_Irecv(IN, i ? 0 : MPI_ANY_SOURCE, i == 1 ? MPI_ANY_TAG : 1, WORLD, &r[i]);
    int flag = 0;
    while (!flag)
      MPI_Testall(3, r, &flag, MPI_STATUSES_IGNORE);
  }
}

/* Posted in one order, waited for in another; tags in yet another. */
static void out_of_order(void) {
  int index;
  for (int i = 0; i < 6; i++)
    MPI_Irecv(IN, i % 3 ? other : MPI_ANY_SOURCE, 10 + i % 2, WORLD, &r[i]);
  for (int i = 0; i < 6; i++)
    MPI_Isend(OUT, other, 10 + (i / 3), WORLD, &r[6 + i]);
  for (int i = 5; i >= 3; i--)
    wait_one(&r[i]);
  for (int i = 0; i < 9; i++)
    MPI_Waitany(12, r, &index, MPI_STATUS_IGNORE);
}

/* Both at once: round and round, with equal tags and different ones, to oneself and to nobody. */
static void exchanges(void) {
  for (int i = 0; i < 20; i++) {
    MPI_Sendrecv(OUT, other, 20 + (rank + i) % 2, IN, other, 20 + (other + i) % 2, WORLD,
                 i % 2 ? st : MPI_STATUS_IGNORE);
    MPI_Sendrecv(OUT, rank, 20, IN, rank, i % 3 ? 20 : MPI_ANY_TAG, WORLD, MPI_STATUS_IGNORE);
  }
  /* with ordinary calls between, in one channel */
  MPI_Isend(OUT, other, 20, WORLD, &r[0]);
  MPI_Sendrecv(OUT, other, 20, IN, other, 20, WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(IN, other, 20, WORLD, MPI_STATUS_IGNORE);
  wait_one(&r[0]);
  /* a chain: its ends send to nobody and receive from nobody */
  if (rank == 0)
    MPI_Sendrecv(OUT, 1, 21, in[MOST - 1], 2, MPI_LONG, MPI_PROC_NULL, 21, WORLD,
                 MPI_STATUS_IGNORE);
  else
    MPI_Sendrecv(out[MOST - 1], 2, MPI_LONG, MPI_PROC_NULL, 21, IN, 0, 21, WORLD,
                 MPI_STATUS_IGNORE);
  long *both = next_out();
  posted++;
  MPI_Sendrecv_replace(both, 2, MPI_LONG, other, 22, other, 22, WORLD, MPI_STATUS_IGNORE);
  in[posted - 1][0] = both[0];
  in[posted - 1][1] = both[1];
  MPI_Send(out[MOST - 1], 2, MPI_LONG, MPI_PROC_NULL, 1, WORLD);
  MPI_Recv(in[MOST - 1], 2, MPI_LONG, MPI_PROC_NULL, 1, WORLD, MPI_STATUS_IGNORE);
}

/* Both directions with one tag: nothing but the request tells which is which. */
static void persistent(void) {
  long own[2], got[2];
  MPI_Recv_init(got, 2, MPI_LONG, other, 30, WORLD, &r[0]);
  MPI_Send_init(own, 2, MPI_LONG, other, 30, WORLD, &r[1]);
  for (int i = 0; i < 10; i++) {
    long *to = next_in();
    memcpy(own, next_out(), sizeof own);
    if (i % 2) {
      MPI_Startall(2, r);
    } else {
      MPI_Start(&r[rank]);
      MPI_Start(&r[1 - rank]);
    }
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    memcpy(to, got, sizeof got);
  }
  MPI_Request_free(&r[0]);
  MPI_Request_free(&r[1]);
}

/* Found before they are received, and taken in another order than received. */
static void probed(void) {
  MPI_Message first, second;
  int flag = 0;
  for (int i = 0; i < 4; i++)
    MPI_Send(OUT, other, 40, WORLD);
  MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, st);
  MPI_Recv(IN, st[0].MPI_SOURCE, st[0].MPI_TAG, WORLD, MPI_STATUS_IGNORE);
  MPI_Mprobe(MPI_ANY_SOURCE, 40, WORLD, &first, MPI_STATUS_IGNORE);
  while (!flag)
    MPI_Improbe(other, 40, WORLD, &flag, &second, MPI_STATUS_IGNORE);
  MPI_Recv(IN, other, 40, WORLD, MPI_STATUS_IGNORE);
  MPI_Mrecv(IN, &first, MPI_STATUS_IGNORE);
  MPI_Imrecv(IN, &second, &r[0]);
  wait_one(&r[0]);
}

/* Cancelled, and freed before they are complete. */
static void endings(void) {
  MPI_Irecv(in[MOST - 1], 2, MPI_LONG, other, 50, WORLD, &r[0]);
  MPI_Cancel(&r[0]);
  wait_one(&r[0]);
  MPI_Barrier(WORLD);
  MPI_Isend(OUT, other, 50, WORLD, &r[0]);
  MPI_Request_free(&r[0]);
  MPI_Recv(IN, other, 50, WORLD, MPI_STATUS_IGNORE);
  MPI_Irecv(IN, other, 51, WORLD, &r[0]);
  MPI_Request_free(&r[0]);
  MPI_Send(OUT, other, 51, WORLD);
  MPI_Barrier(WORLD);
}

/* Equal tags in other communicators: turned round, copied, and between two groups. */
static void communicators(void) {
  MPI_Comm reversed, copy, alone, inter;
  MPI_Comm_split(WORLD, 0, -rank, &reversed);
  MPI_Comm_dup(WORLD, &copy);
  MPI_Comm_split(WORLD, rank, 0, &alone);
  MPI_Intercomm_create(alone, 0, WORLD, other, 60, &inter);
  for (int i = 0; i < 3; i++) {
    MPI_Irecv(IN, rank, 1, reversed, &r[0]);
    MPI_Irecv(IN, other, 1, copy, &r[1]);
    MPI_Irecv(IN, 0, 1, inter, &r[2]);
    MPI_Irecv(IN, 0, 1, alone, &r[3]);
    MPI_Send(OUT, 0, 1, inter);
    MPI_Send(OUT, other, 1, copy);
    MPI_Send(OUT, 0, 1, alone);
    MPI_Send(OUT, rank, 1, reversed);
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
  }
  MPI_Comm_free(&inter);
  MPI_Comm_free(&alone);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&reversed);
}

int main(int argc, char **argv) {
  char name[32];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(WORLD, &rank);
  other = 1 - rank;
  modes();
  out_of_order();
  exchanges();
  persistent();
  probed();
  endings();
  communicators();
  MPI_Barrier(WORLD);
  snprintf(name, sizeof name, "truth-%d", rank);
  FILE *truth = fopen(name, "w");
  for (long i = 0; i < posted; i++)
    fprintf(truth, "%ld %ld\n", in[i][0], in[i][1]);
  fclose(truth);
  MPI_Finalize();
  if (rank == 0)
    printf("messages: done\n");
  return 0;
}
