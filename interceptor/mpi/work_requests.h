/* Work rules of the wait and test families and of starts; included by work.h. Indices and counts
 * are MPI_UNDEFINED, which is negative, when no request was active; MPICH's Fortran entries make
 * that one more. */
#ifndef VARSCOPE_WORK_REQUESTS_H
#define VARSCOPE_WORK_REQUESTS_H

static inline void vs_work_requests(struct vs_arguments *work, int passed, int completed) {
  work->requests = passed > 0 ? (uint32_t)passed : 0;
  work->completed = completed > 0 ? (uint32_t)completed : 0;
}

static inline void vs_work_wait(struct vs_arguments *work, const struct vs_comm *comm) {
  (void)comm;
  vs_work_requests(work, 1, 1);
}

static inline void vs_work_waitall(struct vs_arguments *work, const struct vs_comm *comm, int n) {
  (void)comm;
  vs_work_requests(work, n, n);
}

static inline void vs_work_waitany(struct vs_arguments *work, const struct vs_comm *comm, int n,
                                   int index) {
  (void)comm;
  vs_work_requests(work, n, index >= 0);
}

static inline void vs_work_waitsome(struct vs_arguments *work, const struct vs_comm *comm, int n,
                                    int outcount) {
  (void)comm;
  vs_work_requests(work, n, outcount);
}

static inline void vs_work_test(struct vs_arguments *work, const struct vs_comm *comm, int flag) {
  (void)comm;
  vs_work_requests(work, 1, flag != 0);
}

static inline void vs_work_testall(struct vs_arguments *work, const struct vs_comm *comm, int n,
                                   int flag) {
  (void)comm;
  vs_work_requests(work, n, flag ? n : 0);
}

static inline void vs_work_testany(struct vs_arguments *work, const struct vs_comm *comm, int n,
                                   int index, int flag) {
  (void)comm;
  vs_work_requests(work, n, flag && index >= 0);
}

static inline struct vs_arguments vs_work_of_start(MPI_Request request) {
  const struct vs_group *group;
  bool receive;
  return vs_start_of(request, &group, &receive);
}

static inline void vs_work_start(struct vs_arguments *work, struct vs_comm *comm,
                                 MPI_Request request) {
  *work = vs_work_of_start(request);
  work->requests = 1;
  comm->number = work->communicator;
}

/* Adds one more start: bytes as a sum; peer, tag and communicator where all agree. */
static inline void vs_add_start(struct vs_arguments *work, struct vs_arguments start) {
  if (work->requests == 0) {
    *work = start;
  } else {
    work->bytes += start.bytes;
    if (work->peer != start.peer)
      work->peer = VST_NO_PEER;
    if (work->tag != start.tag)
      work->tag = VST_NO_TAG;
    if (work->communicator != start.communicator)
      work->communicator = VST_NO_COMMUNICATOR;
  }
  work->requests++;
}

static inline void vs_work_startall(struct vs_arguments *work, struct vs_comm *comm, int n,
                                    const MPI_Request *requests) {
  for (int i = 0; i < n; i++)
    vs_add_start(work, vs_work_of_start(requests[i]));
  comm->number = work->communicator;
}

static inline void vs_work_startall_fortran(struct vs_arguments *work, struct vs_comm *comm, int n,
                                            const MPI_Fint *requests) {
  for (int i = 0; i < n; i++)
    vs_add_start(work, vs_work_of_start(vs_request_f2c(requests[i])));
  comm->number = work->communicator;
}

/* A part of a started transfer is ready: its bytes were counted at the start. */
static inline void vs_work_ready(struct vs_arguments *work, struct vs_comm *comm,
                                 MPI_Request request) {
  *work = vs_work_of_start(request);
  work->bytes = 0;
  comm->number = work->communicator;
}

static inline void vs_work_partitioned_send(struct vs_arguments *work, const struct vs_comm *comm,
                                            int partitions, MPI_Count count, MPI_Datatype type,
                                            int dest, int tag) {
  vs_work_send(work, comm, partitions * count, type, dest, tag);
}

static inline void vs_work_partitioned_receive(struct vs_arguments *work,
                                               const struct vs_comm *comm, int partitions,
                                               MPI_Count count, MPI_Datatype type, int source,
                                               int tag) {
  vs_work_ireceive(work, comm, partitions * count, type, source, tag);
}

#endif
