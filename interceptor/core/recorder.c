#define _GNU_SOURCE 1
#include "recorder.h"

#include <stdio.h>
#include <stdlib.h>

#include "birth.h"
#include "calibrate.h"
#include "clock.h"
#include "file.h"
#include "forked.h"
#include "gate.h"
#include "governor.h"
#include "local.h"
#include "lock.h"
#include "options.h"
#include "paths.h"
#include "process.h"
#include "quick.h"
#include "speed.h"
#include "states.h"

static struct {
  const struct vs_call_info *calls;
  uint32_t call_count;
  uint64_t seal_age;        /* ticks in about a second: how old a staged record may grow */
  _Atomic uint32_t started; /* a process records once */
} recorder;

uint64_t vs_now(void) {
  vs_clock_prepare();
  return vs_tick();
}

bool vs_recording(void) {
  return vs_mode() == VS_RECORDING;
}

/* Farther apart, two frames may lie on different stacks, and the memory between them may be
 * unmapped. */
#define NEAR_BYTES 65536u

/*
 * A call is on record already, so this one comes from inside it, or from a signal handler that
 * broke into it: both pass through. Unless the frame of the call on record is gone, because an
 * error handler left it by an exception or longjmp. Stacks grow downwards, so a frame at or above
 * it proves that; below, other frames have most likely overwritten it.
 */
static __attribute__((noinline, no_sanitize("address"))) bool
call_was_left(const struct vs_thread *thread, const struct vs_scope *scope) {
  const struct vs_scope *outer = thread->scope;
  if (atomic_load_explicit(&thread->busy, memory_order_relaxed))
    return false;
  if ((uintptr_t)scope >= (uintptr_t)outer)
    return true;
  if ((uintptr_t)outer - (uintptr_t)scope > NEAR_BYTES)
    return false;
  return outer->thread != thread || outer->enter != thread->enter;
}

static inline uint32_t state_of(uint32_t call, const void *site) {
  uint32_t state = vs_table_find(&vs_states, vs_site_key(call, site));
  if (__builtin_expect(state != VS_NOT_FOUND, 1))
    return state;
  if (call >= recorder.call_count || vs_mode() != VS_RECORDING)
    return VS_NOT_FOUND;
  return vs_state_define(recorder.calls, call, site);
}

/* The state of `call` on the path that led to `site`; where that cannot be told, at the site. */
static uint32_t state_on_path(struct vs_thread *thread, uint32_t call, const void *site) {
  if (call >= recorder.call_count || vs_mode() != VS_RECORDING)
    return VS_NOT_FOUND;
  uint32_t path = vs_path_find(thread, site);
  if (path == VS_NOT_FOUND)
    return state_of(call, site);
  uint32_t state = vs_table_find(&vs_states, vs_path_key(call, path));
  if (__builtin_expect(state != VS_NOT_FOUND, 1))
    return state;
  return vs_state_define_on_path(recorder.calls, call, site, path);
}

/* Threads that the MPI library made for itself have no part in the graph. One that calls MPI by its
 * public names was made by the program in a callback, after all. */
static __attribute__((noinline)) struct vs_thread *first_call(uint32_t call) {
  bool outside_mpi =
      call < recorder.call_count && recorder.calls[call].category >= VST_CATEGORY_IO_OPEN;
  if (vs_thread_is_foreign() && outside_mpi)
    return NULL;
  vs_birth.foreign = false;
  return vs_thread_attach();
}

/* Category of a call whose state is known to be defined. */
static inline struct vs_plan *plan_of(struct vs_thread *thread, uint32_t state, uint32_t call) {
  struct vs_governor *governor = &thread->governor;
  if (__builtin_expect(state < governor->plan_count && governor->plans[state].classes, 1))
    return &governor->plans[state];
  if (state == VS_NOT_FOUND || !thread->staging || call >= recorder.call_count)
    return NULL;
  return vs_governor_plan(thread, state, (uint32_t)recorder.calls[call].category);
}

/* A call left out may start or complete requests that a recorded one noted. */
static inline void note_requests(bool recorded) {
  _Atomic uint32_t *noted = &vs_gate_page()->requests;
  uint32_t before = atomic_load_explicit(noted, memory_order_relaxed);
  if (before == recorded)
    return;
  if (!recorded)
    atomic_fetch_add(&vs_light_epoch, 1);
  atomic_store_explicit(noted, recorded, memory_order_relaxed);
}

/* As many calls as need neither be measured nor end the pause. */
static inline void grant_quick(struct vs_thread *thread) {
  const struct vs_governor *governor = &thread->governor;
  if (!(governor->left_out && thread->quick.timed_mask))
    return;
  uint32_t calls = governor->until_probe;
  if (governor->pause > 0 && governor->turn < calls)
    calls = governor->turn;
  thread->quick.given = calls - 1;
  __atomic_store_n(&thread->quick.left, calls - 1, __ATOMIC_RELAXED);
}

