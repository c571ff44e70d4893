#include "handle_map.h"

#include <stdatomic.h>
#include <stdlib.h>

#define EMPTY ((uintptr_t)0)
#define REMOVED UINTPTR_MAX

struct slot {
  _Atomic uintptr_t handle;
  _Atomic(const struct vs_group *) group;
  _Atomic uint64_t number_and_indegree;
};

/* Open addressing with linear probing, at most half full of handles and removed ones together. */
struct table {
  size_t capacity, filled, live; /* filled: slots that are not EMPTY */
  struct slot slots[];
};

static _Atomic(struct table *) current;
static struct table *spare; /* the table before; kept, since a reader may still be in it */

static size_t home(const struct table *table, uintptr_t handle) {
  return (size_t)(((uint64_t)handle * 0x9e3779b97f4a7c15u) >> 32) & (table->capacity - 1);
}

static struct slot *locate(struct table *table, uintptr_t handle) {
  for (size_t i = home(table, handle);; i = (i + 1) & (table->capacity - 1)) {
    const uintptr_t there = atomic_load_explicit(&table->slots[i].handle, memory_order_acquire);
    if (there == handle)
      return &table->slots[i];
    if (there == EMPTY)
      return NULL;
  }
}

bool vs_map_find(uintptr_t handle, struct vs_comm *found) {
  struct table *table = atomic_load_explicit(&current, memory_order_acquire);
  struct slot *slot = table && handle != EMPTY ? locate(table, handle) : NULL;
  if (!slot)
    return false;
  const uint64_t packed = atomic_load_explicit(&slot->number_and_indegree, memory_order_relaxed);
  found->group = atomic_load_explicit(&slot->group, memory_order_relaxed);
  found->number = (uint32_t)(packed >> 32);
  found->indegree = (int32_t)(uint32_t)packed;
  return true;
}

static void fill(struct slot *slot, uintptr_t handle, const struct vs_group *group,
                 uint64_t packed) {
  atomic_store_explicit(&slot->group, group, memory_order_relaxed);
  atomic_store_explicit(&slot->number_and_indegree, packed, memory_order_relaxed);
  atomic_store_explicit(&slot->handle, handle, memory_order_release);
}

/* First slot that is EMPTY or REMOVED on the way of a handle that is not in the table. */
static void insert(struct table *table, uintptr_t handle, const struct vs_group *group,
                   uint64_t packed) {
  size_t i = home(table, handle);
  uintptr_t there;
  while ((there = atomic_load(&table->slots[i].handle)) != EMPTY && there != REMOVED)
    i = (i + 1) & (table->capacity - 1);
  if (there == EMPTY)
    table->filled++;
  table->live++;
  fill(&table->slots[i], handle, group, packed);
}

static struct table *blank_table(size_t capacity) {
  struct table *table = spare && spare->capacity == capacity ? spare : NULL;
  if (!table) {
    table = calloc(1, sizeof *table + capacity * sizeof *table->slots);
    if (table)
      table->capacity = capacity;
    return table;
  }
  for (size_t i = 0; i < capacity; i++)
    atomic_store(&table->slots[i].handle, EMPTY);
  table->filled = table->live = 0;
  return table;
}

/* Moves the live handles into a table with room for one more. */
static struct table *with_room(struct table *old) {
  if (old && (old->filled + 1) * 2 <= old->capacity)
    return old;
  size_t capacity = old ? old->capacity : 64;
  if (old && old->live * 4 > old->capacity)
    capacity *= 2;
  struct table *table = blank_table(capacity);
  if (!table)
    return NULL;
  for (size_t i = 0; old && i < old->capacity; i++) {
    struct slot *slot = &old->slots[i];
    const uintptr_t handle = atomic_load(&slot->handle);
    if (handle != EMPTY && handle != REMOVED)
      insert(table, handle, atomic_load(&slot->group), atomic_load(&slot->number_and_indegree));
  }
  atomic_store_explicit(&current, table, memory_order_release);
  spare = old;
  return table;
}

void vs_map_put(uintptr_t handle, const struct vs_comm *comm) {
  if (handle == EMPTY || handle == REMOVED)
    return;
  vs_map_remove(handle);
  struct table *table = with_room(atomic_load(&current));
  if (!table)
    return;
  insert(table, handle, comm->group, (uint64_t)comm->number << 32 | (uint32_t)comm->indegree);
}

void vs_map_remove(uintptr_t handle) {
  struct table *table = atomic_load(&current);
  struct slot *slot = table && handle != EMPTY ? locate(table, handle) : NULL;
  if (!slot)
    return;
  atomic_store_explicit(&slot->handle, REMOVED, memory_order_release);
  table->live--;
}
