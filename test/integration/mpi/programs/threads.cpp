// Four threads per rank send and receive at once, each on a communicator of its own and on the
// world.
#include <thread>
#include <vector>

#include "check.h"

static void work(int number, MPI_Comm comm, int rank) {
  for (int i = 0; i < 50; i++) {
    int out = number * 100 + i, in = -1, sum = 0;
    MPI_Sendrecv(&out, 1, MPI_INT, 1 - rank, number, &in, 1, MPI_INT, 1 - rank, number,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(in == out);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    CHECK(sum == 1);
  }
}

int main(int argc, char **argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  const int rank = world_rank();
  if (provided != MPI_THREAD_MULTIPLE)
    return finish("threads");
  std::vector<MPI_Comm> comms(4);
  for (auto &comm : comms)
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++)
    threads.emplace_back(work, i, comms[static_cast<size_t>(i)], rank);
  for (auto &thread : threads)
    thread.join();
  for (auto &comm : comms)
    MPI_Comm_free(&comm);
  return finish("threads");
}