/* Call paths can be told by the usual way alone. */
static inline void learn_quick(struct vs_thread *thread, uint32_t call, const void *site,
                               const struct vs_plan *plan) {
  if (vs_options.call_path_frames > 0 || !(plan->classes & thread->governor.left_out))
    return;
  *vs_quick_place(thread, site) = (struct vs_quick_entry){
      site, plan->count, plan->requests ? VS_GATE_MODE | VS_GATE_REQUESTS : VS_GATE_MODE, call, 0};
}

/* Untimed calls have enter 0. */
static enum vs_handling begin_light(struct vs_thread *thread, struct vs_scope *scope, uint32_t call,
                                    const void *site) {
  struct vs_plan *plan = scope->plan;
  if (__builtin_expect(!plan->count, 0))
    plan->count = vs_counts_add(thread, scope->state);
  learn_quick(thread, call, site, plan);
  if (plan->requests)
    note_requests(false);
  bool timed = (plan->count->calls & thread->quick.timed_mask) == 0;
  if (__builtin_expect(scope->probe != 0, 0))
    scope->exit = vs_tick();
  thread->enter = scope->enter = timed ? vs_tick() : 0;
  return VS_LIGHT;
}

/* Readings count as the tool's own time already, so such a call says nothing about the cost of
 * calls. */
static uint64_t read_counters(struct vs_thread *thread, struct vs_scope *scope, uint64_t now) {
  uint64_t after = vs_counters_read(thread, now);
  thread->governor.tool += vs_clock_plausible(after - now);
  scope->probe = 0;
  return after;
}

/* The round's time is inside the call, which waits anyway; so it says nothing about the cost of
 * calls. */
static __attribute__((noinline)) void probe_if_wanted(struct vs_thread *thread,
                                                      struct vs_scope *scope, uint32_t call) {
  if (call >= recorder.call_count)
    return;
  uint32_t category = (uint32_t)recorder.calls[call].category;
  if (!vs_speed_wanted(thread, scope->plan, category, scope->enter))
    return;
  vs_speed_probe();
  scope->probe = 0;
}

enum vs_handling vs_begin(struct vs_scope *scope, uint32_t call, const void *site) {
  if (__builtin_expect(vs_mode() == VS_ASLEEP, 0))
    return VS_PASS;
  struct vs_thread *thread = vs_self;
  if (__builtin_expect(!thread, 0) && !(thread = first_call(call)))
    return VS_PASS;
  struct vs_governor *governor = &thread->governor;
  if (__builtin_expect(thread->scope != NULL, 0)) {
    if (!call_was_left(thread, scope))
      return VS_PASS;
    if (thread->enter != VS_COUNTED)
      vs_thread_count_lost(thread);
  }
  vs_quick_settle(thread);
  thread->scope = scope;
  scope->thread = thread;
  scope->probe = 0;
  if (__builtin_expect(--governor->until_probe == 0, 0)) {
    governor->until_probe = governor->probe_every;
    scope->probe = vs_tick();
  }
  scope->state =
      vs_options.call_path_frames == 0 ? state_of(call, site) : state_on_path(thread, call, site);
  struct vs_plan *plan = scope->plan = plan_of(thread, scope->state, call);
  uint32_t left_out = governor->left_out | atomic_load_explicit(&vs_left_out, memory_order_relaxed);
  if (plan && plan->classes & left_out)
    return begin_light(thread, scope, call, site);
  if (plan && plan->requests)
    note_requests(true);
  /* Asked before counters are read, which they are at every call of a program with few. */
  bool looked_at = scope->probe != 0;
  thread->enter = scope->enter = vs_tick();
  if (__builtin_expect(scope->enter >= thread->counters.due, 0))
    thread->enter = scope->enter = read_counters(thread, scope, scope->enter);
  if (__builtin_expect(looked_at, 0))
    probe_if_wanted(thread, scope, call);
  return VS_RECORD;
}

/* Own cost of a call left out: before the real call, and after it. */
static __attribute__((noinline)) void measure_light(struct vs_scope *scope, uint64_t left) {
  struct vs_governor *governor = &scope->thread->governor;
  uint64_t before = scope->exit - scope->probe, after = vs_tick() - left;
  if (scope->enter)
    vs_governor_measured(governor, &governor->light, before + after, 0);
  else
    vs_governor_measured(governor, &governor->lightest, before + after, 2);
}

