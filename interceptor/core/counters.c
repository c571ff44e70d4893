#define _GNU_SOURCE 1
#include "counters.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "counter_pack.h"
#include "counter_sources.h"
#include "file.h"
#include "gate.h"
#include "lock.h"
#include "options.h"
#include "thread.h"

/* Of the budget; the rest is the calls'. Without a budget to keep, as if it were 1 %. */
#define SHARE_OF_BUDGET 0.25
#define USUAL_BUDGET 0.01
/* No source is read more often: what is shorter is judged by many executions together. */
#define MOST_PER_SECOND 1000u
#define MOST_SLOTS 128u
/* A reading that takes longer than this many usual ones was interrupted: that is not its cost. */
#define INTERRUPTED 4u

/* Columns of a reading are counters that can be read, by source and as the source lists them. */
static struct {
  uint32_t columns;
  uint64_t sources; /* mask of those read */
  uint32_t column_of[16][VS_MOST_OF_SOURCE];
  uint64_t ticks[VS_COUNTER_COSTS]; /* that a reading took at the start; 0: no such source */
  double ticks_apart;               /* per tick that a reading takes */
  uint64_t least_apart;
} set;

/* Memory to pack in; under the lock. */
static uint8_t packed[VST_COUNTERS_BOUND(MOST_SLOTS, VS_MOST_COLUMNS)];

static bool lists(const char *list, const char *name, size_t length) {
  for (const char *at = list; *at; at += strcspn(at, ",")) {
    at += *at == ',';
    if (strcspn(at, ",") == length && memcmp(at, name, length) == 0)
      return true;
  }
  return false;
}

/* Whether the user's list has one of the source's groups. */
static bool chosen(const char *groups) {
  if (lists(vs_options.counters, "none", 4))
    return false;
  if (lists(vs_options.counters, "all", 3))
    return true;
  for (const char *at = groups; *at; at += strcspn(at, ",")) {
    at += *at == ',';
    if (lists(vs_options.counters, at, strcspn(at, ",")))
      return true;
  }
  return false;
}

static void tell_unknown_groups(void) {
  char text[160];
  size_t length;
  for (const char *at = vs_options.counters; *at; at += length + (at[length] == ',')) {
    length = strcspn(at, ",");
    if (vs_counter_group_known(at, length))
      continue;
    snprintf(text, sizeof text,
             "VARSCOPE_COUNTERS: no group '%.*s'; there are default, scheduler, memory, io, "
             "hardware, all, none",
             (int)length, at);
    vs_file_append_problem(text);
  }
}

static uint32_t counters_of(const struct vs_counter_source *source) {
  uint32_t count = 0;
  while (count < VS_MOST_OF_SOURCE && source->counters[count].name)
    count++;
  return count;
}

/* Looks at one source; adds its counters to `all` and returns how many there are then. */
static uint32_t add_source(uint32_t number, struct vst_counter *all, uint32_t count) {
  const struct vs_counter_source *source = &vs_counter_sources[number];
  char reason[VS_MOST_OF_SOURCE][VS_REASON_BYTES] = {{0}};
  struct vs_counter_state state = {0};
  if (source->look)
    source->look(&state, reason);
  for (uint32_t i = 0; i < counters_of(source); i++) {
    struct vst_counter *counter = &all[count++];
    bool readable = reason[i][0] == 0 && set.columns < VS_MOST_COLUMNS;
    *counter = (struct vst_counter){.source = number, .scope = source->scope};
    counter->column = readable ? set.columns++ : VST_NO_COLUMN;
    set.column_of[number][i] = counter->column;
    if (readable)
      set.sources |= UINT64_C(1) << number;
    snprintf(counter->name, sizeof counter->name, "%s", source->counters[i].name);
    snprintf(counter->unit, sizeof counter->unit, "%s", source->counters[i].unit);
    snprintf(counter->group, sizeof counter->group, "%s", source->counters[i].group);
    memcpy(counter->reason, reason[i], sizeof counter->reason);
  }
  return count;
}

/* The second reading counts: the first one finds caches cold. */
static uint64_t ticks_to_read(const struct vs_counter_source *source) {
  struct vs_counter_state state = {0};
  uint64_t values[VS_MOST_OF_SOURCE], start = 0;
  for (int i = 0; i < 2; i++) {
    start = vs_tick();
    source->read(&state, values);
  }
  uint64_t ticks = vs_tick() - start;
  vs_close_events(&state);
  return ticks + 1;
}

static void measure(uint64_t ticks_per_second) {
  unsigned costs = 0;
  for (uint32_t number = 0; number < vs_counter_source_count; number++) {
    if (set.sources >> number & 1)
      set.ticks[vs_counter_sources[number].cost] += ticks_to_read(&vs_counter_sources[number]);
  }
  for (unsigned cost = 0; cost < VS_COUNTER_COSTS; cost++)
    costs += set.ticks[cost] > 0;
  double budget = vs_options.full ? USUAL_BUDGET : vs_options.budget;
  set.ticks_apart = costs / (SHARE_OF_BUDGET * budget);
  set.least_apart = ticks_per_second / MOST_PER_SECOND;
}

