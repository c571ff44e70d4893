#define _GNU_SOURCE 1
#include "thread.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "birth.h"
#include "clock.h"
#include "file.h"
#include "gate.h"
#include "local.h"
#include "lock.h"
#include "pack.h"
#include "transfers.h"

/* Slots of the first threads, and of later ones: a process of very many threads must not take up
 * more than a few megabytes. */
#define MOST_SLOTS 2048u

/* Readers keep thread numbers in 16 bits. Calls of threads beyond, all alive at once, are counted
 * as lost. */
#define MOST_THREADS 32767u

#define SETTLE_NS 1000000000u

_Thread_local struct vs_thread *vs_self __attribute__((tls_model("initial-exec")));

ptrdiff_t vs_self_offset(void) {
  return (const char *)&vs_self - vs_thread_pointer();
}

static pthread_key_t key;
static struct vs_thread *threads, *unused;
static uint32_t thread_count;
static struct vst_staging *shared_counters; /* of threads without staging area */

/* Memory to pack in, shared by all threads under the lock. */
static struct {
  void *scratch;
  uint8_t *payload;
} packing;

static uint32_t capacity_of(uint32_t number) {
  if (number < 16)
    return MOST_SLOTS;
  if (number < 64)
    return 512;
  return number < 256 ? 128 : 32;
}

/* A thread's end: its staged records are sealed, so that the next owner begins a block of its own.
 */
static void retire(void *data) {
  struct vs_thread *thread = data;
  struct vs_lock lock;
  vs_self = NULL;
  if (vs_mode() == VS_ASLEEP)
    return;
  vs_quick_settle(thread);
  vs_counters_last(thread);
  vs_lock(&lock);
  if (vs_mode() == VS_RECORDING) {
    vs_thread_seal(thread);
    vs_counters_seal(thread);
    vs_transfers_seal(thread);
    vs_birth_ended(thread);
    vs_governor_account(thread);
  }
  vs_counters_leave(thread);
  thread->scope = NULL;
  thread->fresh = true;
  thread->free = unused;
  unused = thread;
  vs_unlock(&lock);
}

bool vs_threads_prepare(void) {
  size_t scratch = vst_pack_scratch_bytes(MOST_SLOTS);
  size_t bytes = scratch + vst_pack_bound(MOST_SLOTS);
  vs_birth_prepare();
  if (pthread_key_create(&key, retire) != 0)
    return false;
  packing.scratch = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (packing.scratch == MAP_FAILED)
    return false;
  packing.payload = (uint8_t *)packing.scratch + scratch;
  return true;
}

static struct vs_thread *take_unused(void) {
  struct vs_thread *thread = unused;
  if (thread)
    unused = thread->free;
  return thread;
}

