#include "groups.h"

#include <stdlib.h>
#include <string.h>

static struct vs_group *groups;

/* FNV-1a, 64 bit (Fowler, Noll, Vo; draft-eastlake-fnv). */
static uint64_t hash_members(const int32_t *members, int32_t size) {
  uint64_t hash = 0xcbf29ce484222325u;
  const unsigned char *bytes = (const unsigned char *)members;
  for (size_t i = 0; i < (size_t)size * sizeof *members; i++)
    hash = (hash ^ bytes[i]) * 0x100000001b3u;
  return hash;
}

/* Translates all of `group` to world ranks; the caller frees. */
static int32_t *world_ranks(MPI_Group group, int size) {
  int32_t *ranks = malloc(2 * (size_t)size * sizeof *ranks + sizeof *ranks);
  MPI_Group world;
  if (!ranks)
    return NULL;
  int32_t *const own = ranks + size;
  for (int i = 0; i < size; i++)
    own[i] = i;
  vs_mpi.Comm_group(vs_mpi.world, &world);
  vs_mpi.Group_translate_ranks(group, size, own, world, ranks);
  vs_mpi.Group_free(&world);
  for (int i = 0; i < size; i++)
    if (ranks[i] == MPI_UNDEFINED)
      ranks[i] = VST_NO_PEER;
  return ranks;
}

static struct vs_group *find(const int32_t *members, int32_t size, const int32_t *remote,
                             int32_t remote_size) {
  const uint64_t hash = hash_members(members, size);
  for (struct vs_group *group = groups; group; group = group->next) {
    if (group->members_hash == hash && group->size == size && group->remote_size == remote_size &&
        memcmp(group->members, members, (size_t)size * sizeof *members) == 0 &&
        (remote_size == 0 ||
         memcmp(group->partners, remote, (size_t)remote_size * sizeof *remote) == 0))
      return group;
  }
  return NULL;
}

/* Takes the arrays over. */
static struct vs_group *add(int32_t *members, int32_t size, int rank, int32_t *remote,
                            int32_t remote_size) {
  struct vs_group *group = calloc(1, sizeof *group);
  if (!group)
    return NULL;
  group->members_hash = hash_members(members, size);
  group->size = size;
  group->rank = rank;
  group->remote_size = remote_size;
  group->partner_count = remote_size ? remote_size : size;
  group->members = members;
  group->partners = remote_size ? remote : members;
  group->base = group;
  group->next = groups;
  groups = group;
  return group;
}

static struct vs_group *find_or_add(int32_t *members, int32_t size, int rank, int32_t *remote,
                                    int32_t remote_size) {
  struct vs_group *group = find(members, size, remote, remote_size);
  if (group) {
    free(members);
    free(remote);
    return group;
  }
  return add(members, size, rank, remote, remote_size);
}

static struct vs_group *base_of(const struct vs_group *group) {
  struct vs_group *base = find(group->members, group->size, NULL, 0);
  const size_t bytes = (size_t)group->size * sizeof *group->members;
  int32_t *copy = base ? NULL : malloc(bytes + 1);
  if (base || !copy)
    return base;
  memcpy(copy, group->members, bytes);
  return add(copy, group->size, group->rank, NULL, 0);
}

struct vs_group *vs_group_of(MPI_Comm comm) {
  MPI_Group local, remote;
  int inter = 0, rank = 0, size = 0, remote_size = 0;
  int32_t *members = NULL, *partners = NULL;
  vs_mpi.Comm_test_inter(comm, &inter);
  vs_mpi.Comm_group(comm, &local);
  vs_mpi.Group_size(local, &size);
  vs_mpi.Group_rank(local, &rank);
  members = world_ranks(local, size);
  vs_mpi.Group_free(&local);
  if (inter) {
    vs_mpi.Comm_remote_group(comm, &remote);
    vs_mpi.Group_size(remote, &remote_size);
    partners = world_ranks(remote, remote_size);
    vs_mpi.Group_free(&remote);
  }
  if (!members || (inter && !partners)) {
    free(members);
    free(partners);
    return NULL;
  }
  struct vs_group *group = find_or_add(members, size, rank, partners, remote_size);
  if (group && remote_size && group->base == group)
    group->base = base_of(group);
  if (group && !group->base)
    group->base = group;
  return group;
}

struct vs_group *vs_group_of_members(MPI_Group group) {
  int rank = 0, size = 0;
  vs_mpi.Group_size(group, &size);
  vs_mpi.Group_rank(group, &rank);
  int32_t *members = world_ranks(group, size);
  return members ? find_or_add(members, size, rank, NULL, 0) : NULL;
}

uint32_t vs_group_runs(const struct vs_group *group, struct vst_rank_run *runs, uint32_t room) {
  uint32_t count = 0;
  int32_t i = 0;
  while (i < group->size) {
    struct vst_rank_run run = {group->members[i], 0, 1};
    if (i + 1 < group->size)
      run.stride = group->members[i + 1] - run.first;
    while (i + (int32_t)run.count < group->size &&
           group->members[i + (int32_t)run.count] == run.first + run.stride * (int32_t)run.count)
      run.count++;
    /* Two members that belong to no longer run: leave the second to the next one. */
    if (run.count == 2 && i + 2 < group->size)
      run = (struct vst_rank_run){run.first, 0, 1};
    if (count < room)
      runs[count] = run;
    count++;
    i += (int32_t)run.count;
  }
  return count;
}