bool vs_counters_start(uint64_t ticks_per_second) {
  struct vst_counter all[VST_MOST_COUNTERS];
  struct vst_block block = {.type = VST_BLOCK_COUNTER_SET};
  uint32_t count = 0;
  memset(&set, 0, sizeof set);
  tell_unknown_groups();
  if (!vs_options.full && vs_options.budget <= 0)
    return true; /* calls are only counted: nobody reads */
  for (uint32_t number = 0; number < vs_counter_source_count; number++) {
    if (chosen(vs_counter_sources[number].groups))
      count = add_source(number, all, count);
  }
  measure(ticks_per_second);
  block.count = count;
  return count == 0 || vs_file_append(&block, &(struct vs_part){all, count * sizeof *all}, 1);
}

/* Threads of higher numbers have no counters. */
#define MOST_THREADS 256u

/* Later threads get fewer slots, as with calls; the last ones none. */
static uint32_t slots_for(uint32_t number) {
  if (number < 16)
    return MOST_SLOTS;
  if (number < 64)
    return 32;
  return number < MOST_THREADS ? 8 : 0;
}

static void tell_limit(void) {
  static _Atomic bool told;
  char text[80];
  if (atomic_exchange(&told, true))
    return;
  snprintf(text, sizeof text, "more than %u threads at once: the later ones lack counters",
           MOST_THREADS);
  vs_report_problem(text);
}

/* The lock counts its own time, so the reading must not count it again. */
static void unlock(struct vs_lock *lock, struct vs_thread *thread) {
  thread->counters.own_ticks -= vs_clock_plausible(vs_tick() - lock->since);
  vs_unlock(lock);
}

static bool attach(struct vs_thread *thread) {
  struct vs_counter_state *state = &thread->counters;
  uint32_t capacity = slots_for(thread->number);
  struct vst_counter_staging head = {.capacity = capacity, .columns = set.columns};
  struct vst_block block = {
      .magic = VST_BLOCK_MAGIC, .type = VST_BLOCK_COUNTER_STAGING, .thread = thread->number};
  struct vs_lock lock;
  memcpy(state->ticks, set.ticks, sizeof state->ticks);
  if (capacity == 0) {
    tell_limit();
    return false;
  }
  block.payload_bytes = (uint32_t)(sizeof head + capacity * (set.columns + 2) * sizeof(uint64_t));
  vs_lock(&lock);
  if (vs_mode() == VS_RECORDING)
    state->staging = vs_file_add_mapped(&block, &(struct vs_part){&head, sizeof head});
  unlock(&lock, thread);
  return state->staging != NULL;
}

static uint64_t *slot_of(struct vs_counter_state *state, uint64_t index) {
  return (uint64_t *)(void *)(state->staging + 1) + index * (set.columns + 2);
}

/* Counters count from the first reading of their thread, and never go back: a control group can
 * change, and events can be lost. */
static void take(struct vs_counter_state *state, uint32_t number, const uint64_t *values) {
  bool based = state->based >> number & 1;
  for (uint32_t i = 0; i < counters_of(&vs_counter_sources[number]); i++) {
    uint32_t column = set.column_of[number][i];
    if (column == VST_NO_COLUMN)
      continue;
    if (!based || (int64_t)(values[i] + state->offset[column] - state->last[column]) < 0)
      state->offset[column] = state->last[column] - values[i];
    state->last[column] = values[i] + state->offset[column];
  }
  state->based |= UINT64_C(1) << number;
}

/* Reads the sources of one cost; returns the mask of those that could be read. */
static uint64_t read_sources(struct vs_thread *thread, unsigned cost) {
  uint64_t got = 0;
  for (uint32_t number = 0; number < vs_counter_source_count; number++) {
    const struct vs_counter_source *source = &vs_counter_sources[number];
    uint64_t values[VS_MOST_OF_SOURCE];
    bool wanted = set.sources >> number & 1 && source->cost == cost &&
                  (source->scope == VST_SCOPE_THREAD || thread->number == 0);
    if (!wanted || !source->read(&thread->counters, values))
      continue;
    take(&thread->counters, number, values);
    got |= UINT64_C(1) << number;
  }
  return got;
}

static void learn(struct vs_counter_state *state, unsigned cost, uint64_t ticks) {
  uint64_t usual = state->ticks[cost];
  uint64_t fair = ticks > INTERRUPTED * usual ? INTERRUPTED * usual : ticks;
  state->ticks[cost] = (7 * usual + fair) / 8 + 1;
}

