/* Open MPI alone. Starts one process of itself and exchanges a value with it over the
 * intercommunicator. */
#include "check.h"

/* Two more, one of each of two programs. */
static void several(char *program) {
  char *programs[2] = {program, program};
  const int one_each[2] = {1, 1};
  const MPI_Info infos[2] = {MPI_INFO_NULL, MPI_INFO_NULL};
  MPI_Comm children;
  MPI_Comm_spawn_multiple(2, programs, MPI_ARGVS_NULL, one_each, infos, 0, MPI_COMM_WORLD,
                          &children, MPI_ERRCODES_IGNORE);
  for (int i = 0; i < 2; i++) {
    int value = 10 * i, got = 0;
    MPI_Send(&value, 1, MPI_INT, i, 1, children);
    MPI_Recv(&got, 1, MPI_INT, i, 2, children, MPI_STATUS_IGNORE);
    CHECK(got == 10 * i + 1);
  }
  MPI_Comm_disconnect(&children);
}

int main(int argc, char **argv) {
  MPI_Comm parent, child;
  int value = 41, got = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) {
    MPI_Recv(&got, 1, MPI_INT, 0, 1, parent, MPI_STATUS_IGNORE);
    got++;
    MPI_Send(&got, 1, MPI_INT, 0, 2, parent);
    MPI_Comm_disconnect(&parent);
    MPI_Finalize();
    return 0;
  }
  MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &child,
                 MPI_ERRCODES_IGNORE);
  if (world_rank() == 0) {
    MPI_Send(&value, 1, MPI_INT, 0, 1, child);
    MPI_Recv(&got, 1, MPI_INT, 0, 2, child, MPI_STATUS_IGNORE);
    CHECK(got == 42);
  }
  MPI_Comm_disconnect(&child);
  several(argv[0]);
  return finish("spawn");
}