void vs_leave(struct vs_scope *scope) {
  struct vs_thread *thread = scope->thread;
  struct vs_governor *governor = &thread->governor;
  struct vst_staging *staging = thread->staging;
  struct vs_plan *plan = scope->plan;
  uint64_t exit = scope->enter || scope->probe ? vs_tick() : 0;
  if (__builtin_expect(thread->scope != scope, 0))
    return; /* counted as lost already */
  if (__builtin_expect(vs_mode() == VS_ASLEEP, 0)) {
    thread->scope = NULL;
    return;
  }
  __atomic_store_n(&staging->intercepted, staging->intercepted + 1, __ATOMIC_RELAXED);
  vs_count_call(plan->count);
  if (scope->enter) {
    vs_count_time(thread, plan->count, exit > scope->enter ? exit - scope->enter : 0, exit);
    if (__builtin_expect(exit >= governor->next_turn, 0))
      vs_governor_turn(thread, exit);
  }
  __atomic_store_n(&staging->sampled_out, staging->sampled_out + 1, __ATOMIC_RELEASE);
  if (plan->classes & VS_THINNED && __builtin_expect(--governor->turn == 0, 0))
    vs_governor_flip(thread);
  if (__builtin_expect(scope->probe != 0, 0))
    measure_light(scope, exit);
  grant_quick(thread);
  atomic_signal_fence(memory_order_seq_cst);
  thread->scope = NULL;
}

void vs_stop(struct vs_scope *scope) {
  scope->exit = vs_tick();
}

static __attribute__((noinline)) void seal(struct vs_thread *thread) {
  struct vs_lock lock;
  vs_lock(&lock);
  if (vs_mode() == VS_RECORDING && thread->number != VS_NO_THREAD) {
    vs_thread_seal(thread);
    vs_file_append_clock(recorder.seal_age);
    thread->governor.sealing += vs_clock_plausible(vs_tick() - lock.since);
  }
  vs_unlock(&lock);
}

/* The counters are stored last and in this order: whenever the process is killed, `written` covers
 * complete records only, and `intercepted` is ahead by one call at most. */
static inline void record(struct vs_thread *thread, const struct vs_scope *scope,
                          const struct vs_arguments *arguments) {
  struct vst_staging *staging = thread->staging;
  struct vst_record *slot = &thread->slots[thread->staged];
  uint64_t enter = scope->enter > thread->last_exit ? scope->enter : thread->last_exit;
  uint64_t exit = scope->exit > enter ? scope->exit : enter;
  uint64_t left_out = staging->sampled_out - thread->told;
  struct vs_plan *plan = scope->plan;
  if (plan) {
    uint64_t before = left_out || !thread->last_exit ? 0 : enter - thread->last_exit;
    plan->recorded++;
    plan->ticks += exit - enter + before;
    if (before)
      thread->governor.plans[thread->governor.last].ticks += before;
    thread->governor.last = scope->state;
  }
  thread->told += left_out;
  thread->last_exit = exit;
  slot->enter = enter;
  slot->exit = exit;
  slot->bytes = arguments->bytes;
  slot->state = scope->state;
  slot->communicator = arguments->communicator;
  slot->peer = arguments->peer;
  slot->tag = arguments->tag;
  slot->requests = arguments->requests;
  slot->completed = arguments->completed;
  slot->skipped = left_out < UINT32_MAX ? (uint32_t)left_out : UINT32_MAX;
  __atomic_store_n(&staging->intercepted, staging->intercepted + 1, __ATOMIC_RELEASE);
  __atomic_store_n(&staging->written, staging->written + 1, __ATOMIC_RELEASE);
  thread->staged++;
  if (__builtin_expect(thread->staged == thread->capacity, 0) ||
      __builtin_expect(exit - thread->slots[0].enter > recorder.seal_age, 0))
    seal(thread);
}

/* True if the governor's turn has come before its time. */
static __attribute__((noinline)) bool measure_record(struct vs_thread *thread,
                                                     const struct vs_scope *scope) {
  struct vs_governor *governor = &thread->governor;
  struct vs_plan *plan = scope->plan;
  vs_governor_measured(governor, &governor->record,
                       scope->enter - scope->probe + (vs_tick() - scope->exit), 0);
  uint64_t inside = scope->exit > scope->enter ? scope->exit - scope->enter : 0;
  plan->inside = plan->inside > 0 ? (3 * plan->inside + inside) / 4 : inside;
  return thread->staging && thread->staging->written > governor->record_limit;
}

/* The governor's part of a call that was recorded and has a plan. */
static inline void govern(struct vs_thread *thread, struct vs_scope *scope) {
  struct vs_governor *governor = &thread->governor;
  struct vs_plan *plan = scope->plan;
  if (plan->classes & VS_THINNED && --governor->turn == 0)
    vs_governor_flip(thread);
  if (plan->requests)
    note_requests(true);
  bool due = scope->exit >= governor->next_turn;
  if (__builtin_expect(scope->probe != 0, 0))
    due |= measure_record(thread, scope);
  if (__builtin_expect(due, 0))
    vs_governor_turn(thread, vs_tick());
  grant_quick(thread);
}

