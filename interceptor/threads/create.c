/*
 * Threads made and joined. A new thread begins in a routine of ours that notes where it comes from
 * and goes on with the program's by a tail call: nothing of ours is on its stack when it ends, by
 * whatever way.
 */
#define _GNU_SOURCE 1
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

#include "birth.h"
#include "calls.h"
#include "local.h"
#include "options.h"
#include "origin.h"
#include "real.h"
#include "wait.h"

#define REAL vs_real_threads

/* Between pthread_create and the start of the thread. Many at once are rare, but must not fail. */
#define STARTS 256

struct start {
  _Atomic uint32_t taken;
  bool mapped; /* memory of its own, not of `starts` */
  void *(*pthread)(void *);
  int (*c11)(void *);
  void *argument;
  struct vs_birth birth;
};

static struct start starts[STARTS];

static struct start *take_start(void) {
  static _Atomic uint32_t next;
  uint32_t first = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
  for (uint32_t i = 0; i < 8; i++) {
    struct start *start = &starts[(first + i) % STARTS];
    if (!atomic_exchange_explicit(&start->taken, 1, memory_order_acquire))
      return start;
  }
  struct start *start =
      mmap(NULL, sizeof *start, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED)
    return NULL;
  start->mapped = true;
  return start;
}

static void free_start(struct start *start) {
  if (start->mapped)
    munmap(start, sizeof *start);
  else
    atomic_store_explicit(&start->taken, 0, memory_order_release);
}

static struct start begin_life(void *given) {
  struct start start = *(struct start *)given;
  free_start(given);
  vs_birth = start.birth;
  return start;
}

static void *start_pthread(void *given) {
  struct start start = begin_life(given);
  return start.pthread(start.argument);
}

static int start_c11(void *given) {
  struct start start = begin_life(given);
  return start.c11(start.argument);
}

/* Whether the calling thread works for the MPI library now, so that threads it makes do, too. Where
 * nothing is recorded call sites are not looked up: nobody asks. */
static bool works_for_mpi(const void *site) {
  const struct vs_thread *self = vs_self;
  return vs_birth.foreign || vs_birth.starts_mpi || (self && self->scope) ||
         (!vs_threads_asleep() && !vs_of_program(site));
}

/* NULL: nothing to note, or no memory to note it in. */
static struct start *prepare_start(const void *routine, void *argument, const void *site) {
  bool foreign = works_for_mpi(site);
  if (vs_threads_asleep() && !foreign && !vs_birth.makes_team)
    return NULL;
  struct start *start = take_start();
  if (!start)
    return NULL;
  if (!foreign && !vs_threads_asleep() && vs_options.threads && !vs_self)
    vs_thread_attach(); /* so that the new thread's parent has a number */
  start->argument = argument;
  start->birth = (struct vs_birth){
      .start = routine,
      .parent_plus_one = vs_self ? vs_self->number + 1 : 0,
      .kind = vs_birth.makes_team ? VST_THREAD_OPENMP : VST_THREAD_PTHREAD,
      .foreign = foreign,
  };
  return start;
}

VS_EXPORT int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
                             void *(*routine)(void *), void *restrict argument) {
  struct start *start = prepare_start((const void *)routine, argument, VS_SITE);
  if (!start)
    return REAL.pthread_create(thread, attributes, routine, argument);
  uint64_t since = vs_wait_begin();
  start->pthread = routine;
  int result = REAL.pthread_create(thread, attributes, start_pthread, start);
  if (result != 0)
    free_start(start);
  vs_thread_call_end(since, VS_CALL_pthread_create, VS_SITE);
  return result;
}

VS_EXPORT int thrd_create(thrd_t *thread, thrd_start_t routine, void *argument) {
  struct start *start = prepare_start((const void *)routine, argument, VS_SITE);
  if (!start)
    return REAL.thrd_create(thread, routine, argument);
  uint64_t since = vs_wait_begin();
  start->c11 = routine;
  int result = REAL.thrd_create(thread, start_c11, start);
  if (result != thrd_success)
    free_start(start);
  vs_thread_call_end(since, VS_CALL_thrd_create, VS_SITE);
  return result;
}

/* Programs may try to join again and again: what failed at once is not recorded. */
#define JOIN(name, parameters, arguments)                                                          \
  VS_EXPORT int name parameters {                                                                  \
    if (vs_threads_asleep())                                                                       \
      return REAL.name arguments;                                                                  \
    uint64_t since = vs_wait_begin();                                                              \
    int result = REAL.name arguments;                                                              \
    if (result == 0)                                                                               \
      vs_thread_call_end(since, VS_CALL_##name, VS_SITE);                                          \
    else                                                                                           \
      vs_wait_end(since, VS_CALL_##name, VS_SITE);                                                 \
    return result;                                                                                 \
  }

JOIN(pthread_join, (pthread_t a, void **b), (a, b))
JOIN(pthread_tryjoin_np, (pthread_t a, void **b), (a, b))
JOIN(pthread_timedjoin_np, (pthread_t a, void **b, const struct timespec *c), (a, b, c))
JOIN(pthread_clockjoin_np, (pthread_t a, void **b, clockid_t c, const struct timespec *d),
     (a, b, c, d))
JOIN(thrd_join, (thrd_t a, int *b), (a, b))
