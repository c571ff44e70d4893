#define _GNU_SOURCE 1
#include "speed.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "clock.h"
#include "counter_sources.h"
#include "file.h"
#include "gate.h"
#include "local.h"
#include "lock.h"
#include "options.h"
#include "speed_works.h"

/* Of the budget; without one to keep, as if it were 1 %. */
#define SHARE_OF_BUDGET 0.03
#define USUAL_BUDGET 0.01

/* Rounds at the start, after one that finds caches and pages cold, and at the end: a rank that is
 * never probed in between can be compared, too. */
#define ROUNDS_AT_ENDS 3u

/* So that no product overflows, however small the budget. */
#define MOST_TIMES (1u << 30)

/* A call waits long enough if it takes so many rounds' time on average. */
#define ROUNDS_IN_CALL 2u
/* Calls looked at in a row for one that does. */
#define MOST_TRIES 32u
/* A round is made in any call that may wait when it is late by so many distances. */
#define LATE 2u
/* No more than about so many rounds per doubling of the run's length, once there are some. */
#define ROUNDS_OF_RUN 512u

/* Used by the first thread alone. */
static struct {
  uint64_t due, started; /* ticks; due UINT64_MAX: never */
  uint64_t cost;         /* ticks that a round takes: rises as a mean, falls at once */
  uint64_t times_apart;  /* so many costs lie between two rounds */
  uint32_t tries;
  bool overdue; /* a reminder was given since the last round */
} speed = {.due = UINT64_MAX};

static uint64_t cpu_ns(void) {
  struct timespec used;
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used) != 0)
    return 0;
  return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

/* Second number of schedstat; a kernel that keeps none shows zeros (as counter_sources.c). */
static uint64_t delay_ns(void) {
  char text[96], *at;
  if (!vs_read_text("/proc/thread-self/schedstat", text, sizeof text))
    return VST_DELAY_NOT_TOLD;
  strtoull(text, &at, 10);
  uint64_t delay = strtoull(at, &at, 10);
  return strtoull(at, NULL, 10) > 0 ? delay : VST_DELAY_NOT_TOLD;
}

static void time_works(struct vst_probe *probes) {
  uint64_t delay = delay_ns();
  for (unsigned i = 0; i < VS_PROBE_KINDS; i++) {
    const struct vs_probe_work *work = &vs_probe_works[i];
    struct vst_probe *probe = &probes[i];
    int core = sched_getcpu();
    if (work->prepare)
      work->prepare();
    probe->kind = work->kind;
    probe->core = core < 0 ? VST_NO_NUMBER : (uint32_t)core;
    probe->delay_ns = delay;
    probe->total_cpu_ns = cpu_ns();
    probe->tick = vs_tick();
    work->run();
    probe->ticks = vs_tick() - probe->tick;
    probe->cpu_ns = cpu_ns() - probe->total_cpu_ns;
  }
}

static uint64_t apart(uint64_t now) {
  uint64_t by_cost = speed.cost * speed.times_apart;
  uint64_t by_length = (now - speed.started) / ROUNDS_OF_RUN;
  return by_cost > by_length ? by_cost : by_length;
}

/* The lock counts the time since `since` as the tool's own. */
static void keep(const struct vst_probe *probes, uint64_t since) {
  struct vst_block block = {
      .type = VST_BLOCK_PROBES, .thread = vs_self ? vs_self->number : 0, .count = VS_PROBE_KINDS};
  struct vs_lock lock;
  vs_lock_since(&lock, since);
  if (vs_mode() == VS_RECORDING && !vs_file_limited())
    vs_file_append(&block, &(struct vs_part){probes, VS_PROBE_KINDS * sizeof *probes}, 1);
  vs_unlock(&lock);
}

void vs_speed_probe(void) {
  struct vst_probe probes[VS_PROBE_KINDS];
  sigset_t every, before;
  int cancellation, error = errno;
  sigfillset(&every);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellation);
  pthread_sigmask(SIG_BLOCK, &every, &before);
  uint64_t start = vs_tick();
  time_works(probes);
  keep(probes, start);
  uint64_t end = vs_tick(), took = vs_clock_plausible(end - start);
  /* Others on the core make a round longer, once: the distance must not stay long for that. */
  bool less = !speed.cost || took < speed.cost;
  speed.cost = less ? took + 1 : (7 * speed.cost + took) / 8 + 1;
  speed.due = end + apart(end);
  speed.tries = 0;
  speed.overdue = false;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_setcancelstate(cancellation, NULL);
  errno = error;
}

void vs_speed_start(void) {
  struct vst_probe cold[VS_PROBE_KINDS];
  if (!vs_options.probes || (!vs_options.full && vs_options.budget <= 0))
    return;
  vs_probe_works_start();
  double budget = vs_options.full ? USUAL_BUDGET : vs_options.budget;
  double times = 1 / (SHARE_OF_BUDGET * budget);
  speed.times_apart = times < MOST_TIMES ? (uint64_t)times : MOST_TIMES;
  speed.started = vs_tick();
  time_works(cold);
  for (unsigned i = 0; i < ROUNDS_AT_ENDS; i++)
    vs_speed_probe();
}

void vs_speed_remind(struct vs_thread *thread, uint64_t now) {
  if (thread->number != 0 || now < speed.due)
    return;
  speed.tries = 0;
  speed.overdue = true;
  thread->governor.until_probe = 1;
}

void vs_speed_remind_again(struct vs_thread *thread) {
  if (thread->number == 0 && speed.overdue)
    thread->governor.until_probe = 1;
}

static bool may_wait(uint32_t category) {
  return category == VST_CATEGORY_RECEIVE || category == VST_CATEGORY_SENDRECV ||
         category == VST_CATEGORY_WAIT || category == VST_CATEGORY_PROBE ||
         category == VST_CATEGORY_COLLECTIVE || category == VST_CATEGORY_WINDOW_SYNC;
}

bool vs_speed_wanted(struct vs_thread *thread, const struct vs_plan *plan, uint32_t category,
                     uint64_t now) {
  if (thread->number != 0 || now < speed.due)
    return false;
  if (may_wait(category)) {
    bool late = now - speed.due >= LATE * apart(now);
    if (late || (plan && plan->inside >= ROUNDS_IN_CALL * speed.cost))
      return true;
  }
  if (++speed.tries < MOST_TRIES)
    thread->governor.until_probe = 1;
  return false;
}

void vs_speed_finish(void) {
  if (speed.due == UINT64_MAX || !vs_self || vs_self->number != 0 || vs_mode() != VS_RECORDING)
    return;
  for (unsigned i = 0; i < ROUNDS_AT_ENDS; i++)
    vs_speed_probe();
}
