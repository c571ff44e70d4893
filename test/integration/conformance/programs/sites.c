/* Calls from an inline function at two places, from a loop, and through a shared library. */
#include "check.h"

void sites_library(void);

#ifdef LIBRARY
void sites_library(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  __asm__ volatile(""); /* something to come back for: no tail call */
}
#else
static inline __attribute__((always_inline)) void inlined(void) {
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  for (int i = 0; i < argc + 4; i++) /* not to be unrolled */
    inlined();
  inlined();
  for (int i = 0; i < argc + 4; i++)
    sites_library();
  return finish("sites");
}
#endif
