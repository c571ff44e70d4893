#define _GNU_SOURCE 1
#include "counts.h"

#include "file.h"
#include "gate.h"
#include "lock.h"
#include "thread.h"

/* Entries of a thread's first block, and of each of the largest ones. */
#define FIRST_ENTRIES 64u
#define MOST_ENTRIES 2048u

static bool add_block(struct vs_thread *thread) {
  struct vs_thread_counts *counts = &thread->counts;
  uint32_t capacity = counts->last ? 2 * counts->last->capacity : FIRST_ENTRIES;
  if (capacity > MOST_ENTRIES)
    capacity = MOST_ENTRIES;
  struct vst_counts *block = vs_file_add_counts(thread->number, capacity);
  if (!block)
    return false;
  if (!counts->first)
    counts->first = block;
  counts->last = block;
  counts->used = 0;
  return true;
}

struct vst_count *vs_counts_add(struct vs_thread *thread, uint32_t state) {
  struct vs_thread_counts *counts = &thread->counts;
  struct vst_count *entry = &counts->beyond;
  struct vs_lock lock;
  vs_lock(&lock);
  bool room = counts->last && counts->used < counts->last->capacity;
  if (room || (vs_mode() == VS_RECORDING && add_block(thread))) {
    entry = (struct vst_count *)(counts->last + 1) + counts->used++;
    entry->state = state;
    __atomic_store_n(&entry->in_use, 1, __ATOMIC_RELEASE);
  }
  vs_unlock(&lock);
  return entry;
}
