/* Barriers between MPI_Pcontrol calls: those after level 0 are left out, until level 1. */
#include <mpi.h>

static void barriers(int count) {
  for (int i = 0; i < count; i++)
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  barriers(2);
  MPI_Pcontrol(0);
  barriers(3);
  MPI_Pcontrol(1);
  barriers(1);
  MPI_Pcontrol(7, "of no", 3.0, "interest");
  MPI_Pcontrol(-2);
  MPI_Finalize();
  return 0;
}
