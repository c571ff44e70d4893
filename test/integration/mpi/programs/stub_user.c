#include <stdio.h>

int MPI_Init(int *argc, char ***argv);
int MPI_Barrier(int comm);
int MPI_Finalize(void);

int main(int argc, char **argv) {
  if (MPI_Init(&argc, &argv) || MPI_Barrier(5) || MPI_Finalize())
    return 1;
  return puts("stub: done") < 0;
}
