/* What has broken programs under tools that keep books of communicators and windows, one kind per
 * run: symptoms_objects KIND. */
#include <string.h>

#include "check.h"

#define WORLD MPI_COMM_WORLD

static int rank, other;

static void self(void) {
  int in = -1, out = rank, sum = 0;
  for (int i = 0; i < 100; i++) {
    MPI_Sendrecv(&out, 1, MPI_INT, 0, i, &in, 1, MPI_INT, 0, i, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    CHECK(in == rank);
    MPI_Allreduce(&out, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    CHECK(sum == rank);
  }
}

/* Handles of freed communicators come again, with other members and ranks in another order. */
static void reuse(void) {
  MPI_Comm comm;
  for (int i = 0; i < 3000; i++) {
    int value = rank;
    MPI_Comm_split(WORLD, i % 3 == 2 ? rank : 0, i % 3 == 0 ? rank : -rank, &comm);
    MPI_Bcast(&value, 1, MPI_INT, 0, comm);
    CHECK(value == (i % 3 == 2 ? rank : i % 3));
    MPI_Comm_free(&comm);
  }
}

static void between(void) {
  MPI_Comm local, inter, merged;
  int in = -1, out = rank, sum = 0;
  MPI_Comm_split(WORLD, rank, 0, &local);
  MPI_Intercomm_create(local, 0, WORLD, other, 5, &inter);
  MPI_Comm_free(&local); /* the intercommunicator lives on */
  MPI_Sendrecv(&out, 1, MPI_INT, 0, 1, &in, 1, MPI_INT, 0, 1, inter, MPI_STATUS_IGNORE);
  CHECK(in == other);
  MPI_Allreduce(&out, &sum, 1, MPI_INT, MPI_SUM, inter);
  CHECK(sum == other);
  MPI_Intercomm_merge(inter, rank, &merged);
  MPI_Comm_free(&inter);
  MPI_Allreduce(&out, &sum, 1, MPI_INT, MPI_SUM, merged);
  CHECK(sum == 1);
  MPI_Comm_free(&merged);
}

/* Graphs without weights, with empty weights, and without any neighbour. */
static void graphs(void) {
  MPI_Comm comm;
  const int weight = 7;
  int in = -1, count, outcount, weighted;
  MPI_Dist_graph_create_adjacent(WORLD, 1, &other, MPI_UNWEIGHTED, 1, &other, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &comm);
  MPI_Dist_graph_neighbors_count(comm, &count, &outcount, &weighted);
  CHECK(count == 1 && !weighted);
  MPI_Neighbor_allgather(&rank, 1, MPI_INT, &in, 1, MPI_INT, comm);
  CHECK(in == other);
  MPI_Comm_free(&comm);
  MPI_Dist_graph_create_adjacent(WORLD, 1, &other, &weight, 1, &other, &weight, MPI_INFO_NULL, 0,
                                 &comm);
  MPI_Neighbor_alltoall(&rank, 1, MPI_INT, &in, 1, MPI_INT, comm);
  CHECK(in == other);
  MPI_Comm_free(&comm);
  MPI_Dist_graph_create_adjacent(WORLD, 0, NULL, MPI_WEIGHTS_EMPTY, 0, NULL, MPI_WEIGHTS_EMPTY,
                                 MPI_INFO_NULL, 0, &comm);
  MPI_Neighbor_allgather(&rank, 1, MPI_INT, &in, 1, MPI_INT, comm);
  MPI_Comm_free(&comm);
}

static void windows(void) {
  MPI_Win win;
  int *base, one = 1, before = -1;
  MPI_Win_allocate(sizeof *base, sizeof *base, MPI_INFO_NULL, WORLD, &base, &win);
  MPI_Win_fence(0, win);
  *base = 0;
  MPI_Win_fence(0, win);
  MPI_Put(&rank, 1, MPI_INT, other, 0, 1, MPI_INT, win);
  /* What has come is not looked at: with MPICH 4.0.2 a plain load here sees the value in every
   * other run, untraced. */
  MPI_Win_fence(0, win);
  MPI_Barrier(WORLD);
  MPI_Win_lock_all(0, win);
  MPI_Fetch_and_op(&one, &before, MPI_INT, other, 0, MPI_SUM, win);
  MPI_Win_flush(other, win);
  MPI_Win_unlock_all(win);
  MPI_Barrier(WORLD);
  MPI_Win_free(&win);
}

/* On one process nothing is moved, so that 3.36 GB take no memory. */
static void large(void) {
  MPI_Datatype mebi;
  static char buffer[8];
  MPI_Request request;
  MPI_Type_contiguous(1 << 20, MPI_DOUBLE, &mebi);
  MPI_Type_commit(&mebi);
  MPI_Bcast(buffer, 400, mebi, 0, MPI_COMM_SELF);
  MPI_Allreduce(MPI_IN_PLACE, buffer, 400 << 20, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, buffer, 400, mebi, MPI_COMM_SELF);
  MPI_Ibcast(buffer, 400, mebi, 0, MPI_COMM_SELF, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Type_free(&mebi);
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(void);
  } kinds[] = {{"self", self},     {"reuse", reuse},     {"between", between},
               {"graphs", graphs}, {"windows", windows}, {"large", large}};
  const char *kind = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  rank = world_rank();
  other = 1 - rank;
  failures = 1;
  for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(kinds[i].name, kind) == 0)
      failures = 0, kinds[i].run();
  return finish(kind);
}
