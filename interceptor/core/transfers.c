#define _GNU_SOURCE 1
#include "transfers.h"

#include <string.h>
#include <sys/mman.h>

#include "file.h"
#include "gate.h"
#include "lock.h"
#include "pack_transfers.h"
#include "transfer_room.h"

#define MOST_SLOTS 1024u

/* Memory to pack in, shared by all threads under the lock; mapped when it is first needed. */
static struct {
  void *scratch;
  uint8_t *payload;
} packing;

static bool prepare_packing(void) {
  size_t scratch = vst_transfers_scratch_bytes(MOST_SLOTS);
  size_t bytes = scratch + vst_transfers_bound(MOST_SLOTS);
  if (packing.scratch)
    return true;
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return false;
  packing.scratch = memory;
  packing.payload = (uint8_t *)memory + scratch;
  return true;
}

/* As with records, a process of very many threads must not take up more than a few megabytes. */
static uint32_t capacity_of(uint32_t number) {
  if (number < 16)
    return MOST_SLOTS;
  return number < 64 ? 256 : 32;
}

static bool room(struct vs_thread *thread) {
  struct vs_lock lock;
  if (thread->transfers)
    return true;
  vs_lock(&lock);
  if (vs_mode() == VS_RECORDING && prepare_packing())
    thread->transfers = vs_file_add_transfers(thread->number, capacity_of(thread->number));
  vs_unlock(&lock);
  return thread->transfers != NULL;
}

void vs_transfers_seal(struct vs_thread *thread) {
  uint32_t count = thread->transfers_staged;
  if (count == 0)
    return;
  const struct vst_transfer *slots = (const struct vst_transfer *)(thread->transfers + 1);
  struct vst_block block = {
      .type = VST_BLOCK_TRANSFERS,
      .thread = thread->number,
      .count = count,
      .first_tick = slots[0].end_record,
  };
  struct vs_part part = {packing.payload, 0};
  part.bytes = vst_pack_transfers(slots, count, thread->number, packing.scratch, packing.payload);
  if (vs_file_append(&block, &part, 1))
    thread->transfers_staged = 0;
}

static __attribute__((noinline)) void seal(struct vs_thread *thread) {
  struct vs_lock lock;
  vs_lock(&lock);
  if (vs_mode() == VS_RECORDING)
    vs_transfers_seal(thread);
  vs_unlock(&lock);
}

/* Threads without staging area have a common one, and no record of any call. */
uint64_t vs_unrecorded(const struct vs_thread *thread) {
  const struct vst_staging *staging = thread->staging;
  if (!staging)
    return UINT64_MAX;
  return __atomic_load_n(&staging->sampled_out, __ATOMIC_RELAXED) +
         __atomic_load_n(&staging->lost, __ATOMIC_RELAXED);
}

/* Marks the thread busy and sees whether recording goes on. */
static bool enter(const struct vs_scope *scope) {
  struct vs_thread *thread = scope->thread;
  if (thread->scope != scope)
    return false;
  vs_enter_transfers(thread);
  return vs_mode() == VS_RECORDING && thread->staging && room(thread);
}

static void leave(const struct vs_scope *scope) {
  if (scope->thread->scope == scope)
    atomic_store_explicit(&scope->thread->busy, 0, memory_order_release);
}

struct vst_transfer *vs_open_transfers(const struct vs_scope *scope, uint32_t count) {
  struct vs_thread *thread = scope->thread;
  if (enter(scope)) {
    const struct vst_transfer_staging *staging = thread->transfers;
    if (staging->capacity - thread->transfers_staged < count)
      seal(thread);
    if (staging->capacity - thread->transfers_staged >= count)
      return (struct vst_transfer *)(thread->transfers + 1) + thread->transfers_staged;
  }
  leave(scope); /* recording has just broken off */
  return NULL;
}

void vs_close_transfers(const struct vs_scope *scope, uint32_t count) {
  struct vs_thread *thread = scope->thread;
  struct vst_transfer_staging *staging = thread->transfers;
  if (vs_transfers_close(scope, count))
    return;
  thread->transfers_staged += count;
  __atomic_store_n(&staging->written, staging->written + count, __ATOMIC_RELEASE);
  seal(thread);
  leave(scope);
}

void vs_count_unmatched(const struct vs_scope *scope, uint32_t count) {
  if (enter(scope)) {
    struct vst_transfer_staging *staging = scope->thread->transfers;
    __atomic_store_n(&staging->unmatched, staging->unmatched + count, __ATOMIC_RELAXED);
  }
  leave(scope);
}
