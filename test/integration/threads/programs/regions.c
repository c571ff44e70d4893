/* OpenMP regions of all kinds that a compiler makes other calls for, 3 threads each; MPI calls
 * inside. Results are checked, and what a trace must hold is told by the test. */
#include <omp.h>

#include "check.h"

static void call_once(void) {
  int flag;
  MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  long sum = 0, count[3] = {0};
  start_mpi(&argc, &argv);
  omp_set_num_threads(3);
  omp_set_dynamic(0);
  for (int round = 0; round < 10; round++) {
#pragma omp parallel
    {
      call_once();
#pragma omp barrier
      count[omp_get_thread_num()]++;
    }
  }
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 100; i++)
    sum += i;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
  for (int i = 0; i < 100; i++)
    sum += i;
#pragma omp parallel for schedule(guided) reduction(+ : sum)
  for (int i = 0; i < 100; i++)
    sum += i;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
  for (int i = 0; i < 100; i++)
    sum += i;
#pragma omp parallel sections reduction(+ : sum)
  {
#pragma omp section
    sum += 1;
#pragma omp section
    sum += 2;
  }
#pragma omp parallel if (0)
  count[0]++;
  CHECK(sum == 4 * 4950 + 3);
  CHECK(count[0] == 11 && count[1] == 10 && count[2] == 10);
  return finish("regions");
}
