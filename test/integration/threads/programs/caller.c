/* Calls the functions of library.c. */
#include <mpi.h>
#include <stdio.h>

int library_works(void);

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (library_works() == 0)
    puts("done");
  MPI_Finalize();
  return 0;
}
