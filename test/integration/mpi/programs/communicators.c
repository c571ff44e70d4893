/* Making, using and freeing communicators of all kinds on two ranks. */
#include "check.h"

#define WORLD MPI_COMM_WORLD

static int rank;

static int sum_over(MPI_Comm comm) {
  int value = rank + 1, sum = 0;
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
  return sum;
}

static void use_and_free(MPI_Comm comm, int expected) {
  CHECK(sum_over(comm) == expected);
  MPI_Comm_free(&comm);
  CHECK(comm == MPI_COMM_NULL);
}

static void plain(void) {
  MPI_Comm comm;
  MPI_Group group;
  MPI_Request request;
  MPI_Comm_dup(WORLD, &comm);
  use_and_free(comm, 3);
  MPI_Comm_dup_with_info(WORLD, MPI_INFO_NULL, &comm);
  use_and_free(comm, 3);
  MPI_Comm_idup(WORLD, &comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  use_and_free(comm, 3);
  MPI_Comm_split_type(WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
  use_and_free(comm, 3);
  MPI_Comm_group(WORLD, &group);
  MPI_Comm_create(WORLD, group, &comm);
  use_and_free(comm, 3);
  MPI_Comm_create_group(WORLD, group, 4, &comm);
  CHECK(sum_over(comm) == 3);
  MPI_Comm_disconnect(&comm);
  MPI_Group_free(&group);
  MPI_Comm_split(WORLD, rank == 0 ? MPI_UNDEFINED : 0, 0, &comm);
  CHECK((comm == MPI_COMM_NULL) == (rank == 0));
  if (comm != MPI_COMM_NULL)
    use_and_free(comm, 2);
  for (int i = 0; i < 600; i++) {
    MPI_Comm_split(WORLD, 0, -rank, &comm);
    if (i % 100 == 0) {
      int reversed;
      MPI_Comm_rank(comm, &reversed);
      CHECK(reversed == 1 - rank && sum_over(comm) == 3);
    }
    MPI_Comm_free(&comm);
  }
}

static void between(void) {
  MPI_Comm inter, merged;
  int value = rank, in[2] = {-1, -1};
  MPI_Intercomm_create(MPI_COMM_SELF, 0, WORLD, 1 - rank, 77, &inter);
  MPI_Sendrecv(&value, 1, MPI_INT, 0, 1, in, 1, MPI_INT, 0, 1, inter, MPI_STATUS_IGNORE);
  CHECK(in[0] == 1 - rank);
  MPI_Allgather(&value, 1, MPI_INT, in, 1, MPI_INT, inter);
  CHECK(in[0] == 1 - rank);
  MPI_Bcast(&value, 1, MPI_INT, rank == 0 ? MPI_ROOT : 0, inter);
  CHECK(value == 0);
  MPI_Intercomm_merge(inter, rank, &merged);
  use_and_free(merged, 3);
  MPI_Comm_free(&inter);
}

/* On a ring of two, both neighbours are the other rank. */
static void neighbours(MPI_Comm ring) {
  int out[2] = {rank, rank}, in[2] = {-1, -1}, counts[2] = {1, 1}, at[2] = {0, 1};
  MPI_Aint bytes_at[2] = {0, sizeof(int)};
  MPI_Datatype types[2] = {MPI_INT, MPI_INT};
  MPI_Request r[5];
  MPI_Neighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, ring);
  MPI_Neighbor_allgatherv(out, 1, MPI_INT, in, counts, at, MPI_INT, ring);
  MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, ring);
  MPI_Neighbor_alltoallv(out, counts, at, MPI_INT, in, counts, at, MPI_INT, ring);
  MPI_Neighbor_alltoallw(out, counts, bytes_at, types, in, counts, bytes_at, types, ring);
  CHECK(in[0] == 1 - rank && in[1] == 1 - rank);
  int later[5][2];
  MPI_Ineighbor_allgather(out, 1, MPI_INT, later[0], 1, MPI_INT, ring, &r[0]);
  MPI_Ineighbor_allgatherv(out, 1, MPI_INT, later[1], counts, at, MPI_INT, ring, &r[1]);
  MPI_Ineighbor_alltoall(out, 1, MPI_INT, later[2], 1, MPI_INT, ring, &r[2]);
  MPI_Ineighbor_alltoallv(out, counts, at, MPI_INT, later[3], counts, at, MPI_INT, ring, &r[3]);
  MPI_Ineighbor_alltoallw(out, counts, bytes_at, types, later[4], counts, bytes_at, types, ring,
                          &r[4]);
  MPI_Waitall(5, r, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 5; i++)
    CHECK(later[i][0] == 1 - rank && later[i][1] == 1 - rank);
  MPI_Comm_free(&ring);
}

static void topologies(void) {
  MPI_Comm comm, row;
  int dims[2] = {2, 1}, periods[2] = {1, 1}, keep[2] = {1, 0};
  int index[2] = {2, 4}, edges[4] = {1, 1, 0, 0}, both[2] = {1 - rank, 1 - rank};
  int node = rank, degree = 2;
  MPI_Cart_create(WORLD, 2, dims, periods, 0, &comm);
  MPI_Cart_sub(comm, keep, &row);
  MPI_Comm_free(&comm);
  neighbours(row);
  MPI_Graph_create(WORLD, 2, index, edges, 0, &comm);
  neighbours(comm);
  MPI_Dist_graph_create_adjacent(WORLD, 2, both, MPI_UNWEIGHTED, 2, both, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &comm);
  neighbours(comm);
  MPI_Dist_graph_create(WORLD, 1, &node, &degree, both, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
  neighbours(comm);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  rank = world_rank();
  plain();
  between();
  topologies();
  return finish("communicators");
}