/* When the sources of one cost are due again. */
static uint64_t after(const struct vs_counter_state *state, unsigned cost, uint64_t now) {
  uint64_t apart = (uint64_t)((double)state->ticks[cost] * set.ticks_apart);
  return now + (apart > set.least_apart ? apart : set.least_apart);
}

/* One reading, begun at tick `now`, into the next slot. `written` is stored last: it covers
 * complete readings only. */
static void read_due(struct vs_thread *thread, uint64_t now, bool all) {
  struct vs_counter_state *state = &thread->counters;
  uint64_t *slot = slot_of(state, state->staged), got = 0, due = UINT64_MAX, at = now;
  slot[0] = vs_tick();
  for (unsigned cost = 0; cost < VS_COUNTER_COSTS; cost++) {
    if (set.ticks[cost] == 0)
      continue;
    if (all || now >= state->cost_due[cost]) {
      got |= read_sources(thread, cost);
      uint64_t end = vs_tick();
      learn(state, cost, end - at);
      state->cost_due[cost] = after(state, cost, end);
      at = end;
    }
    due = state->cost_due[cost] < due ? state->cost_due[cost] : due;
  }
  state->due = due;
  if (got == 0)
    return;
  slot[1] = got;
  memcpy(&slot[2], state->last, set.columns * sizeof *slot);
  __atomic_store_n(&state->staging->written, state->staging->written + 1, __ATOMIC_RELEASE);
  state->staged++;
}

static void seal_full(struct vs_thread *thread) {
  struct vs_lock lock;
  vs_lock(&lock);
  if (vs_mode() == VS_RECORDING)
    vs_counters_seal(thread);
  unlock(&lock, thread);
}

static void read_if_possible(struct vs_thread *thread, uint64_t now, bool all) {
  struct vs_counter_state *state = &thread->counters;
  state->due = UINT64_MAX;
  if (vs_mode() != VS_RECORDING || thread->number == VS_NO_THREAD || set.columns == 0)
    return;
  if (!state->staging && !attach(thread))
    return;
  if (state->staged == state->staging->capacity)
    seal_full(thread);
  if (state->staged < state->staging->capacity)
    read_due(thread, now, all);
}

/* `busy` keeps other threads from sealing meanwhile, as in vs_end. */
static void read_shielded(struct vs_thread *thread, uint64_t now, bool all) {
  sigset_t every, before;
  int cancellation, error = errno;
  uint32_t busy = atomic_load_explicit(&thread->busy, memory_order_relaxed);
  sigfillset(&every);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellation);
  pthread_sigmask(SIG_BLOCK, &every, &before);
  atomic_store_explicit(&thread->busy, 1, memory_order_relaxed);
  atomic_signal_fence(memory_order_seq_cst);
  read_if_possible(thread, now, all);
  atomic_store_explicit(&thread->busy, busy, memory_order_release);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_setcancelstate(cancellation, NULL);
  errno = error;
}

/* Another thread may take the account when it closes the trace. */
static void add_own(struct vs_counter_state *state, uint64_t ticks) {
  __atomic_fetch_add(&state->own_ticks, vs_clock_plausible(ticks), __ATOMIC_RELAXED);
}

uint64_t vs_counters_read(struct vs_thread *thread, uint64_t now) {
  read_shielded(thread, now, false);
  uint64_t end = vs_tick();
  add_own(&thread->counters, end - now);
  return end;
}

void vs_counters_last(struct vs_thread *thread) {
  uint64_t now = vs_tick();
  if (!thread->counters.staging)
    return;
  read_shielded(thread, now, true);
  add_own(&thread->counters, vs_tick() - now);
}

void vs_counters_seal(struct vs_thread *thread) {
  struct vs_counter_state *state = &thread->counters;
  vs_file_add_tool_ticks(__atomic_exchange_n(&state->own_ticks, 0, __ATOMIC_RELAXED));
  if (state->staged == 0)
    return;
  struct vst_block block = {
      .type = VST_BLOCK_COUNTERS,
      .thread = thread->number,
      .count = (uint32_t)state->staged,
      .first_tick = slot_of(state, 0)[0],
  };
  struct vs_part part = {packed, 0};
  part.bytes = vst_pack_counters(slot_of(state, 0), block.count, set.columns, packed);
  if (vs_file_append(&block, &part, 1))
    state->staged = 0;
}

void vs_counters_leave(struct vs_thread *thread) {
  struct vs_counter_state *state = &thread->counters;
  vs_close_events(state);
  state->due = 0;
  state->core = 0;
  state->moves = 0;
  memset(state->cost_due, 0, sizeof state->cost_due);
  for (uint32_t number = 0; number < vs_counter_source_count; number++) {
    if (vs_counter_sources[number].scope == VST_SCOPE_THREAD)
      state->based &= ~(UINT64_C(1) << number);
  }
}
