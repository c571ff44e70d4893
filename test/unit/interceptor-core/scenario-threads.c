/* Threads at once, short ones, ones still calling at the end, and kills at any point. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver.h"

#define MOST_THREADS 64

struct work {
  uint32_t program_thread;
  uint64_t calls;
};

static void *make_calls(void *data) {
  struct work *work = data;
  for (uint64_t i = 0; i < work->calls; i++)
    require(record_pattern(work->program_thread, i), "calls are recorded");
  return NULL;
}

static void run_together(struct work *work, unsigned count, void *(*body)(void *)) {
  pthread_t threads[MOST_THREADS];
  for (unsigned i = 0; i < count; i++)
    require(pthread_create(&threads[i], NULL, body, &work[i]) == 0, "threads can be made");
  for (unsigned i = 0; i < count; i++)
    pthread_join(threads[i], NULL);
}

void run_threads(long calls) {
  struct work work[8];
  start();
  for (unsigned i = 0; i < 8; i++)
    work[i] = (struct work){i, (uint64_t)calls};
  run_together(work, 8, make_calls);
  vs_finish();
}

/* In rounds of four, three calls each. */
void run_short_threads(long rounds) {
  start();
  for (long round = 0; round < rounds; round++) {
    struct work work[4];
    for (unsigned i = 0; i < 4; i++)
      work[i] = (struct work){(uint32_t)round * 4 + i, 3};
    run_together(work, 4, make_calls);
  }
  vs_finish();
}

static void *call_and_leave(void *data) {
  make_calls(data);
  _exit(0);
}

static void *call_with_errno(void *data) {
  struct work *work = data;
  for (uint64_t i = 0; i < work->calls; i++) {
    errno = 77;
    require(record_pattern(work->program_thread, i) && errno == 77, "errno is the program's");
  }
  return NULL;
}

/* Many threads that begin, seal and end at the same time, so that they wait for each other. */
void run_errno(long rounds) {
  start();
  for (long round = 0; round < rounds; round++) {
    struct work work[MOST_THREADS];
    for (unsigned i = 0; i < MOST_THREADS; i++)
      work[i] = (struct work){i, 600};
    run_together(work, MOST_THREADS, call_with_errno);
  }
  vs_finish();
}

/* One thread after the other, with a pause between, and no proper end: the calls of the last one
 * are not sealed. */
void run_successors(long microseconds) {
  start();
  for (uint32_t i = 0; i < 3; i++) {
    struct work work = {i, 3};
    run_together(&work, 1, i == 2 ? call_and_leave : make_calls);
    usleep((useconds_t)microseconds);
  }
}

static atomic_bool stop, calling[4];

static void *call_until_stopped(void *data) {
  struct work *work = data;
  while (!atomic_load(&stop)) {
    if (record_pattern(work->program_thread, work->calls))
      work->calls++;
    atomic_store(&calling[work->program_thread], true);
  }
  return NULL;
}

/* Prints how many calls of each thread were taken. A call that began before the end and came back
 * after it was taken but is in no trace: one per thread at most. */
void run_busy_finish(long microseconds) {
  struct work work[4];
  pthread_t threads[4];
  start();
  for (unsigned i = 0; i < 4; i++) {
    work[i] = (struct work){i, 0};
    pthread_create(&threads[i], NULL, call_until_stopped, &work[i]);
  }
  for (unsigned i = 0; i < 4; i++) {
    while (!atomic_load(&calling[i]))
      usleep(10);
  }
  usleep((useconds_t)microseconds);
  vs_finish();
  usleep(1000);
  atomic_store(&stop, true);
  for (unsigned i = 0; i < 4; i++) {
    pthread_join(threads[i], NULL);
    printf("taken %u %llu\n", i, (unsigned long long)work[i].calls);
  }
}

/* Shared with the killer: calls begun and calls that have come back. */
struct progress {
  _Atomic uint64_t begun[2], done[2];
  atomic_bool running;
};

static struct progress *progress;

static void *call_for_ever(void *data) {
  struct work *work = data;
  uint32_t t = work->program_thread;
  for (uint64_t i = 0;; i++) {
    atomic_store(&progress->begun[t], i + 1);
    if (!record_pattern(t, i))
      _exit(1);
    atomic_store(&progress->done[t], i + 1);
    atomic_store(&progress->running, true);
  }
  return NULL;
}

/* Kills a recording process `argument` microseconds after its first call, and prints how far it had
 * come. */
void run_kill(long argument) {
  progress =
      mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  require(progress != MAP_FAILED, "memory can be shared");
  pid_t child = fork();
  if (child == 0) {
    struct work work[2] = {{0, 0}, {1, 0}};
    start();
    run_together(work, 2, call_for_ever);
    _exit(1);
  }
  while (!atomic_load(&progress->running)) {
    int status;
    require(waitpid(child, &status, WNOHANG) == 0, "the recording process lives");
    usleep(10);
  }
  for (volatile long spin = 0; spin < argument; spin++) {
  }
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  for (unsigned t = 0; t < 2; t++)
    printf("thread %u %llu %llu\n", t, (unsigned long long)progress->done[t],
           (unsigned long long)progress->begun[t]);
}
