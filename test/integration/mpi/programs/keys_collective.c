/* Every collective, blocking, started and (in MPI-4) persistent, each with its result checked;
 * keys-collective.test.ts lists the rows. keys_collective.F90 makes the same calls. */
#include <string.h>

#include "check.h"

#define D MPI_DOUBLE
#define WORLD MPI_COMM_WORLD

enum mode { BLOCKING, STARTED, PERSISTENT };

static double out[16], in[16];
static int rank, other;
static enum mode mode;
static MPI_Request request;

static void twice(void) {
  for (int i = 0; i < 2; i++) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
}

#if MPI_VERSION >= 4
#define IF_PERSISTENT(calls) calls
#define MODES 3
#else
#define IF_PERSISTENT(calls)
#define MODES 2
#endif

#define COLLECTIVE(name, started, ...)                                                             \
  do {                                                                                             \
    if (mode == BLOCKING) {                                                                        \
      L(MPI_##name)(__VA_ARGS__);                                                                  \
    } else if (mode == STARTED) {                                                                  \
      L(MPI_##started)(__VA_ARGS__, &request);                                                     \
      MPI_Wait(&request, MPI_STATUS_IGNORE);                                                       \
    } else {                                                                                       \
      IF_PERSISTENT(L(MPI_##name##_init)(__VA_ARGS__, MPI_INFO_NULL, &request); twice());          \
    }                                                                                              \
  } while (0)

/* What came in, from the first to the last element; then forgets it. */
static void expect_(const char *what, double first, int last_at, double last) {
  if (in[0] != first || in[last_at] != last) {
    printf("%s, mode %d, rank %d: %g ... %g instead of %g ... %g\n", what, (int)mode, rank, in[0],
           in[last_at], first, last);
    failures++;
  }
  memset(in, -1, sizeof in);
}

static const count_type one_two[2] = {1, 2}, ones[2] = {1, 1};
static const place_type at[2] = {0, 1}, bytes[2] = {0, 8};
static const MPI_Aint places[2] = {0, 8};

static void rooted(void) {
  memcpy(in, out, sizeof in);
  COLLECTIVE(Bcast, Ibcast, in, 2, D, 1, WORLD);
  expect_("bcast", 10, 1, 11);
  COLLECTIVE(Gather, Igather, out, 3, D, in, 3, D, 0, WORLD);
  if (rank == 0)
    expect_("gather", 0, 5, 12);
  COLLECTIVE(Gatherv, Igatherv, out, rank + 1, D, in, one_two, at, D, 0, WORLD);
  if (rank == 0)
    expect_("gatherv", 0, 2, 11);
  COLLECTIVE(Scatter, Iscatter, out, 2, D, in, 2, D, 1, WORLD);
  expect_("scatter", 10 + 2 * rank, 1, 11 + 2 * rank);
  COLLECTIVE(Scatterv, Iscatterv, out, one_two, at, D, in, rank + 1, D, 1, WORLD);
  expect_("scatterv", 10 + rank, rank, 10 + 2 * rank);
  COLLECTIVE(Reduce, Ireduce, out, in, 5, D, MPI_SUM, 1, WORLD);
  if (rank == 1)
    expect_("reduce", 10, 4, 18);
}

static void all(void) {
  const MPI_Datatype types[2] = {D, D};
  COLLECTIVE(Allgather, Iallgather, out, 2, D, in, 2, D, WORLD);
  expect_("allgather", 0, 3, 11);
  COLLECTIVE(Allgatherv, Iallgatherv, out, rank + 1, D, in, one_two, at, D, WORLD);
  expect_("allgatherv", 0, 2, 11);
  COLLECTIVE(Alltoall, Ialltoall, out, 4, D, in, 4, D, WORLD);
  expect_("alltoall", 4 * rank, 7, 10 + 4 * rank + 3);
  COLLECTIVE(Alltoallv, Ialltoallv, out, ones, at, D, in, ones, at, D, WORLD);
  expect_("alltoallv", rank, 1, 10 + rank);
  COLLECTIVE(Alltoallw, Ialltoallw, out, ones, bytes, types, in, ones, bytes, types, WORLD);
  expect_("alltoallw", rank, 1, 10 + rank);
  COLLECTIVE(Allreduce, Iallreduce, out, in, 5, D, MPI_SUM, WORLD);
  expect_("allreduce", 10, 4, 18);
  COLLECTIVE(Reduce_scatter, Ireduce_scatter, out, in, one_two, D, MPI_SUM, WORLD);
  expect_("reduce_scatter", 10 + 2 * rank, rank, 10 + 4 * rank);
  COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block, out, in, 2, D, MPI_SUM, WORLD);
  expect_("reduce_scatter_block", 10 + 4 * rank, 1, 12 + 4 * rank);
  COLLECTIVE(Scan, Iscan, out, in, 6, D, MPI_SUM, WORLD);
  expect_("scan", 10 * rank, 5, rank ? 20 : 5);
  COLLECTIVE(Exscan, Iexscan, out, in, 7, D, MPI_SUM, WORLD);
  if (rank == 1)
    expect_("exscan", 0, 6, 6);
}

/* Both neighbours are the other rank; which side a block comes from is the MPI's affair. */
static void neighbours(void) {
  const int dims[1] = {2}, periods[1] = {1};
  const MPI_Datatype types[2] = {D, D};
  MPI_Comm ring;
  MPI_Cart_create(WORLD, 1, dims, periods, 0, &ring);
  COLLECTIVE(Neighbor_allgather, Ineighbor_allgather, out, 2, D, in, 2, D, ring);
  expect_("neighbor_allgather", 10 * other, 3, 10 * other + 1);
  COLLECTIVE(Neighbor_allgatherv, Ineighbor_allgatherv, out, 1, D, in, ones, at, D, ring);
  expect_("neighbor_allgatherv", 10 * other, 1, 10 * other);
  COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall, out, 3, D, in, 3, D, ring);
  CHECK(in[0] + in[3] == 20 * other + 3);
  COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv, out, ones, at, D, in, ones, at, D, ring);
  CHECK(in[0] + in[1] == 20 * other + 1);
  COLLECTIVE(Neighbor_alltoallw, Ineighbor_alltoallw, out, ones, places, types, in, ones, places,
             types, ring);
  CHECK(in[0] + in[1] == 20 * other + 1);
  MPI_Comm_free(&ring);
}

static void barrier(void) {
  if (mode == BLOCKING)
    MPI_Barrier(WORLD);
  if (mode == STARTED) {
    MPI_Ibarrier(WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (mode == PERSISTENT) {
    IF_PERSISTENT(MPI_Barrier_init(WORLD, MPI_INFO_NULL, &request); twice());
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  rank = world_rank();
  other = 1 - rank;
  for (int i = 0; i < 16; i++)
    out[i] = 10 * rank + i;
  for (int i = 0; i < MODES; i++) {
    mode = (enum mode)i;
    barrier();
    rooted();
    all();
    neighbours();
  }
  return finish("keys_collective");
}
