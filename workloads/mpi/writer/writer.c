/*
 * Computes, and has rank 0 write a block to the disk after each step: a program whose time depends
 * on the file system. Every step does the same work.
 *
 *   writer [--steps N] [--kilobytes K]     the file is made in the working folder and has no name
 *
 * Prints the seconds of the loop.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* About 2 ms of arithmetic. */
#define ITERATIONS 1500000L
/* Blocks that the file holds: it is written round and round. */
#define BLOCKS 16

static volatile unsigned long keep;

/* Depends on itself from step to step, so that no compiler makes it shorter. */
static void compute(void) {
  unsigned long state = keep;
  for (long i = 0; i < ITERATIONS; i++)
    state = state * 6364136223846793005UL + 1442695040888963407UL;
  keep = state;
}

/* False if the disk does not take it. */
static bool write_block(int file, const char *block, size_t bytes, long step) {
  const off_t place = (off_t)bytes * (step % BLOCKS);
  return pwrite(file, block, bytes, place) == (ssize_t)bytes && fdatasync(file) == 0;
}

static long option(int argc, char **argv, const char *name, long usual) {
  for (int i = 1; i + 1 < argc; i += 2)
    if (strcmp(argv[i], name) == 0)
      return strtol(argv[i + 1], NULL, 10);
  return usual;
}

static void run(int rank, long steps, size_t bytes) {
  char name[] = "writer-XXXXXX", *block = calloc(1, bytes);
  const int file = rank == 0 ? mkstemp(name) : -1;
  if (file >= 0)
    unlink(name);
  if (!block || (rank == 0 && file < 0)) {
    fprintf(stderr, "writer: no memory, or no file in the working folder\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  for (long step = 0; step < steps; step++) {
    compute();
    if (rank == 0 && !write_block(file, block, bytes, step)) {
      fprintf(stderr, "writer: cannot write to the disk\n");
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (file >= 0)
    close(file);
  free(block);
}

int main(int argc, char **argv) {
  const long steps = option(argc, argv, "--steps", 1000);
  const long kilobytes = option(argc, argv, "--kilobytes", 64);
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc % 2 == 0 || steps < 1 || kilobytes < 1 || kilobytes > 1 << 20) {
    if (rank == 0)
      fprintf(stderr, "usage: writer [--steps N] [--kilobytes K], both at least 1\n");
    MPI_Finalize();
    return 2;
  }
  const double start = MPI_Wtime();
  run(rank, steps, (size_t)kilobytes << 10);
  if (rank == 0)
    printf("steps %ld seconds %.6f\n", steps, MPI_Wtime() - start);
  MPI_Finalize();
  return 0;
}