void vs_end(struct vs_scope *scope, const struct vs_arguments *arguments) {
  struct vs_thread *thread = scope->thread;
  if (__builtin_expect(thread->scope != scope, 0))
    return; /* counted as lost already */
  atomic_store_explicit(&thread->busy, 1, memory_order_relaxed);
  atomic_signal_fence(memory_order_seq_cst);
  enum vs_mode mode = vs_mode();
  if (__builtin_expect(mode == VS_RECORDING, 1)) {
    bool room = thread->staging && thread->staged < thread->capacity && !vs_file_limited();
    if (room && scope->state != VS_NOT_FOUND)
      record(thread, scope, arguments);
    else if (vs_file_limited())
      vs_thread_count_left_out(thread, scope->plan, scope);
    else
      vs_thread_count_lost(thread);
    if (scope->plan)
      govern(thread, scope);
    if (__builtin_expect(scope->exit >= thread->counters.due, 0))
      read_counters(thread, scope, scope->exit);
  } else if (mode == VS_COUNTING) {
    vs_thread_count_lost(thread);
  }
  thread->scope = NULL;
  atomic_store_explicit(&thread->busy, 0, memory_order_release);
}

static bool prepare(char *problem, unsigned problem_bytes) {
  static const char failed[] = "cannot start recording: out of memory or thread-specific keys";
  vs_clock_prepare();
  if (vs_gate_prepare() && vs_threads_prepare())
    return true;
  snprintf(problem, problem_bytes, "%s", failed);
  return false;
}

bool vs_start(const struct vs_job *job, char *problem, unsigned problem_bytes) {
  const char *directory = getenv("VARSCOPE_TRACE_DIR");
  struct vs_lock lock;
  if (!directory || directory[0] != '/') {
    snprintf(problem, problem_bytes,
             "VARSCOPE_TRACE_DIR must name the trace folder by its absolute path");
    return false;
  }
  if (atomic_exchange(&recorder.started, 1)) {
    snprintf(problem, problem_bytes, "this process has been recorded already");
    return false;
  }
  if (!prepare(problem, problem_bytes))
    return false;
  vs_forked_start();
  vs_options_read();
  recorder.calls = job->calls;
  recorder.call_count = job->call_count;
  vs_lock(&lock);
  bool started = vs_file_create(directory, job, problem, problem_bytes);
  if (started) {
    recorder.seal_age = vs_clock_ticks_per_second();
    started =
        vs_process_describe(job) && vs_file_append_clock(0) && vs_counters_start(recorder.seal_age);
    if (!started) {
      snprintf(problem, problem_bytes, "cannot write the trace file in %s", directory);
      vs_set_mode(VS_ASLEEP);
      vs_file_abandon();
    }
  }
  vs_unlock(&lock);
  if (!started)
    return false;
  vs_set_mode(VS_RECORDING);
  vs_paths_prepare();
  vs_file_set_call_cost(vs_calibrate_call(recorder.seal_age));
  atomic_store(&vs_left_out, vs_file_limited() ? VS_THINNABLE : 0);
  vs_speed_start();
  return true;
}

void vs_define_communicator(const struct vst_communicator *definition,
                            const struct vst_rank_run *runs) {
  struct vst_block block = {.type = VST_BLOCK_COMMUNICATOR};
  struct vs_part parts[] = {{definition, sizeof *definition},
                            {runs, definition->runs * sizeof *runs}};
  struct vs_lock lock;
  if (vs_mode() != VS_RECORDING)
    return;
  vs_lock(&lock);
  vs_file_append(&block, parts, 2);
  vs_unlock(&lock);
}

void vs_report_problem(const char *text) {
  struct vs_lock lock;
  if (vs_mode() != VS_RECORDING)
    return;
  vs_lock(&lock);
  vs_file_append_problem(text);
  vs_unlock(&lock);
}

void vs_pause(bool paused) {
  if (paused)
    atomic_fetch_or(&vs_left_out, VS_THINNABLE);
  else if (!vs_file_limited())
    atomic_fetch_and(&vs_left_out, ~(uint32_t)VS_THINNABLE);
}

void vs_finish(void) {
  struct vs_lock lock;
  enum vs_mode mode = vs_mode();
  if (mode == VS_ASLEEP)
    return;
  vs_speed_finish();
  if (vs_self)
    vs_counters_last(vs_self);
  vs_set_mode(VS_ASLEEP);
  vs_all_threads_see();
  vs_threads_settle();
  vs_lock(&lock);
  if (mode == VS_RECORDING && !vs_threads_seal_all())
    vs_file_append_problem(
        "a thread was stuck when the trace was closed; its last records are unsealed");
  vs_file_close();
  vs_unlock(&lock);
}
