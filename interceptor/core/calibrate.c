#define _GNU_SOURCE 1
#include "calibrate.h"

#include <stddef.h>
#include <sys/mman.h>

#include "clock.h"
#include "local.h"
#include "lock.h"
#include "options.h"
#include "paths.h"
#include "quick.h"
#include "states.h"

#define BATCHES 8
#define CALLS_PER_BATCH 256

/* An address that no call returns to. */
static const char site;

/* With call paths a call costs what the way to here costs; it returns to where this does. */
static __attribute__((noinline)) void record_batch(void) {
  const void *place =
      vs_options.call_path_frames == 0 ? (const void *)&site : __builtin_return_address(0);
  static const struct vs_arguments arguments = {.peer = VST_NO_PEER, .tag = VST_NO_TAG};
  for (int i = 0; i < CALLS_PER_BATCH; i++) {
    struct vs_scope scope;
    if (vs_begin(&scope, 0, place) != VS_RECORD)
      return;
    vs_stop(&scope);
    vs_end(&scope, &arguments);
  }
}

/* The state need not be defined: no record of it gets into the trace. */
static bool add_site(void) {
  struct vs_lock lock;
  vs_lock(&lock);
  bool added = vs_table_insert(&vs_states, vs_site_key(0, &site), 0) &&
               vs_table_insert(&vs_states, vs_path_key(0, VS_CALIBRATION_PATH), 0);
  vs_unlock(&lock);
  return added;
}

/* A thread that only this file knows. */
static void fill(struct vs_thread *thread, void *area) {
  thread->number = VS_NO_THREAD;
  thread->staging = area;
  thread->slots = (struct vst_record *)(thread->staging + 1);
  thread->capacity = BATCHES * CALLS_PER_BATCH + 1;
  thread->governor.next_turn = thread->governor.record_limit = UINT64_MAX;
}

/* Ticks that reading the clock takes. */
static double clock_cost(void) {
  uint64_t start = vs_tick(), last = start;
  for (int i = 0; i < CALLS_PER_BATCH; i++)
    last = vs_tick();
  return (double)(last - start) / CALLS_PER_BATCH;
}

static __attribute__((noinline)) void nothing(void) {
  __asm__ volatile("");
}

/* Ticks of 256 calls of nothing, by the quick way or directly. */
static __attribute__((noinline)) uint64_t call_nothing(struct vs_thread *thread, bool quickly) {
  void (*volatile real)(void) = nothing;
  uint64_t start = vs_tick();
  for (int i = 0; i < CALLS_PER_BATCH; i++) {
    struct vs_quick_call quick;
    if (!quickly) {
      real();
    } else if (vs_quick_begin(&quick, thread, 0, &site)) {
      real();
      vs_quick_end(&quick);
    }
  }
  return vs_tick() - start;
}

/* Ticks that the quick way adds to a call. */
static double quick_cost(struct vs_thread *thread) {
  struct vst_count count = {0};
  uint64_t least[2] = {UINT64_MAX, UINT64_MAX};
  thread->quick.timed_mask = VS_TIMED_MOST - 1;
  *vs_quick_place(thread, &site) = (struct vs_quick_entry){&site, &count, VS_GATE_MODE, 0, 0};
  thread->quick.gate = vs_gate_page();
  for (int batch = 0; batch < 2 * BATCHES; batch++) {
    thread->quick.left = CALLS_PER_BATCH;
    count.calls = 1;
    uint64_t ticks = call_nothing(thread, batch % 2);
    if (ticks < least[batch % 2])
      least[batch % 2] = ticks;
  }
  return least[1] > least[0] ? (double)(least[1] - least[0]) / CALLS_PER_BATCH : 0;
}

uint64_t vs_calibrate_call(uint64_t ticks_per_second) {
  size_t slots = (BATCHES * CALLS_PER_BATCH + 1) * sizeof(struct vst_record);
  size_t bytes = sizeof(struct vs_thread) + sizeof(struct vst_staging) + slots;
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return 0;
  if (!add_site()) {
    munmap(memory, bytes);
    return 0;
  }
  struct vs_thread *thread = memory, *before = vs_self;
  fill(thread, thread + 1);
  vs_self = thread;
  uint64_t least = UINT64_MAX;
  for (int batch = 0; batch < BATCHES; batch++) {
    thread->staged = 0; /* the same slots again: their pages are there, as in a running program */
    uint64_t start = vs_tick();
    record_batch();
    uint64_t ticks = vs_tick() - start;
    if (ticks < least)
      least = ticks;
  }
  vs_self = before;
  vs_path_cache_free(thread);
  double clock = clock_cost();
  for (int batch = 1; batch < BATCHES; batch++) {
    double again = clock_cost();
    if (again < clock)
      clock = again;
  }
  vs_governor_set_costs((double)least / CALLS_PER_BATCH, clock, quick_cost(thread));
  vs_governor_release(thread);
  munmap(memory, bytes);
  return (uint64_t)((double)least * 1e12 / (double)ticks_per_second / CALLS_PER_BATCH);
}
