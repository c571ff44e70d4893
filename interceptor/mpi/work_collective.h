/* Work rules of collectives; included by work.h. */
#ifndef VARSCOPE_WORK_COLLECTIVE_H
#define VARSCOPE_WORK_COLLECTIVE_H

static inline int vs_partners(const struct vs_comm *comm) {
  return comm->group ? comm->group->partner_count : 0;
}

static inline int vs_group_size(const struct vs_comm *comm) {
  return comm->group ? comm->group->size : 0;
}

/* An array of counts in either width. */
struct vs_counts {
  const int *small; /* NULL: see `large` */
  const MPI_Count *large;
};

static inline struct vs_counts vs_counts(const int *counts) {
  return (struct vs_counts){counts, NULL};
}

static inline struct vs_counts vs_large_counts(const MPI_Count *counts) {
  return (struct vs_counts){NULL, counts};
}

static inline int64_t vs_count_at(struct vs_counts counts, int i) {
  return counts.small ? counts.small[i] : counts.large[i];
}

static inline uint64_t vs_payload_sum(struct vs_counts counts, MPI_Datatype type, int n) {
  int64_t sum = 0;
  for (int i = 0; i < n; i++)
    sum += vs_count_at(counts, i);
  return vs_payload(sum, type);
}

static inline uint64_t vs_payload_each(struct vs_counts counts, const MPI_Datatype *types, int n) {
  uint64_t bytes = 0;
  for (int i = 0; i < n; i++)
    bytes += vs_payload(vs_count_at(counts, i), types[i]);
  return bytes;
}

static inline uint64_t vs_payload_each_fortran(struct vs_counts counts, const MPI_Fint *types,
                                               int n) {
  uint64_t bytes = 0;
  for (int i = 0; i < n; i++)
    bytes += vs_payload(vs_count_at(counts, i), vs_type_f2c(types[i]));
  return bytes;
}

/* In an intercommunicator the root itself passes MPI_ROOT, and others of its group MPI_PROC_NULL.
 */
static inline bool vs_is_root(const struct vs_comm *comm, int root) {
  if (!comm->group)
    return false;
  return comm->group->remote_size ? root == MPI_ROOT : root == comm->group->rank;
}

static inline int32_t vs_root(const struct vs_comm *comm, int root) {
  if (root == MPI_ROOT && comm->group)
    return comm->group->members[comm->group->rank];
  return vs_peer(comm, root);
}

static inline void vs_work_local(struct vs_arguments *work, const struct vs_comm *comm,
                                 MPI_Count count, MPI_Datatype type) {
  (void)comm;
  work->bytes = vs_payload(count, type);
}

static inline void vs_work_rooted(struct vs_arguments *work, const struct vs_comm *comm,
                                  MPI_Count count, MPI_Datatype type, int root) {
  work->peer = vs_root(comm, root);
  if (root != MPI_PROC_NULL)
    work->bytes = vs_payload(count, type);
}

static inline void vs_work_gather(struct vs_arguments *work, const struct vs_comm *comm,
                                  MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
                                  MPI_Datatype recvtype, int root) {
  work->peer = vs_root(comm, root);
  if (vs_is_root(comm, root))
    work->bytes = vs_payload(recvcount * vs_partners(comm), recvtype);
  else if (root != MPI_PROC_NULL)
    work->bytes = vs_payload(sendcount, sendtype);
}

static inline void vs_work_gatherv(struct vs_arguments *work, const struct vs_comm *comm,
                                   MPI_Count sendcount, MPI_Datatype sendtype,
                                   struct vs_counts recvcounts, MPI_Datatype recvtype, int root) {
  work->peer = vs_root(comm, root);
  if (vs_is_root(comm, root))
    work->bytes = vs_payload_sum(recvcounts, recvtype, vs_partners(comm));
  else if (root != MPI_PROC_NULL)
    work->bytes = vs_payload(sendcount, sendtype);
}

static inline void vs_work_scatter(struct vs_arguments *work, const struct vs_comm *comm,
                                   MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
                                   MPI_Datatype recvtype, int root) {
  vs_work_gather(work, comm, recvcount, recvtype, sendcount, sendtype, root);
}

static inline void vs_work_scatterv(struct vs_arguments *work, const struct vs_comm *comm,
                                    struct vs_counts sendcounts, MPI_Datatype sendtype,
                                    MPI_Count recvcount, MPI_Datatype recvtype, int root) {
  vs_work_gatherv(work, comm, recvcount, recvtype, sendcounts, sendtype, root);
}

static inline void vs_work_all(struct vs_arguments *work, const struct vs_comm *comm,
                               MPI_Count recvcount, MPI_Datatype recvtype) {
  work->bytes = vs_payload(recvcount * vs_partners(comm), recvtype);
}

static inline void vs_work_allv(struct vs_arguments *work, const struct vs_comm *comm,
                                struct vs_counts recvcounts, MPI_Datatype recvtype) {
  work->bytes = vs_payload_sum(recvcounts, recvtype, vs_partners(comm));
}

static inline void vs_work_allw(struct vs_arguments *work, const struct vs_comm *comm,
                                struct vs_counts recvcounts, const MPI_Datatype *recvtypes) {
  work->bytes = vs_payload_each(recvcounts, recvtypes, vs_partners(comm));
}

static inline void vs_work_allw_fortran(struct vs_arguments *work, const struct vs_comm *comm,
                                        struct vs_counts recvcounts, const MPI_Fint *recvtypes) {
  work->bytes = vs_payload_each_fortran(recvcounts, recvtypes, vs_partners(comm));
}

static inline void vs_work_reduce_scatter(struct vs_arguments *work, const struct vs_comm *comm,
                                          struct vs_counts recvcounts, MPI_Datatype type) {
  work->bytes = vs_payload_sum(recvcounts, type, vs_group_size(comm));
}

static inline void vs_work_reduce_scatter_block(struct vs_arguments *work,
                                                const struct vs_comm *comm, MPI_Count recvcount,
                                                MPI_Datatype type) {
  work->bytes = vs_payload(recvcount * vs_group_size(comm), type);
}

static inline void vs_work_neighbours(struct vs_arguments *work, const struct vs_comm *comm,
                                      MPI_Count recvcount, MPI_Datatype recvtype) {
  work->bytes = vs_payload(recvcount * comm->indegree, recvtype);
}

static inline void vs_work_neighboursv(struct vs_arguments *work, const struct vs_comm *comm,
                                       struct vs_counts recvcounts, MPI_Datatype recvtype) {
  work->bytes = vs_payload_sum(recvcounts, recvtype, comm->indegree);
}

static inline void vs_work_neighboursw(struct vs_arguments *work, const struct vs_comm *comm,
                                       struct vs_counts recvcounts, const MPI_Datatype *recvtypes) {
  work->bytes = vs_payload_each(recvcounts, recvtypes, comm->indegree);
}

static inline void vs_work_neighboursw_fortran(struct vs_arguments *work,
                                               const struct vs_comm *comm,
                                               struct vs_counts recvcounts,
                                               const MPI_Fint *recvtypes) {
  work->bytes = vs_payload_each_fortran(recvcounts, recvtypes, comm->indegree);
}

#endif
