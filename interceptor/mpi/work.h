/*
 * What a call had to do, from its arguments: one `vs_work_RULE` for each kind of work that the head
 * of interceptor/spec/mpi-calls.txt explains. Called after the real call succeeded, so all handles
 * are valid.
 */
#ifndef VARSCOPE_WORK_H
#define VARSCOPE_WORK_H

#include "communicators.h"
#include "lifetime.h"
#include "messages.h"
#include "mpi_functions.h"
#include "requests.h"
#include "transfers.h"
#include "type_sizes.h"

/* What the quick way needs of a call, in one cache line; filled as slots are bound. */
struct vs_real_call {
  _Alignas(64) vs_function forms[VS_FORM_COUNT]; /* the real functions, by form */
  ptrdiff_t self_offset;                         /* as in struct vs_core */
};

extern struct vs_real_call vs_real[VS_MPI_CALL_COUNT];

/* The quick ways of calls left out, see quick.h. */
static inline __attribute__((always_inline)) bool
vs_leaves_quickly(struct vs_quick_call *quick, enum vs_call call, const void *site) {
  return vs_quick_begin(quick, vs_quick_self(vs_real[call].self_offset), call, site);
}

static inline __attribute__((always_inline)) bool vs_counts_quickly(enum vs_call call,
                                                                    const void *site) {
  return vs_quick_count(vs_quick_self(vs_real[call].self_offset), call, site);
}

static inline struct vs_arguments vs_no_work(void) {
  return (struct vs_arguments){
      .communicator = VST_NO_COMMUNICATOR, .peer = VST_NO_PEER, .tag = VST_NO_TAG};
}

static inline bool vs_ignored(const MPI_Status *status) {
  return status == MPI_STATUS_IGNORE;
}

/* The status a Fortran caller got, or NULL where it passed MPI_STATUS_IGNORE or that cannot be
 * told. */
static inline const MPI_Status *vs_fortran_status(const void *status, enum vs_form form,
                                                  MPI_Status *own) {
  void *const *const ignore = form != VS_FORM_F && vs_mpi.f08_status_ignore
                                  ? vs_mpi.f08_status_ignore
                                  : vs_mpi.fortran_status_ignore;
  if (!ignore || !*ignore || status == *ignore)
    return NULL;
  return vs_mpi.Status_f2c(status, own) == MPI_SUCCESS ? own : NULL;
}

static inline uint64_t vs_payload(int64_t count, MPI_Datatype type) {
  return count > 0 ? (uint64_t)count * (uint64_t)vs_type_size(type) : 0;
}

static inline uint64_t vs_received(const MPI_Status *status) {
  MPI_Count bytes = 0;
  if (vs_mpi.Get_elements_x(status, vs_mpi.byte, &bytes) != MPI_SUCCESS || bytes < 0)
    return 0;
  return (uint64_t)bytes;
}

/* World rank of a rank in calls on this communicator. */
static inline int32_t vs_peer(const struct vs_comm *comm, int rank) {
  if (rank == MPI_PROC_NULL)
    return VST_NULL_PEER;
  if (rank == MPI_ANY_SOURCE)
    return VST_ANY_PEER;
  if (comm->group == vs_world.group)
    return rank;
  if (!comm->group || rank < 0 || rank >= comm->group->partner_count)
    return VST_NO_PEER;
  return comm->group->partners[rank];
}

static inline int32_t vs_tag(int tag) {
  return tag == MPI_ANY_TAG ? VST_ANY_TAG : tag;
}

static inline void vs_work_send(struct vs_arguments *work, const struct vs_comm *comm,
                                MPI_Count count, MPI_Datatype type, int dest, int tag) {
  work->peer = vs_peer(comm, dest);
  work->tag = vs_tag(tag);
  if (dest != MPI_PROC_NULL)
    work->bytes = vs_payload(count, type);
}

static inline void vs_work_ireceive(struct vs_arguments *work, const struct vs_comm *comm,
                                    MPI_Count count, MPI_Datatype type, int source, int tag) {
  vs_work_send(work, comm, count, type, source, tag);
}

