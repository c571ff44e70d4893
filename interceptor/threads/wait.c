#define _GNU_SOURCE 1
#include "wait.h"

#include <errno.h>

#include "birth.h"
#include "clock.h"
#include "local.h"
#include "options.h"
#include "origin.h"
#include "recorder.h"

/* The option in ticks, and one more; 0 until it is known. */
static _Atomic uint64_t threshold_plus_one;

/* A thread that may come to record is made known here, before the wait: afterwards it could be
 * given the number of one that ended meanwhile, behind whose last call its own must not begin. */
uint64_t vs_wait_begin(void) {
  const struct vs_thread *self = vs_self;
  if (vs_threads_asleep() || !vs_options.threads || (self && self->scope) || vs_thread_is_foreign())
    return 0;
  if (!self && !vs_thread_attach())
    return 0;
  return vs_tick();
}

static uint64_t threshold_ticks(void) {
  uint64_t known = atomic_load_explicit(&threshold_plus_one, memory_order_relaxed);
  if (known > 0)
    return known - 1;
  double per_ns = (double)vs_clock_ticks_per_second() / 1e9;
  uint64_t ticks = (uint64_t)((double)vs_options.lock_wait_ns * per_ns);
  atomic_store_explicit(&threshold_plus_one, ticks + 1, memory_order_relaxed);
  return ticks;
}

void vs_thread_record(uint64_t enter, uint64_t exit, uint32_t call, const void *site,
                      uint64_t bytes) {
  const struct vs_arguments arguments = {
      .bytes = bytes,
      .communicator = VST_NO_COMMUNICATOR,
      .peer = VST_NO_PEER,
      .tag = VST_NO_TAG,
  };
  struct vs_scope scope;
  int before = errno;
  enum vs_handling handling = vs_begin(&scope, call, site);
  if (handling != VS_PASS) {
    scope.enter = enter;
    scope.exit = exit;
    if (handling == VS_LIGHT)
      vs_leave(&scope);
    else
      vs_end(&scope, &arguments);
  }
  errno = before;
}

void vs_wait_end(uint64_t since, uint32_t call, const void *site) {
  if (since == 0 || vs_threads_asleep())
    return;
  uint64_t now = vs_tick();
  if (now >= since + threshold_ticks() && vs_of_program(site))
    vs_thread_record(since, now, call, site, 0);
}

void vs_thread_call_end(uint64_t since, uint32_t call, const void *site) {
  if (since != 0 && !vs_threads_asleep() && vs_of_program(site))
    vs_thread_record(since, vs_tick(), call, site, 0);
}
