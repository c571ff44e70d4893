/*
 * Map from communicator handles to what is known of them. Reading takes no lock, because every
 * recorded call reads; changing does. A reader that races with freeing and reuse of the very handle
 * it looks up (an erroneous program) may get the older or newer answer, never a dangling one.
 */
#ifndef VARSCOPE_HANDLE_MAP_H
#define VARSCOPE_HANDLE_MAP_H

#include <stdbool.h>
#include <stdint.h>

struct vs_group;

struct vs_comm {
  const struct vs_group *group; /* NULL: communicator not known */
  uint32_t number;              /* in this file, or VST_NO_COMMUNICATOR */
  int32_t indegree;             /* neighbours this process receives from; 0 without topology */
};

/* False if the handle is not there. */
bool vs_map_find(uintptr_t handle, struct vs_comm *found);

/* Adds or replaces; without memory the handle stays unknown. The caller holds the lock. */
void vs_map_put(uintptr_t handle, const struct vs_comm *comm);

/* The caller holds the lock. */
void vs_map_remove(uintptr_t handle);

#endif
