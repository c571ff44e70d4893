/* Every call that makes or frees a communicator, in a fixed sequence;
 * keys-communicators.test.ts lists the rows. keys_communicators.F90 makes the same calls. */
#include "check.h"

#define WORLD MPI_COMM_WORLD
#define INFO MPI_INFO_NULL

static int rank, other;

static double sum_over(MPI_Comm comm) {
  double value = rank + 1, sum = 0;
  MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
  return sum;
}

static void use(MPI_Comm *comm, double expected) {
  CHECK(sum_over(*comm) == expected);
  MPI_Comm_free(comm);
  CHECK(*comm == MPI_COMM_NULL);
}

static void copies(void) {
  MPI_Comm comm;
  MPI_Request request;
  MPI_Comm_dup(WORLD, &comm), use(&comm, 3);
  MPI_Comm_dup_with_info(WORLD, INFO, &comm), use(&comm, 3);
  MPI_Comm_idup(WORLD, &comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE), use(&comm, 3);
#if MPI_VERSION >= 4
  MPI_Comm_idup_with_info(WORLD, INFO, &comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE), use(&comm, 3);
#endif
}

static void parts(void) {
  MPI_Comm comm;
  MPI_Group group;
  MPI_Comm_split(WORLD, rank, 0, &comm), use(&comm, rank + 1);
  MPI_Comm_split_type(WORLD, MPI_COMM_TYPE_SHARED, 0, INFO, &comm), use(&comm, 3);
  MPI_Comm_group(WORLD, &group);
  MPI_Comm_create(WORLD, group, &comm), use(&comm, 3);
  MPI_Comm_create_group(WORLD, group, 4, &comm);
  CHECK(sum_over(comm) == 3);
  MPI_Comm_disconnect(&comm);
#if MPI_VERSION >= 4
  MPI_Comm_create_from_group(group, "varscope", INFO, MPI_ERRORS_ARE_FATAL, &comm);
  use(&comm, 3);
#endif
  MPI_Group_free(&group);
}

static void topologies(void) {
  const int dims[2] = {2, 1}, periods[2] = {1, 1}, keep[2] = {1, 0};
  const int index[2] = {1, 2}, edges[2] = {1, 0}, degree = 1;
  MPI_Comm comm, row;
  MPI_Cart_create(WORLD, 2, dims, periods, 0, &comm);
  MPI_Cart_sub(comm, keep, &row), use(&row, 3);
  MPI_Comm_free(&comm);
  MPI_Graph_create(WORLD, 2, index, edges, 0, &comm), use(&comm, 3);
  MPI_Dist_graph_create(WORLD, 1, &rank, &degree, &other, MPI_UNWEIGHTED, INFO, 0, &comm);
  use(&comm, 3);
  MPI_Dist_graph_create_adjacent(WORLD, 1, &other, MPI_UNWEIGHTED, 1, &other, MPI_UNWEIGHTED, INFO,
                                 0, &comm);
  use(&comm, 3);
}

/* Sums over the remote group. */
static void between(void) {
  MPI_Comm comm, merged;
  MPI_Intercomm_create(MPI_COMM_SELF, 0, WORLD, other, 7, &comm);
  CHECK(sum_over(comm) == other + 1);
  MPI_Intercomm_merge(comm, rank, &merged), use(&merged, 3);
  MPI_Comm_free(&comm);
#if MPI_VERSION >= 4
  MPI_Group world, own, remote;
  MPI_Comm_group(WORLD, &world);
  MPI_Group_incl(world, 1, &rank, &own);
  MPI_Group_incl(world, 1, &other, &remote);
  MPI_Intercomm_create_from_groups(own, 0, remote, 0, "varscope", INFO, MPI_ERRORS_ARE_FATAL,
                                   &comm);
  use(&comm, other + 1);
  MPI_Group_free(&world), MPI_Group_free(&own), MPI_Group_free(&remote);
#endif
}

int main(int argc, char **argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  rank = world_rank();
  other = 1 - rank;
  topologies(); /* first: after other communicators, Open MPI 4.1.4 at times hangs in one */
  copies();
  parts();
  between();
  return finish("keys_communicators");
}
