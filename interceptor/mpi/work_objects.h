/* Work rules of windows and files; included by work.h. */
#ifndef VARSCOPE_WORK_OBJECTS_H
#define VARSCOPE_WORK_OBJECTS_H

static inline void vs_work_target(struct vs_arguments *work, const struct vs_comm *comm,
                                  int target) {
  work->peer = vs_peer(comm, target);
}

static inline void vs_work_put(struct vs_arguments *work, const struct vs_comm *comm,
                               MPI_Count count, MPI_Datatype type, int target) {
  vs_work_target(work, comm, target);
  if (target != MPI_PROC_NULL)
    work->bytes = vs_payload(count, type);
}

/* By the result: under MPI_NO_OP the origin means nothing. */
static inline void vs_work_fetch(struct vs_arguments *work, const struct vs_comm *comm,
                                 MPI_Count count, MPI_Datatype type, int target) {
  vs_work_put(work, comm, count, type, target);
}

static inline void vs_work_fetch_one(struct vs_arguments *work, const struct vs_comm *comm,
                                     MPI_Datatype type, int target) {
  vs_work_put(work, comm, 1, type, target);
}

static inline void vs_work_window_test(struct vs_arguments *work, const struct vs_comm *comm,
                                       int flag) {
  (void)comm;
  work->completed = flag != 0;
}

static inline void vs_work_file(struct vs_arguments *work, const struct vs_comm *comm,
                                MPI_Count count, MPI_Datatype type, const MPI_Status *status) {
  (void)comm;
  work->bytes = status ? vs_received(status) : vs_payload(count, type);
}

/* MPI_Pcontrol: the level as it is, of any sign. */
static inline void vs_work_phase(struct vs_arguments *work, const struct vs_comm *comm, int level) {
  (void)comm;
  work->bytes = (uint32_t)level;
  if (level == 0 || level == 1)
    vs_core.pause(level == 0);
}

#endif
