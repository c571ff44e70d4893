/* Every collective, blocking and started, on two ranks and on one; with and without MPI_IN_PLACE.
 */
#include "check.h"

static int rank, size;
static MPI_Comm comm;

static void rooted(void) {
  int value = rank + 1, all[2] = {0, 0}, counts[2] = {1, 1}, at[2] = {0, 1}, sum = 0;
  MPI_Bcast(&value, 1, MPI_INT, size - 1, comm);
  CHECK(value == size);
  value = rank + 1;
  MPI_Gather(&value, 1, MPI_INT, all, 1, MPI_INT, 0, comm);
  if (rank == 0)
    CHECK(all[0] == 1 && all[size - 1] == size);
  all[0] = 1;
  MPI_Gatherv(rank == 0 ? MPI_IN_PLACE : (void *)&value, 1, MPI_INT, all, counts, at, MPI_INT, 0,
              comm);
  if (rank == 0)
    CHECK(all[size - 1] == size);
  MPI_Scatter(all, 1, MPI_INT, rank == 0 ? MPI_IN_PLACE : (void *)&value, 1, MPI_INT, 0, comm);
  CHECK(value == rank + 1);
  MPI_Scatterv(all, counts, at, MPI_INT, &value, 1, MPI_INT, 0, comm);
  CHECK(value == rank + 1);
  MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, 0, comm);
  if (rank == 0)
    CHECK(sum == size * (size + 1) / 2);
}

static void all(void) {
  int value = rank + 1, in[2], out[2] = {5, 6}, counts[2] = {1, 1}, at[2] = {0, 1}, sum;
  int bytes_at[2] = {0, sizeof(int)};
  MPI_Datatype types[2] = {MPI_INT, MPI_INT};
  MPI_Barrier(comm);
  MPI_Allgather(&value, 1, MPI_INT, in, 1, MPI_INT, comm);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 1, MPI_INT, comm);
  CHECK(in[0] == 1 && in[size - 1] == size);
  MPI_Allgatherv(&value, 1, MPI_INT, in, counts, at, MPI_INT, comm);
  MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm);
  CHECK(in[0] == 5 + rank);
  MPI_Alltoallv(out, counts, at, MPI_INT, in, counts, at, MPI_INT, comm);
  MPI_Alltoallw(out, counts, bytes_at, types, in, counts, bytes_at, types, comm);
  CHECK(in[size - 1] == 5 + rank);
  sum = value;
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, comm);
  CHECK(sum == size * (size + 1) / 2);
  MPI_Reduce_scatter(out, &sum, counts, MPI_INT, MPI_SUM, comm);
  CHECK(sum == size * out[rank]);
  MPI_Reduce_scatter_block(out, &sum, 1, MPI_INT, MPI_SUM, comm);
  CHECK(sum == size * out[rank]);
  MPI_Scan(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
  CHECK(sum == (rank + 1) * (rank + 2) / 2);
  MPI_Exscan(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
  if (rank == 1)
    CHECK(sum == 1);
}

static void started(void) {
  int value = rank + 1, in[16][2], out[2] = {5, 6}, counts[2] = {1, 1}, at[2] = {0, 1}, n = 0;
  int bytes_at[2] = {0, sizeof(int)};
  MPI_Datatype types[2] = {MPI_INT, MPI_INT};
  MPI_Request r[17];
  MPI_Ibarrier(comm, &r[n++]);
  in[0][0] = rank;
  MPI_Ibcast(in[0], 1, MPI_INT, 0, comm, &r[n++]);
  MPI_Igather(&value, 1, MPI_INT, in[1], 1, MPI_INT, 0, comm, &r[n++]);
  MPI_Igatherv(&value, 1, MPI_INT, in[2], counts, at, MPI_INT, 0, comm, &r[n++]);
  MPI_Iscatter(out, 1, MPI_INT, in[3], 1, MPI_INT, 0, comm, &r[n++]);
  MPI_Iscatterv(out, counts, at, MPI_INT, in[4], 1, MPI_INT, 0, comm, &r[n++]);
  MPI_Iallgather(&value, 1, MPI_INT, in[5], 1, MPI_INT, comm, &r[n++]);
  MPI_Iallgatherv(&value, 1, MPI_INT, in[6], counts, at, MPI_INT, comm, &r[n++]);
  MPI_Ialltoall(out, 1, MPI_INT, in[7], 1, MPI_INT, comm, &r[n++]);
  MPI_Ialltoallv(out, counts, at, MPI_INT, in[8], counts, at, MPI_INT, comm, &r[n++]);
  MPI_Ialltoallw(out, counts, bytes_at, types, in[9], counts, bytes_at, types, comm, &r[n++]);
  MPI_Ireduce(&value, in[10], 1, MPI_INT, MPI_SUM, 0, comm, &r[n++]);
  MPI_Iallreduce(&value, in[11], 1, MPI_INT, MPI_SUM, comm, &r[n++]);
  MPI_Ireduce_scatter(out, in[12], counts, MPI_INT, MPI_SUM, comm, &r[n++]);
  MPI_Ireduce_scatter_block(out, in[13], 1, MPI_INT, MPI_SUM, comm, &r[n++]);
  MPI_Iscan(&value, in[14], 1, MPI_INT, MPI_SUM, comm, &r[n++]);
  MPI_Iexscan(&value, in[15], 1, MPI_INT, MPI_SUM, comm, &r[n++]);
  MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
  CHECK(in[0][0] == 0 && in[3][0] == out[rank] && in[6][size - 1] == size);
  CHECK(in[7][0] == out[rank] && in[11][0] == size * (size + 1) / 2);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const MPI_Comm both[] = {MPI_COMM_WORLD, MPI_COMM_SELF};
  for (int i = 0; i < 2; i++) {
    comm = both[i];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    rooted();
    all();
    started();
  }
  return finish("collectives");
}
