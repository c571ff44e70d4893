/*
 * From start to completion: what wrappers do around calls that start or complete requests. All of
 * it happens between vs_core.stop and vs_core.end, but for vs_waiting_*, which come before the real
 * call.
 */
#ifndef VARSCOPE_MPI_TRANSFERS_H
#define VARSCOPE_MPI_TRANSFERS_H

#include "communicators.h"
#include "mpi_functions.h"

/* Requests of one call for which no memory need be mapped. */
#define VS_FEW_REQUESTS 128

/*
 * The requests of a call that completes or starts some, as they were before it: it sets those that
 * it completes to MPI_REQUEST_NULL. And the statuses, where they can be read afterwards.
 */
struct vs_waiting {
  MPI_Request *requests;
  MPI_Status *own;      /* room for statuses of our own */
  const void *statuses; /* statuses that the real call fills, or NULL */
  bool fortran;         /* these are a Fortran program's */
  int count;
  size_t mapped; /* bytes behind `requests`, or 0 */
  MPI_Request few[VS_FEW_REQUESTS];
  MPI_Status few_statuses[VS_FEW_REQUESTS];
};

void vs_waiting_open(struct vs_waiting *waiting, int count, const MPI_Request *requests);
void vs_waiting_open_fortran(struct vs_waiting *waiting, int count, const MPI_Fint *requests);

/*
 * The status or statuses that the real call is to get: the caller's, or our own where the caller
 * ignores them and a start waits for its status. Nothing but that is replaced.
 */
MPI_Status *vs_waiting_statuses(struct vs_waiting *waiting, MPI_Status *given);
void *vs_waiting_statuses_fortran(struct vs_waiting *waiting, void *given, enum vs_form form);

void vs_waiting_close(struct vs_waiting *waiting);

/* The call completed all of its requests. */
void vs_waited_all(const struct vs_waiting *waiting, const struct vs_scope *scope);

/* The call completed the one at `index`, counted from 0; none if it is out of range. */
void vs_waited_one(const struct vs_waiting *waiting, const struct vs_scope *scope, int index);

/* The call completed `count` of them; `indices` are counted from `first`. */
void vs_waited_some(const struct vs_waiting *waiting, const struct vs_scope *scope, int count,
                    const int *indices, int first);

/*
 * What the first request's index is for a Fortran program whose call completed `count` requests:
 * 1, but 0 in mpi_f08 of MPICH up to 4.0. `requests` are as they are after the call.
 */
int vs_first_index(const struct vs_waiting *waiting, const MPI_Fint *requests, int count,
                   const MPI_Fint *indices, enum vs_form form);

/* The call returned an error: those that it set to MPI_REQUEST_NULL are completed. */
void vs_waited_failed(const struct vs_waiting *waiting, const struct vs_scope *scope,
                      const MPI_Request *requests);
void vs_waited_failed_fortran(const struct vs_waiting *waiting, const struct vs_scope *scope,
                              const MPI_Fint *requests);

/* The call started `request`. */
void vs_posted(const struct vs_scope *scope, MPI_Request request, const struct vs_arguments *work,
               const struct vs_comm *comm, bool receive);

/* The real call that starts persistent requests may have replaced them by others. */
void vs_restarted(struct vs_waiting *waiting, const MPI_Request *requests);
void vs_restarted_fortran(struct vs_waiting *waiting, const MPI_Fint *requests);

/* The call started the persistent requests of `waiting`; `work` is what its record says. */
void vs_posted_again(const struct vs_waiting *waiting, const struct vs_scope *scope,
                     const struct vs_arguments *work, const struct vs_comm *comm);

/* The call sent and received at once; halves to or from MPI_PROC_NULL are none. */
void vs_exchanged(const struct vs_scope *scope, const struct vs_arguments *sent,
                  const struct vs_arguments *received);

/* The call freed `request`, which may have been started. */
void vs_freed(const struct vs_scope *scope, MPI_Request request);

/* MPI_Cancel succeeded: whether it came in time, the status will tell. */
void vs_cancelling(const struct vs_scope *scope, MPI_Request request);

#endif