static inline void vs_work_receive(struct vs_arguments *work, const struct vs_comm *comm,
                                   MPI_Count count, MPI_Datatype type, int source, int tag,
                                   const MPI_Status *status) {
  if (!status) {
    vs_work_ireceive(work, comm, count, type, source, tag);
  } else if (source == MPI_PROC_NULL) {
    work->peer = VST_NULL_PEER;
    work->tag = vs_tag(tag);
  } else {
    work->peer = vs_peer(comm, status->MPI_SOURCE);
    work->tag = vs_tag(status->MPI_TAG);
    work->bytes = vs_received(status);
  }
}

static inline void vs_work_imreceive(struct vs_arguments *work, const struct vs_comm *comm,
                                     MPI_Count count, MPI_Datatype type) {
  (void)comm;
  work->peer = VST_ANY_PEER;
  work->tag = VST_ANY_TAG;
  work->bytes = vs_payload(count, type);
}

static inline void vs_work_mreceive(struct vs_arguments *work, const struct vs_comm *comm,
                                    MPI_Count count, MPI_Datatype type, const MPI_Status *status) {
  vs_work_imreceive(work, comm, count, type);
  if (!status)
    return;
  if (comm->group || status->MPI_SOURCE == MPI_PROC_NULL)
    work->peer = vs_peer(comm, status->MPI_SOURCE);
  work->tag = vs_tag(status->MPI_TAG);
  work->bytes = vs_received(status);
}

static inline void vs_work_sendrecv(struct vs_arguments *work, const struct vs_comm *comm,
                                    const struct vs_scope *scope, MPI_Count sendcount,
                                    MPI_Datatype sendtype, int dest, int sendtag,
                                    MPI_Count recvcount, MPI_Datatype recvtype, int source,
                                    int recvtag, const MPI_Status *status) {
  struct vs_arguments received = vs_no_work();
  vs_work_send(work, comm, sendcount, sendtype, dest, sendtag);
  vs_work_receive(&received, comm, recvcount, recvtype, source, recvtag, status);
  vs_exchanged(scope, work, &received);
  if (dest == MPI_PROC_NULL) {
    work->peer = received.peer;
    work->tag = received.tag;
  }
  work->bytes += received.bytes;
}

static inline void vs_work_exchange(struct vs_arguments *work, const struct vs_comm *comm,
                                    const struct vs_scope *scope, MPI_Count count,
                                    MPI_Datatype type, int dest, int sendtag, int source,
                                    int recvtag, const MPI_Status *status) {
  vs_work_sendrecv(work, comm, scope, count, type, dest, sendtag, count, type, source, recvtag,
                   status);
}

/* Bytes of what is received as posted: there is no status yet. */
static inline void vs_work_isendrecv(struct vs_arguments *work, const struct vs_comm *comm,
                                     MPI_Count sendcount, MPI_Datatype sendtype, int dest,
                                     int sendtag, MPI_Count recvcount, MPI_Datatype recvtype,
                                     int source) {
  vs_work_send(work, comm, sendcount, sendtype, dest, sendtag);
  if (dest == MPI_PROC_NULL)
    work->peer = vs_peer(comm, source);
  if (source != MPI_PROC_NULL)
    work->bytes += vs_payload(recvcount, recvtype);
}

static inline void vs_work_iexchange(struct vs_arguments *work, const struct vs_comm *comm,
                                     MPI_Count count, MPI_Datatype type, int dest, int sendtag,
                                     int source) {
  vs_work_isendrecv(work, comm, count, type, dest, sendtag, count, type, source);
}

static inline void vs_work_probe(struct vs_arguments *work, const struct vs_comm *comm, int source,
                                 int tag, const MPI_Status *status) {
  const bool known = status && source != MPI_PROC_NULL;
  work->peer = vs_peer(comm, known ? status->MPI_SOURCE : source);
  work->tag = vs_tag(known ? status->MPI_TAG : tag);
}

static inline void vs_work_iprobe(struct vs_arguments *work, const struct vs_comm *comm, int source,
                                  int tag, int flag, const MPI_Status *status) {
  vs_work_probe(work, comm, source, tag, flag ? status : NULL);
  work->completed = flag != 0;
}

#include "work_collective.h"
#include "work_objects.h"
#include "work_requests.h"

#endif
