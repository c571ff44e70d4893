// Gets to one MPI call in several ways; exceptions, backtrace() and signals must work all the
// while.
#include <csignal>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <execinfo.h>
#include <mpi.h>
#include <stdexcept>

extern "C" int sum_over_ranks(int value);

namespace app {
static volatile int sink;
static int handled;

__attribute__((noinline)) static void first() {
  sink += sum_over_ranks(1);
}

__attribute__((noinline)) static void second() {
  sink += sum_over_ranks(2);
}

inline __attribute__((always_inline)) void inlined() {
  sink += sum_over_ranks(3);
}

__attribute__((noinline)) static void around() {
  inlined();
  sink = sink + 1;
}

__attribute__((noinline)) static void deeper(int depth) {
  if (depth == 0)
    first();
  else
    deeper(depth - 1);
  sink = sink + 1;
}

__attribute__((noinline)) static void thrower(int n) {
  first();
  if (n >= 0)
    throw std::runtime_error("thrown");
}

static void on_signal(int) {
  ++handled;
}
} // namespace app

int main(int argc, char **argv) {
  void *frames[32];
  int caught = 0;
  MPI_Init(&argc, &argv);
  std::signal(SIGUSR1, app::on_signal);
  for (int i = 0; i < 20; i++) {
    app::first();
    app::second();
    app::around();
    app::deeper(3);
    try {
      app::thrower(i);
    } catch (const std::exception &error) {
      caught += std::strcmp(error.what(), "thrown") == 0;
    }
    raise(SIGUSR1);
  }
  Dl_info where;
  dladdr(dlsym(RTLD_DEFAULT, "backtrace"), &where);
  const char *slash = std::strrchr(where.dli_fname, '/');
  const int depth = backtrace(frames, 32);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    std::printf("caught %d handled %d backtrace %d in %s sum %d\n", caught, app::handled, depth,
                slash ? slash + 1 : where.dli_fname, app::sink);
  MPI_Finalize();
  return caught == 20 && app::handled == 20 ? 0 : 1;
}
