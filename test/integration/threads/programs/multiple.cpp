// Four std::threads per rank, each 5,000 times MPI_Sendrecv with its twin; a mutex and a condition
// in between, which nobody holds for long.
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "check.h"

static std::mutex mutex;
static std::condition_variable condition;
static int arrived;

static void work(int number, int rank, int threads) {
  for (int i = 0; i < 5000; i++) {
    int out = number * 10000 + i, in = -1;
    MPI_Sendrecv(&out, 1, MPI_INT, 1 - rank, number, &in, 1, MPI_INT, 1 - rank, number,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(in == out);
    std::lock_guard<std::mutex> guard(mutex);
  }
  std::unique_lock<std::mutex> lock(mutex);
  arrived++;
  condition.notify_all();
  condition.wait(lock, [=] { return arrived == threads; });
}

int main(int argc, char **argv) {
  start_mpi(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++)
    threads.emplace_back(work, i, rank, 4);
  for (auto &thread : threads)
    thread.join();
  CHECK(arrived == 4);
  return finish("multiple");
}
