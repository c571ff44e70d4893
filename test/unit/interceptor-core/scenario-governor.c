/* Calls that may be left out. Each says in `bytes` which call of its thread it is, so that a trace
 * tells what is missing between two records; how many there were of each kind is printed. */
#define _GNU_SOURCE 1
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "driver.h"
#include "quick.h"

#define THREADS 4

static const char sites[4 * ALL_CALLS]; /* addresses of calls: places of quick.h differ */
static atomic_ulong made[ALL_CALLS], quick_calls;

/* The next call that goes the quick way is left by an error handler: its frame is gone before the
 * call's end. */
static _Thread_local bool leaving;

/* As a wrapper does it; true if the call was left. */
static bool make_call(uint32_t call, uint64_t number, int32_t program_thread) {
  struct vs_quick_call quick;
  struct vs_scope scope;
  if (vs_quick_begin(&quick, vs_quick_self(vs_self_offset()), call, &sites[4 * call])) {
    atomic_fetch_add(&made[call], 1);
    atomic_fetch_add(&quick_calls, 1);
    if (leaving)
      return true;
    vs_quick_end(&quick);
    return false;
  }
  struct vs_arguments arguments = {
      .bytes = number, .communicator = 0, .peer = VST_NO_PEER, .tag = program_thread};
  enum vs_handling handling = vs_begin(&scope, call, &sites[4 * call]);
  require(handling != VS_PASS, "calls are seen");
  atomic_fetch_add(&made[call], 1);
  if (handling == VS_LIGHT) {
    vs_leave(&scope);
    return false;
  }
  vs_stop(&scope);
  vs_end(&scope, &arguments);
  return false;
}

/* Mostly calls that may be left out; every 1000th one may not. */
static void make_calls(long calls, int32_t program_thread) {
  for (long i = 0; i < calls; i++)
    make_call(i % 1000 == 999 ? 4 : (uint32_t)(i % CALLS), (uint64_t)i, program_thread);
}

static void print_made(void) {
  for (unsigned call = 0; call < ALL_CALLS; call++)
    printf("%lu ", atomic_load(&made[call]));
  printf("quick %lu", atomic_load(&quick_calls));
}

/* Among calls of one state, every 1000th one that goes the quick way is left. */
void run_govern_left(long calls) {
  unsigned long left = 0;
  start();
  for (long i = 0; i < calls; i++) {
    leaving = i % 1000 == 999;
    left += make_call(0, (uint64_t)i, 0);
  }
  vs_finish();
  print_made();
  printf(" left %lu", left);
}

/* A forked child's calls are not the parent's. */
void run_govern_fork(long calls) {
  start();
  make_calls(calls, 0);
  int status = 0;
  pid_t child = fork();
  require(child >= 0, "a child can be made");
  if (child == 0) {
    struct vs_quick_call quick;
    for (uint32_t i = 0; i < 10 * CALLS; i++)
      require(!vs_quick_begin(&quick, vs_quick_self(vs_self_offset()), i % CALLS,
                              &sites[4 * (i % CALLS)]),
              "a child's calls pass");
    _exit(0);
  }
  require(waitpid(child, &status, 0) == child && status == 0, "the child's calls pass");
  make_calls(calls, 1);
  vs_finish();
  print_made();
}

void run_govern(long calls) {
  start();
  make_calls(calls, 0);
  vs_finish();
  print_made();
}

static void compute(long ns) {
  struct timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do
    clock_gettime(CLOCK_MONOTONIC, &now);
  while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < ns);
}

/* A call every two microseconds or so: far more than the budget has room to record. */
void run_govern_often(long calls) {
  start();
  for (long i = 0; i < calls; i++) {
    compute(2000);
    make_call((uint32_t)(i % CALLS), (uint64_t)i, 0);
  }
  vs_finish();
  print_made();
}

/* Rounds of calls without a pause, like an exchange with several neighbours; but between the last
 * of state 0 and the first of state 1 lies a computation of 200 us. */
void run_govern_uneven(long calls) {
  static const uint32_t round[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1,
                                   2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3,
                                   2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3};
  const long length = sizeof round / sizeof *round;
  start();
  for (long i = 0; i < calls; i++) {
    if (i % length == 8)
      compute(200000);
    make_call(round[i % length], (uint64_t)i, 0);
  }
  vs_finish();
  print_made();
}

static long calls_per_thread;

static void *thread_body(void *number) {
  make_calls(calls_per_thread, *(const int32_t *)number);
  return NULL;
}

void run_govern_threads(long calls) {
  pthread_t threads[THREADS];
  int32_t numbers[THREADS];
  calls_per_thread = calls;
  start();
  for (int i = 0; i < THREADS; i++) {
    numbers[i] = i;
    require(pthread_create(&threads[i], NULL, thread_body, &numbers[i]) == 0,
            "threads can be made");
  }
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  vs_finish();
  print_made();
}

/* The child counts its calls in shared memory until it is killed. */
void run_govern_kill(long calls) {
  atomic_ulong *done = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  require(done != MAP_FAILED, "there is memory");
  pid_t child = fork();
  require(child >= 0, "a child can be made");
  if (child == 0) {
    start();
    for (uint64_t i = 0;; i++) {
      make_call((uint32_t)(i % CALLS), i, 0);
      atomic_store(done, i + 1);
    }
  }
  while (atomic_load(done) < (unsigned long)calls)
    usleep(1000);
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  printf("%lu", atomic_load(done));
}

void run_pause(long calls) {
  start();
  uint64_t number = 0;
  for (int part = 0; part < 3; part++) {
    vs_pause(part == 1);
    for (long i = 0; i < calls; i++)
      make_call((uint32_t)(i % ALL_CALLS), number++, 0);
  }
  vs_finish();
  print_made();
}
