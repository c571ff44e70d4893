/*
 * Makes MPI calls and prints what they cost, so that running it with and without a tool shows what
 * recording costs.
 *
 *   call-rate [CALLS]                      cheap calls as fast as it can, on rank 0:
 *     probe   MPI_Iprobe that finds nothing: the cheapest call there is
 *     self    MPI_Sendrecv of nothing to oneself
 *   call-rate --work ITERATIONS CALLS      MPI_Iprobe, and computation before each, on every rank;
 *                                          prints seconds of processor time of rank 0, and how
 *                                          many calls each rank made
 *   call-rate --calibrate                  nanoseconds per iteration of that computation
 *   call-rate --pattern NAME CALLS         ns per call of one pattern, between ranks 0 and 1:
 *     self, ping-pong (8 bytes), allreduce (8 bytes), non-blocking (Irecv, Isend, Waitall)
 */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, size;

static void probe(void) {
  int found;
  MPI_Iprobe(0, 1, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
}

static void send_to_self(void) {
  MPI_Sendrecv(NULL, 0, MPI_BYTE, 0, 0, NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static double nanoseconds_per_call(void (*call)(void), long calls) {
  double start = MPI_Wtime();
  for (long i = 0; i < calls; i++)
    call();
  return (MPI_Wtime() - start) * 1e9 / (double)calls;
}

/* Depends on itself from step to step, so that no compiler makes it shorter. */
static unsigned long compute(unsigned long state, long iterations) {
  for (long i = 0; i < iterations; i++)
    state = state * 6364136223846793005UL + 1442695040888963407UL;
  return state;
}

static double processor_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static volatile unsigned long keep;

static void run_at_rate(long iterations, long calls) {
  unsigned long state = (unsigned long)rank;
  double start = processor_seconds();
  for (long i = 0; i < calls; i++) {
    state = compute(state, iterations);
    probe();
  }
  double seconds = processor_seconds() - start;
  keep = state;
  if (rank == 0)
    printf("call-rate: seconds %.6f calls %ld\n", seconds, calls);
}

static void calibrate(void) {
  double best = 1e9;
  for (int i = 0; i < 20; i++) {
    double start = processor_seconds();
    keep = compute(keep, 1000000);
    double ns = (processor_seconds() - start) * 1e3;
    if (ns < best)
      best = ns;
  }
  if (rank == 0)
    printf("call-rate: iteration %.4f ns\n", best);
}

static double buffer[2];

static void ping_pong(void) {
  int other = 1 - rank;
  if (rank == 0)
    MPI_Send(buffer, 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD);
  MPI_Recv(buffer, 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1)
    MPI_Send(buffer, 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD);
}

static void allreduce(void) {
  MPI_Allreduce(&buffer[0], &buffer[1], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void non_blocking(void) {
  MPI_Request requests[2];
  int other = 1 - rank;
  MPI_Irecv(&buffer[1], 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&buffer[0], 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

/* `calls_each`: MPI calls in one go of the pattern. */
static const struct {
  const char *name;
  void (*run)(void);
  int calls_each, ranks;
} patterns[] = {
    {"self", send_to_self, 1, 1},
    {"ping-pong", ping_pong, 2, 2},
    {"allreduce", allreduce, 1, 2},
    {"non-blocking", non_blocking, 3, 2},
};

static int run_pattern(const char *name, long calls) {
  for (unsigned i = 0; i < sizeof patterns / sizeof *patterns; i++) {
    if (strcmp(patterns[i].name, name) != 0)
      continue;
    if (size < patterns[i].ranks || size > 2)
      break;
    long rounds = calls / patterns[i].calls_each;
    nanoseconds_per_call(patterns[i].run, rounds / 20 + 1); /* warm up */
    double ns = nanoseconds_per_call(patterns[i].run, rounds) / patterns[i].calls_each;
    if (rank == 0)
      printf("call-rate: pattern %.2f ns\n", ns);
    return 0;
  }
  fprintf(stderr, "call-rate: no pattern %s on %d ranks\n", name, size);
  return 2;
}

static void run_fast(long calls) {
  if (rank != 0)
    return;
  nanoseconds_per_call(send_to_self, calls / 100); /* warm up */
  printf("call-rate: probe %.2f self %.2f ns\n", nanoseconds_per_call(probe, calls),
         nanoseconds_per_call(send_to_self, calls));
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const char *mode = argc > 1 ? argv[1] : "1000000";
  long calls = strtol(argc > 3 ? argv[3] : mode, NULL, 10);
  int status = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(mode, "--calibrate") == 0)
    calibrate();
  else if (strcmp(mode, "--work") == 0 && argc > 3 && calls > 0)
    run_at_rate(strtol(argv[2], NULL, 10), calls);
  else if (strcmp(mode, "--pattern") == 0 && argc > 3 && calls > 0)
    status = run_pattern(argv[2], calls);
  else if (calls > 0)
    run_fast(calls);
  else
    status = 2;
  if (status == 2 && rank == 0)
    fprintf(stderr, "usage: call-rate [CALLS] | --work ITERATIONS CALLS | --calibrate | "
                    "--pattern NAME CALLS\n");
  MPI_Finalize();
  return status;
}
