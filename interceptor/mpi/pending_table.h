/*
 * The table behind pending.h, and the ways through it that nearly all requests take: inline, as
 * they are a good part of what recording a non-blocking call costs.
 *
 * Open addressing with linear probing; a slot leads to the starts of its handle, oldest first.
 */
#ifndef VARSCOPE_PENDING_TABLE_H
#define VARSCOPE_PENDING_TABLE_H

#include <stddef.h>

#include "owned_lock.h"
#include "pending.h"
#include "trace_format.h"

#define VS_PENDING_NONE UINT32_MAX

struct vs_pending_entry {
  struct vs_pending start;
  uint32_t next; /* start of the same handle, or free entry; or VS_PENDING_NONE */
};

/* `first` VS_PENDING_NONE: free. */
struct vs_pending_slot {
  uintptr_t handle;
  uint32_t first, last;
};

struct vs_pending_table {
  struct vs_pending_slot *slots; /* twice as many as entries; NULL before the first start */
  struct vs_pending_entry *entries;
  uint32_t mask;
  uint32_t capacity, used; /* entries; those from `used` on were never in use */
  uint32_t free;
  _Atomic uint32_t waiting; /* starts with VS_PENDING_WAITS; written under the lock */
  struct vs_owned_lock lock;
};

extern struct vs_pending_table vs_pending_table;

/* Under the lock, which it releases if it returns NULL. */
struct vs_pending *vs_pending_open_slowly(const struct vs_thread *thread, uintptr_t handle,
                                          uint32_t epoch, uint32_t flags);

/* The slot where the search for a handle begins. */
static inline uint32_t vs_pending_home(uintptr_t handle) {
  return (uint32_t)((uint64_t)handle * 0x9e3779b97f4a7c15u >> 32) & vs_pending_table.mask;
}

static inline struct vs_pending *vs_pending_open(const struct vs_thread *thread, uintptr_t handle,
                                                 uint32_t epoch, uint32_t flags) {
  struct vs_pending_table *table = &vs_pending_table;
  if (!vs_owned_lock(&table->lock, thread))
    return NULL;
  const uint32_t fresh = table->free;
  if (__builtin_expect(fresh == VS_PENDING_NONE, 0))
    return vs_pending_open_slowly(thread, handle, epoch, flags);
  struct vs_pending_slot *slot = &table->slots[vs_pending_home(handle)];
  if (__builtin_expect(slot->first != VS_PENDING_NONE, 0))
    return vs_pending_open_slowly(thread, handle, epoch, flags);
  struct vs_pending_entry *entry = &table->entries[fresh];
  table->free = entry->next;
  slot->handle = handle;
  slot->first = slot->last = fresh;
  entry->next = VS_PENDING_NONE;
  entry->start.epoch = epoch;
  entry->start.flags = flags;
  return &entry->start;
}

static inline void vs_pending_count_waiting(int32_t change) {
  const uint32_t before = atomic_load_explicit(&vs_pending_table.waiting, memory_order_relaxed);
  atomic_store_explicit(&vs_pending_table.waiting, before + (uint32_t)change, memory_order_relaxed);
}

static inline void vs_pending_close(const struct vs_thread *thread, struct vs_pending *start) {
  if (__builtin_expect(start->peer == VST_ANY_PEER || start->tag == VST_ANY_TAG, 0)) {
    start->flags |= VS_PENDING_WAITS;
    vs_pending_count_waiting(1);
  }
  vs_owned_unlock(&vs_pending_table.lock, thread);
}

static inline void vs_pending_give_back(uint32_t entry) {
  vs_pending_table.entries[entry].next = vs_pending_table.free;
  vs_pending_table.free = entry;
}

/* Under the lock: takes out the start of a handle that has but one, of this epoch and without any
 * of the flags `refused` or VS_PENDING_WAITS, where no slot has to move. It can be read until the
 * lock is released. NULL, and nothing done, in any other case. */
static inline const struct vs_pending *vs_pending_take_only(uintptr_t handle, uint32_t epoch,
                                                            uint32_t refused) {
  const struct vs_pending_table *table = &vs_pending_table;
  if (!table->slots)
    return NULL;
  const uint32_t at = vs_pending_home(handle);
  struct vs_pending_slot *slot = &table->slots[at];
  const uint32_t only = slot->first;
  if (only == VS_PENDING_NONE || slot->handle != handle ||
      table->slots[(at + 1) & table->mask].first != VS_PENDING_NONE)
    return NULL;
  const struct vs_pending_entry *entry = &table->entries[only];
  if (entry->next != VS_PENDING_NONE || entry->start.epoch != epoch ||
      (entry->start.flags & (refused | VS_PENDING_WAITS)))
    return NULL;
  slot->first = VS_PENDING_NONE;
  vs_pending_give_back(only);
  return &entry->start;
}

static inline bool vs_pending_needs_status(void) {
  return atomic_load_explicit(&vs_pending_table.waiting, memory_order_relaxed) != 0;
}

#endif
