/* Work rules of the wait and test families; included by work.h. Indices and counts are
 * MPI_UNDEFINED, which is negative, when no request was active; MPICH's Fortran entries make that
 * one more. */
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

#endif
