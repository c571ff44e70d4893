/* Programs check their own results: a line for what went wrong, and "NAME: done" from rank 0. */
#ifndef CHECK_H
#define CHECK_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* With -DLARGE, L(MPI_Send) is the large-count form of MPI-4, and counts and places are as it has
 * them. */
#ifdef LARGE
#define L(name) name##_c
typedef MPI_Count count_type;
typedef MPI_Aint place_type;
#else
#define L(name) name
typedef int count_type;
typedef int place_type;
#endif

static int failures;

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                               \
      failures++;                                                                                  \
    }                                                                                              \
  } while (0)

static inline int world_rank(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

static inline int finish(const char *name) {
  if (world_rank() == 0)
    printf("%s: done\n", name);
  fflush(stdout);
  MPI_Finalize();
  return failures ? 1 : 0;
}

#endif
