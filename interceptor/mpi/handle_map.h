/*
 * Map from MPI handles to what is known of them. Reading takes no lock, because every recorded call
 * reads; changing does. A reader that races with freeing and reuse of the very handle it looks up
 * (an erroneous program) may get a mix of the older and newer answer.
 */
#ifndef VARSCOPE_HANDLE_MAP_H
#define VARSCOPE_HANDLE_MAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define VS_MAP_WORDS 4

struct vs_map_table;

/* All zero is an empty map. */
struct vs_map {
  _Atomic(struct vs_map_table *) current;
  struct vs_map_table *spare; /* the table before; kept, since a reader may still be in it */
};

/* False if the handle is not there. */
bool vs_map_find(struct vs_map *map, uintptr_t handle, uint64_t words[VS_MAP_WORDS]);

/* Adds or replaces; without memory the handle stays unknown. The caller holds the map's lock. */
void vs_map_put(struct vs_map *map, uintptr_t handle, const uint64_t words[VS_MAP_WORDS]);

/* The caller holds the map's lock. */
void vs_map_remove(struct vs_map *map, uintptr_t handle);

#endif