static struct vs_thread *make(void) {
  struct vs_thread *thread =
      mmap(NULL, sizeof *thread, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (thread == MAP_FAILED)
    return NULL;
  thread->number = thread_count++;
  thread->fresh = true;
  thread->capacity = capacity_of(thread->number);
  thread->next = threads;
  threads = thread;
  if (thread->number < MOST_THREADS)
    thread->staging = vs_file_add_staging(thread->number, thread->capacity);
  thread->quick.gate = vs_gate_page();
  if (thread->staging) {
    thread->slots = (struct vst_record *)(thread->staging + 1);
    thread->capacity = thread->staging->capacity;
  }
  vs_governor_start(thread, vs_tick());
  return thread;
}

/* While recording, the window moves: counters need a mapping of their own. Without memory for it,
 * recording breaks off, and then the window stays where it is. */
static void make_shared_counters(void) {
  uint32_t number = thread_count < MOST_THREADS ? thread_count++ : MOST_THREADS;
  if (vs_mode() == VS_RECORDING && !vs_file_limited())
    shared_counters = vs_file_add_staging(number, 0);
  if (!shared_counters && (vs_mode() == VS_COUNTING || vs_file_limited()))
    shared_counters = vs_file_add_counters(number);
}

/* Threads without staging area, or without memory to be known by, share a block; only they add to
 * it, so atomic additions do. */
static void count_in_shared(bool left_out) {
  struct vs_lock lock;
  vs_lock(&lock);
  if (!shared_counters)
    make_shared_counters();
  struct vst_staging *counters = shared_counters;
  if (counters) {
    __atomic_fetch_add(&counters->intercepted, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(left_out ? &counters->sampled_out : &counters->lost, 1, __ATOMIC_RELAXED);
  }
  vs_unlock(&lock);
}

struct vs_thread *vs_thread_attach(void) {
  struct vs_lock lock;
  struct vs_birth_place *place = vs_birth_locate();
  vs_lock(&lock);
  struct vs_thread *thread = take_unused();
  if (!thread && vs_mode() != VS_ASLEEP)
    thread = make();
  if (thread && thread->staging) {
    thread->staging->system_thread = (uint32_t)syscall(SYS_gettid);
    vs_birth_describe(thread, place);
    /* Its calls begin when it does, and its computation is not counted from another thread's end.
     */
    if (thread->last_exit > 0)
      thread->last_exit = vs_tick();
  }
  vs_self = thread;
  vs_unlock(&lock);
  vs_birth_forget(place);
  if (thread)
    pthread_setspecific(key, thread);
  else
    count_in_shared(false); /* no memory for it: its calls pass, but are not forgotten */
  return thread;
}

void vs_thread_seal(struct vs_thread *thread) {
  uint32_t count = thread->staged;
  if (count == 0)
    return;
  struct vst_block block = {
      .type = VST_BLOCK_FRAGMENTS,
      .thread = thread->number,
      .count = count,
      .first_tick = thread->slots[0].enter,
      .previous_exit = thread->fresh ? thread->slots[0].enter : thread->previous_exit,
  };
  struct vs_part part = {packing.payload, 0};
  part.bytes =
      vst_pack(thread->slots, count, block.previous_exit, packing.scratch, packing.payload);
  uint64_t last_exit = thread->slots[count - 1].exit;
  if (!vs_file_append(&block, &part, 1))
    return;
  thread->previous_exit = last_exit;
  thread->fresh = false;
  thread->staged = 0;
}

static bool busy(struct vs_thread *thread) {
  return atomic_load_explicit(&thread->busy, memory_order_acquire) != 0;
}

void vs_threads_settle(void) {
  struct vs_lock lock;
  vs_lock(&lock);
  struct vs_thread *first = threads; /* later ones come to the front, and no longer record */
  vs_unlock(&lock);
  uint64_t since = vs_monotonic_ns();
  for (struct vs_thread *thread = first; thread; thread = thread->next) {
    while (thread != vs_self && busy(thread) && vs_monotonic_ns() - since < SETTLE_NS)
      sched_yield();
  }
}

bool vs_threads_seal_all(void) {
  bool all = true;
  for (struct vs_thread *thread = threads; thread; thread = thread->next) {
    if (thread != vs_self && busy(thread)) {
      all = false;
      continue;
    }
    vs_quick_settle(thread);
    vs_thread_seal(thread);
    vs_counters_seal(thread);
    vs_transfers_seal(thread);
    vs_governor_account(thread);
  }
  return all;
}

void vs_thread_count_left_out(struct vs_thread *thread, struct vs_plan *plan,
                              const struct vs_scope *scope) {
  struct vst_staging *own = thread->staging;
  if (!own) {
    count_in_shared(true);
    return;
  }
  __atomic_store_n(&own->intercepted, own->intercepted + 1, __ATOMIC_RELAXED);
  if (plan) {
    if (!plan->count)
      plan->count = vs_counts_add(thread, scope->state);
    vs_count_call(plan->count);
    vs_count_time(thread, plan->count, scope->exit - scope->enter, scope->exit);
  }
  __atomic_store_n(&own->sampled_out, own->sampled_out + 1, __ATOMIC_RELEASE);
}

void vs_thread_count_lost(struct vs_thread *thread) {
  struct vst_staging *own = thread->staging;
  if (!own) {
    count_in_shared(false);
    return;
  }
  __atomic_store_n(&own->intercepted, own->intercepted + 1, __ATOMIC_RELAXED);
  __atomic_store_n(&own->lost, own->lost + 1, __ATOMIC_RELEASE);
}
