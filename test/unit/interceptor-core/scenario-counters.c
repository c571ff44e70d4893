/* Programs that know themselves what their counters must have counted: every number printed is read
 * from the kernel right after the first reading and right before the last one (`least`), and around
 * both (`most`). */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "driver.h"

enum { CPU, MINOR, MAJOR, VOLUNTARY, INVOLUNTARY, DELAY, SLICES, WALL, KINDS };
static const char *const names[KINDS] = {
    "cpu_time",  "minor_faults", "major_faults", "voluntary_switches", "involuntary_switches",
    "run_delay", "timeslices",   "wall"};

struct reading {
  unsigned long long of[KINDS];
};

static unsigned long long nanoseconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (unsigned long long)now.tv_sec * 1000000000u + (unsigned long long)now.tv_nsec;
}

static struct reading look(void) {
  struct rusage usage;
  struct reading now;
  FILE *file = fopen("/proc/thread-self/schedstat", "r");
  require(file && fscanf(file, "%*u %llu %llu", &now.of[DELAY], &now.of[SLICES]) == 2,
          "the kernel keeps schedstat");
  fclose(file);
  getrusage(RUSAGE_THREAD, &usage);
  now.of[MINOR] = (unsigned long long)usage.ru_minflt;
  now.of[MAJOR] = (unsigned long long)usage.ru_majflt;
  now.of[VOLUNTARY] = (unsigned long long)usage.ru_nvcsw;
  now.of[INVOLUNTARY] = (unsigned long long)usage.ru_nivcsw;
  now.of[CPU] = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
  now.of[WALL] = nanoseconds(CLOCK_MONOTONIC);
  return now;
}

/* errno is the program's. */
static void call(uint64_t i) {
  errno = 77;
  require(record_pattern(0, i) && errno == 77, "calls are recorded and errno is kept");
}

static void burn(unsigned long long ns) {
  unsigned long long start = nanoseconds(CLOCK_MONOTONIC);
  while (nanoseconds(CLOCK_MONOTONIC) - start < ns) {
  }
}

static void touch_pages(size_t pages) {
  size_t bytes = pages * (size_t)sysconf(_SC_PAGESIZE);
  char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require(memory != MAP_FAILED, "memory can be mapped");
  madvise(memory, bytes, MADV_NOHUGEPAGE);
  for (size_t at = 0; at < bytes; at += bytes / pages)
    memory[at] = 1;
  munmap(memory, bytes);
}

static void print_bounds(struct reading before, struct reading first, struct reading last,
                         struct reading after) {
  for (int kind = 0; kind < KINDS; kind++)
    printf("%s %llu %llu\n", names[kind], last.of[kind] - first.of[kind],
           after.of[kind] - before.of[kind]);
}

/* Another process that takes turns with this one on its core. */
static pid_t start_hog(void) {
  cpu_set_t all, one;
  int core = 0;
  sched_getaffinity(0, sizeof all, &all);
  while (!CPU_ISSET(core, &all))
    core++;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  require(sched_setaffinity(0, sizeof one, &one) == 0, "a core can be chosen");
  pid_t hog = fork();
  while (hog == 0) {
  }
  return hog;
}

/* Computes, sleeps and touches new pages for `argument` rounds; a negative one with another process
 * on its core. */
void run_counters(long argument) {
  pid_t hog = argument < 0 ? start_hog() : 0;
  start();
  struct reading before = look();
  call(0);
  struct reading first = look();
  for (long round = 0; round < labs(argument); round++) {
    for (int i = 0; i < 5; i++) {
      burn(500000);
      call((uint64_t)(6 * round + i + 1));
    }
    usleep(argument < 0 ? 0 : 1500);
    touch_pages(32);
    call((uint64_t)(6 * round + 6));
  }
  struct reading last = look();
  vs_finish();
  print_bounds(before, first, last, look());
  if (hog > 0) {
    kill(hog, SIGKILL);
    waitpid(hog, NULL, 0);
  }
}

static void *touch_between_calls(void *data) {
  struct rusage first, last;
  call(0);
  getrusage(RUSAGE_THREAD, &first);
  touch_pages(64);
  getrusage(RUSAGE_THREAD, &last);
  *(long *)data += last.ru_minflt - first.ru_minflt;
  call(1);
  return NULL;
}

/* One short thread after the other. */
void run_counter_threads(long threads) {
  long faults = 0;
  start();
  for (long i = 0; i < threads; i++) {
    pthread_t thread;
    require(pthread_create(&thread, NULL, touch_between_calls, &faults) == 0,
            "threads can be made");
    pthread_join(thread, NULL);
  }
  vs_finish();
  printf("minor_faults %ld %ld\n", faults, 2 * faults + 100 * threads);
}

static pthread_barrier_t everybody;

static void *call_and_stay(void *unused) {
  (void)unused;
  call(0);
  pthread_barrier_wait(&everybody);
  return NULL;
}

/* So many threads at once, beside the first one. */
void run_counter_crowd(long threads) {
  pthread_t *thread = calloc((size_t)threads, sizeof *thread);
  require(thread != NULL, "there is memory");
  pthread_barrier_init(&everybody, NULL, (unsigned)threads);
  start();
  call(0);
  for (long i = 0; i < threads; i++)
    require(pthread_create(&thread[i], NULL, call_and_stay, NULL) == 0, "threads can be made");
  for (long i = 0; i < threads; i++)
    pthread_join(thread[i], NULL);
  vs_finish();
  free(thread);
}

/* Closes all descriptors in the middle, and puts a pipe under every number that could have been one
 * of the recorder's: nobody may read from it or close it. */
void run_counter_descriptors(long rounds) {
  int ends[2];
  char text[8] = {0};
  start();
  for (long round = 0; round < rounds; round++) {
    burn(1000000);
    call((uint64_t)round);
    if (round != rounds / 2)
      continue;
    for (int fd = 3; fd < 2000; fd++)
      close(fd);
    require(pipe(ends) == 0 && write(ends[1], "mine", 4) == 4, "a pipe can be made");
    for (int fd = 256; fd < 1024; fd++)
      dup2(ends[0], fd);
  }
  vs_finish();
  for (int fd = 256; fd < 1024; fd++)
    require(fcntl(fd, F_GETFD) >= 0, "descriptors stay open");
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  require(read(ends[0], text, 8) == 4 && strcmp(text, "mine") == 0, "nobody read from the pipe");
}
