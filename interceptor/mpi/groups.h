/* Groups of processes behind communicators, as world ranks. Many communicators share one; it is
 * never freed. */
#ifndef VARSCOPE_GROUPS_H
#define VARSCOPE_GROUPS_H

#include "mpi_functions.h"

struct vs_group {
  struct vs_group *next;
  struct vs_group *base; /* the same members without a remote group; counts `made` for both */
  uint64_t members_hash; /* see struct vst_communicator */
  uint32_t made;         /* communicators with these members so far */
  int32_t size, rank;    /* of the local group, of this process in it */
  int32_t remote_size;   /* intercommunicators, else 0 */
  int32_t partner_count; /* remote_size, or size */
  /* World ranks; VST_NO_PEER for a process of another MPI_COMM_WORLD. `partners` are those that
   * ranks in calls mean: the remote group of an intercommunicator, else the members. */
  const int32_t *members, *partners;
};

/* The group of a valid communicator; NULL without memory. Callers hold one lock. */
struct vs_group *vs_group_of(MPI_Comm comm);

/* The same for the members of an MPI group. */
struct vs_group *vs_group_of_members(MPI_Group group);

/* Run-length form of the members: returns the number of runs, and stores at most `room` of them. */
uint32_t vs_group_runs(const struct vs_group *group, struct vst_rank_run *runs, uint32_t room);

#endif
