/* Self-checks of the programs in this folder; status 1 if one failed. */
#ifndef CHECK_H
#define CHECK_H
#include <mpi.h>
#include <stdio.h>
#include <time.h>

static int failures;
#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);                                       \
      __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);                                          \
    }                                                                                              \
  } while (0)

static inline void start_mpi(int *argc, char ***argv) {
  int provided;
  MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
  CHECK(provided == MPI_THREAD_MULTIPLE);
}

static inline int finish(const char *name) {
  MPI_Finalize();
  printf("%s: %s\n", name, failures ? "failed" : "done");
  return failures != 0;
}

static inline void sleep_ms(long ms) {
  struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
  nanosleep(&time, NULL);
}

static inline struct timespec in_ms(clockid_t clock, long ms) {
  struct timespec time;
  clock_gettime(clock, &time);
  time.tv_nsec += ms * 1000000;
  time.tv_sec += time.tv_nsec / 1000000000;
  time.tv_nsec %= 1000000000;
  return time;
}
#endif
