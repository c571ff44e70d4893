/* unequal STEPS MOST: the last rank does MOST percent of the work that the others do, in messages
 * of the same size. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned long work(unsigned long rounds) {
  unsigned long value = 1;
  for (unsigned long i = 0; i < rounds; i++) {
    value = value * 6364136223846793005ul + 1442695040888963407ul;
    __asm__ volatile("" : "+r"(value));
  }
  return value;
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  long steps = argc == 3 ? atol(argv[1]) : 0;
  unsigned long percent = argc == 3 && rank == size - 1 ? (unsigned long)atol(argv[2]) : 100;
  unsigned long sum = 0;
  for (long step = 0; step < steps; step++) {
    unsigned long own = work(50000 * percent), all = 0;
    MPI_Allreduce(&own, &all, 1, MPI_UNSIGNED_LONG, MPI_BXOR, MPI_COMM_WORLD);
    sum ^= all + (unsigned long)step;
  }
  if (rank == 0)
    printf("checksum %016lx\n", sum);
  MPI_Finalize();
  return 0;
}
