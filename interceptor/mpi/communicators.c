#include "communicators.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t next_number;

struct vs_map vs_communicators, vs_windows, vs_files;
struct vs_comm vs_world = {NULL, VST_NO_COMMUNICATOR, 0};

static void write_definition(const struct vs_comm *comm, uint32_t ordinal) {
  const struct vs_group *const group = comm->group;
  struct vst_rank_run few[16], *runs = few;
  const uint32_t room = sizeof few / sizeof *few;
  const uint32_t count = vs_group_runs(group, few, room);
  if (count > room) {
    runs = malloc(count * sizeof *runs);
    if (!runs) {
      vs_core.report_problem("no memory to write the members of a communicator");
      return;
    }
    vs_group_runs(group, runs, count);
  }
  const struct vst_communicator definition = {
      .communicator = comm->number,
      .ordinal = ordinal,
      .members_hash = group->members_hash,
      .size = (uint32_t)group->size,
      .rank = (uint32_t)group->rank,
      .runs = count,
      .remote_size = (uint32_t)group->remote_size,
  };
  vs_core.define_communicator(&definition, runs);
  if (runs != few)
    free(runs);
}

static int32_t indegree_of(MPI_Comm comm) {
  int kind = MPI_UNDEFINED, count = 0, out = 0, weighted = 0, rank = 0;
  vs_mpi.Topo_test(comm, &kind);
  switch (kind) {
  case MPI_CART:
    vs_mpi.Cartdim_get(comm, &count);
    return 2 * count;
  case MPI_GRAPH:
    vs_mpi.Comm_rank(comm, &rank);
    vs_mpi.Graph_neighbors_count(comm, rank, &count);
    return count;
  case MPI_DIST_GRAPH:
    vs_mpi.Dist_graph_neighbors_count(comm, &count, &out, &weighted);
    return count;
  default:
    return 0;
  }
}

/* Under the lock. */
static struct vs_comm define(MPI_Comm comm, struct vs_group *group, int32_t indegree) {
  if (!group) {
    vs_core.report_problem("no memory for a communicator; its calls are recorded without it");
    return vs_no_comm();
  }
  const struct vs_comm defined = {group, next_number++, indegree};
  write_definition(&defined, group->base->made++);
  vs_comm_store(&vs_communicators, (uintptr_t)comm, &defined);
  return defined;
}

void vs_define_predefined(void) {
  pthread_mutex_lock(&lock);
  vs_world = define(vs_mpi.world, vs_group_of(vs_mpi.world), 0);
  define(vs_mpi.self, vs_group_of(vs_mpi.self), 0);
  pthread_mutex_unlock(&lock);
}

void vs_discover(struct vs_comm *found, MPI_Comm comm) {
  pthread_mutex_lock(&lock);
  if (!vs_comm_lookup(&vs_communicators, (uintptr_t)comm, found))
    *found = define(comm, vs_group_of(comm), indegree_of(comm));
  pthread_mutex_unlock(&lock);
}

void vs_made(MPI_Comm comm) {
  if (comm == vs_mpi.null)
    return;
  pthread_mutex_lock(&lock);
  define(comm, vs_group_of(comm), indegree_of(comm));
  pthread_mutex_unlock(&lock);
}

void vs_made_like(MPI_Comm comm, const struct vs_comm *original) {
  if (comm == vs_mpi.null || !original->group)
    return;
  pthread_mutex_lock(&lock);
  define(comm, (struct vs_group *)(uintptr_t)original->group, original->indegree);
  pthread_mutex_unlock(&lock);
}

void vs_forget(MPI_Comm comm) {
  if (comm == vs_mpi.world)
    return;
  pthread_mutex_lock(&lock);
  vs_map_remove(&vs_communicators, (uintptr_t)comm);
  pthread_mutex_unlock(&lock);
}

/* Under the lock, which guards groups too. */
static void discover_members(struct vs_comm *found, struct vs_map *map, uintptr_t handle,
                             MPI_Group members) {
  *found = (struct vs_comm){vs_group_of_members(members), VST_NO_COMMUNICATOR, 0};
  vs_mpi.Group_free(&members);
  if (found->group)
    vs_comm_store(map, handle, found);
}

static void keep(struct vs_map *map, uintptr_t handle, const struct vs_comm *comm) {
  pthread_mutex_lock(&lock);
  vs_comm_store(map, handle, comm);
  pthread_mutex_unlock(&lock);
}

static void drop(struct vs_map *map, uintptr_t handle) {
  pthread_mutex_lock(&lock);
  vs_map_remove(map, handle);
  pthread_mutex_unlock(&lock);
}

void vs_made_window(MPI_Win window, const struct vs_comm *comm) {
  keep(&vs_windows, (uintptr_t)window, comm);
}

void vs_made_file(MPI_File file, const struct vs_comm *comm) {
  keep(&vs_files, (uintptr_t)file, comm);
}

void vs_forget_window(MPI_Win window) {
  drop(&vs_windows, (uintptr_t)window);
}

void vs_forget_file(MPI_File file) {
  drop(&vs_files, (uintptr_t)file);
}

void vs_discover_window(struct vs_comm *found, MPI_Win window) {
  MPI_Group members;
  if (vs_mpi.Win_get_group(window, &members) != MPI_SUCCESS)
    return;
  pthread_mutex_lock(&lock);
  discover_members(found, &vs_windows, (uintptr_t)window, members);
  pthread_mutex_unlock(&lock);
}

void vs_discover_file(struct vs_comm *found, MPI_File file) {
  MPI_Group members;
  if (vs_mpi.File_get_group(file, &members) != MPI_SUCCESS)
    return;
  pthread_mutex_lock(&lock);
  discover_members(found, &vs_files, (uintptr_t)file, members);
  pthread_mutex_unlock(&lock);
}
