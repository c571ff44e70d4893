#define _GNU_SOURCE 1
#include "table.h"

#include <stddef.h>
#include <sys/mman.h>

#define FIRST_SIZE 512u

static void put(struct vs_slots *slots, const struct vs_key *key, uint32_t value_plus_one) {
  uint32_t i = vs_key_hash(*key);
  while (atomic_load_explicit(&slots->slot[i & slots->mask].value_plus_one, memory_order_relaxed) !=
         0)
    i++;
  struct vs_slot *slot = &slots->slot[i & slots->mask];
  slot->key = *key;
  atomic_store_explicit(&slot->value_plus_one, value_plus_one, memory_order_release);
}

static struct vs_slots *grow(struct vs_table *table, const struct vs_slots *old) {
  uint32_t size = old ? 2 * (old->mask + 1) : FIRST_SIZE;
  struct vs_slots *slots =
      mmap(NULL, offsetof(struct vs_slots, slot) + size * sizeof(struct vs_slot),
           PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (slots == MAP_FAILED)
    return NULL;
  slots->mask = size - 1;
  for (uint32_t i = 0; old && i <= old->mask; i++) {
    const struct vs_slot *slot = &old->slot[i];
    uint32_t value = atomic_load_explicit(&slot->value_plus_one, memory_order_relaxed);
    if (value != 0)
      put(slots, &slot->key, value);
  }
  atomic_store_explicit(&table->slots, slots, memory_order_release);
  return slots;
}

bool vs_table_insert(struct vs_table *table, struct vs_key key, uint32_t value) {
  struct vs_slots *slots = atomic_load_explicit(&table->slots, memory_order_relaxed);
  if (!slots || 2 * table->used > slots->mask)
    slots = grow(table, slots);
  if (!slots)
    return false;
  put(slots, &key, value + 1);
  table->used++;
  return true;
}
