/* Communicators: numbers in the trace, and world ranks of their members. Windows and files go by
 * the communicator that they were made on. */
#ifndef VARSCOPE_COMMUNICATORS_H
#define VARSCOPE_COMMUNICATORS_H

#include "groups.h"
#include "handle_map.h"
#include "mpi_functions.h"

struct vs_comm {
  const struct vs_group *group; /* NULL: communicator not known */
  uint32_t number;              /* in this file, or VST_NO_COMMUNICATOR */
  int32_t indegree;             /* neighbours this process receives from; 0 without topology */
};

/* Written by vs_define_predefined before anything is recorded. */
extern struct vs_comm vs_world;

/* Defines MPI_COMM_WORLD as 0 and MPI_COMM_SELF as 1; once, after MPI_Init. */
void vs_define_predefined(void);

/* A communicator that no wrapper saw being made: defines it now. */
void vs_discover(struct vs_comm *found, MPI_Comm comm);

/* Defines a communicator that a call just made; nothing for MPI_COMM_NULL. */
void vs_made(MPI_Comm comm);

/* The same for one whose construction is still under way (MPI_Comm_idup), from the one it will
 * equal. */
void vs_made_like(MPI_Comm comm, const struct vs_comm *original);

/* To be called before the real call frees it: afterwards the handle may mean another one. */
void vs_forget(MPI_Comm comm);

static inline struct vs_comm vs_no_comm(void) {
  return (struct vs_comm){NULL, VST_NO_COMMUNICATOR, 0};
}

/* Handles to struct vs_comm, in the words of a map. */
extern struct vs_map vs_communicators, vs_windows, vs_files;

static inline bool vs_comm_lookup(struct vs_map *map, uintptr_t handle, struct vs_comm *found) {
  uint64_t words[VS_MAP_WORDS];
  if (!vs_map_find(map, handle, words))
    return false;
  found->group = (const struct vs_group *)(uintptr_t)words[0];
  found->number = (uint32_t)words[1];
  found->indegree = (int32_t)(uint32_t)words[2];
  return true;
}

static inline void vs_comm_store(struct vs_map *map, uintptr_t handle, const struct vs_comm *comm) {
  const uint64_t words[VS_MAP_WORDS] = {(uintptr_t)comm->group, comm->number,
                                        (uint32_t)comm->indegree};
  vs_map_put(map, handle, words);
}

/* What is known of a handle; looks into no communicator, so that invalid ones are left to the real
 * call. */
static inline struct vs_comm vs_find(MPI_Comm comm) {
  if (comm == vs_mpi.world)
    return vs_world;
  struct vs_comm found = vs_no_comm();
  vs_comm_lookup(&vs_communicators, (uintptr_t)comm, &found);
  return found;
}

/* After a successful call: the handle is valid. */
static inline void vs_know(struct vs_comm *found, MPI_Comm comm) {
  if (!found->group && comm != vs_mpi.null)
    vs_discover(found, comm);
}

/* A window or file that a call just made on this communicator. */
void vs_made_window(MPI_Win window, const struct vs_comm *comm);
void vs_made_file(MPI_File file, const struct vs_comm *comm);

/* To be called before the real call frees it. */
void vs_forget_window(MPI_Win window);
void vs_forget_file(MPI_File file);

/* One that no wrapper saw being made: its members are known, its communicator is not. */
void vs_discover_window(struct vs_comm *found, MPI_Win window);
void vs_discover_file(struct vs_comm *found, MPI_File file);

static inline struct vs_comm vs_find_window(MPI_Win window) {
  struct vs_comm found = vs_no_comm();
  vs_comm_lookup(&vs_windows, (uintptr_t)window, &found);
  return found;
}

static inline struct vs_comm vs_find_file(MPI_File file) {
  struct vs_comm found = vs_no_comm();
  vs_comm_lookup(&vs_files, (uintptr_t)file, &found);
  return found;
}

/* After a successful call: the handle is valid. */
static inline void vs_know_window(struct vs_comm *found, MPI_Win window) {
  if (!found->group)
    vs_discover_window(found, window);
}

static inline void vs_know_file(struct vs_comm *found, MPI_File file) {
  if (!found->group)
    vs_discover_file(found, file);
}

#endif
