/*
 * A growing hash table from (address, call, scope) to a number, in memory of its own (no malloc).
 * Insertions are made under the lock; lookups need none, as entries never change or go away. The
 * arrays a table has outgrown stay mapped for readers still in them; together they are smaller than
 * the current one.
 */
#ifndef VARSCOPE_TABLE_H
#define VARSCOPE_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define VS_NOT_FOUND 0xffffffffu

struct vs_key {
  uint64_t address;
  uint32_t call;
  uint32_t scope; /* tells the kinds of keys of one table apart */
};

struct vs_slot {
  struct vs_key key;
  _Atomic uint32_t value_plus_one; /* 0: free. Stored after the key */
};

struct vs_slots {
  uint32_t mask; /* number of slots, a power of two, minus 1 */
  struct vs_slot slot[];
};

struct vs_table {
  struct vs_slots *_Atomic slots; /* NULL before the first insertion */
  uint32_t used;
};

static inline uint32_t vs_key_hash(struct vs_key key) {
  uint64_t mixed = (key.address ^ (uint64_t)key.scope << 40) * 0x9e3779b97f4a7c15u;
  return (uint32_t)((mixed + key.call * 0xc2b2ae3d27d4eb4fu) >> 32);
}

static inline bool vs_key_equal(const struct vs_key *a, const struct vs_key *b) {
  return a->address == b->address && a->call == b->call && a->scope == b->scope;
}

/* The number of `key`, or VS_NOT_FOUND. */
static inline uint32_t vs_table_find(const struct vs_table *table, struct vs_key key) {
  const struct vs_slots *slots = atomic_load_explicit(&table->slots, memory_order_acquire);
  if (!slots)
    return VS_NOT_FOUND;
  for (uint32_t i = vs_key_hash(key);; i++) {
    const struct vs_slot *slot = &slots->slot[i & slots->mask];
    uint32_t value = atomic_load_explicit(&slot->value_plus_one, memory_order_acquire);
    if (value == 0 || vs_key_equal(&slot->key, &key))
      return value - 1;
  }
}

/* `key` is not in the table and `value` is not VS_NOT_FOUND. False if memory cannot be had. */
bool vs_table_insert(struct vs_table *table, struct vs_key key, uint32_t value);

#endif
