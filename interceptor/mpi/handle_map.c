#include "handle_map.h"

#include <stdatomic.h>
#include <stdlib.h>

#define EMPTY ((uintptr_t)0)
#define REMOVED UINTPTR_MAX

struct slot {
  _Atomic uintptr_t handle;
  _Atomic uint64_t words[VS_MAP_WORDS];
};

/* Open addressing with linear probing, at most half full of handles and removed ones together. */
struct vs_map_table {
  size_t capacity, filled, live; /* filled: slots that are not EMPTY */
  struct slot slots[];
};

static size_t home(const struct vs_map_table *table, uintptr_t handle) {
  return (size_t)(((uint64_t)handle * 0x9e3779b97f4a7c15u) >> 32) & (table->capacity - 1);
}

static struct slot *locate(struct vs_map_table *table, uintptr_t handle) {
  for (size_t i = home(table, handle);; i = (i + 1) & (table->capacity - 1)) {
    const uintptr_t there = atomic_load_explicit(&table->slots[i].handle, memory_order_acquire);
    if (there == handle)
      return &table->slots[i];
    if (there == EMPTY)
      return NULL;
  }
}

bool vs_map_find(struct vs_map *map, uintptr_t handle, uint64_t words[VS_MAP_WORDS]) {
  struct vs_map_table *table = atomic_load_explicit(&map->current, memory_order_acquire);
  struct slot *slot = table && handle != EMPTY ? locate(table, handle) : NULL;
  if (!slot)
    return false;
  for (int i = 0; i < VS_MAP_WORDS; i++)
    words[i] = atomic_load_explicit(&slot->words[i], memory_order_relaxed);
  return true;
}

/* First slot that is EMPTY or REMOVED on the way of a handle that is not in the table. */
static void insert(struct vs_map_table *table, uintptr_t handle,
                   const uint64_t words[VS_MAP_WORDS]) {
  size_t i = home(table, handle);
  uintptr_t there;
  while ((there = atomic_load(&table->slots[i].handle)) != EMPTY && there != REMOVED)
    i = (i + 1) & (table->capacity - 1);
  if (there == EMPTY)
    table->filled++;
  table->live++;
  for (int word = 0; word < VS_MAP_WORDS; word++)
    atomic_store_explicit(&table->slots[i].words[word], words[word], memory_order_relaxed);
  atomic_store_explicit(&table->slots[i].handle, handle, memory_order_release);
}

/* `spare` if it fits, else a new one. */
static struct vs_map_table *blank_table(struct vs_map_table *spare, size_t capacity) {
  struct vs_map_table *table = spare && spare->capacity == capacity ? spare : NULL;
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
static struct vs_map_table *with_room(struct vs_map *map) {
  struct vs_map_table *old = atomic_load(&map->current);
  if (old && (old->filled + 1) * 2 <= old->capacity)
    return old;
  size_t capacity = old ? old->capacity : 64;
  if (old && old->live * 4 > old->capacity)
    capacity *= 2;
  struct vs_map_table *table = blank_table(map->spare, capacity);
  if (!table)
    return NULL;
  for (size_t i = 0; old && i < old->capacity; i++) {
    struct slot *slot = &old->slots[i];
    const uintptr_t handle = atomic_load(&slot->handle);
    uint64_t words[VS_MAP_WORDS];
    for (int word = 0; word < VS_MAP_WORDS; word++)
      words[word] = atomic_load(&slot->words[word]);
    if (handle != EMPTY && handle != REMOVED)
      insert(table, handle, words);
  }
  atomic_store_explicit(&map->current, table, memory_order_release);
  map->spare = old;
  return table;
}

void vs_map_put(struct vs_map *map, uintptr_t handle, const uint64_t words[VS_MAP_WORDS]) {
  if (handle == EMPTY || handle == REMOVED)
    return;
  vs_map_remove(map, handle);
  struct vs_map_table *table = with_room(map);
  if (table)
    insert(table, handle, words);
}

void vs_map_remove(struct vs_map *map, uintptr_t handle) {
  struct vs_map_table *table = atomic_load(&map->current);
  struct slot *slot = table && handle != EMPTY ? locate(table, handle) : NULL;
  if (!slot)
    return;
  atomic_store_explicit(&slot->handle, REMOVED, memory_order_release);
  table->live--;
}
