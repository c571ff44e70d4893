/*
 * Messages that MPI_Mprobe or MPI_Improbe took out of the queue (MPI 3.1, section 3.8.2): where
 * they come from, kept until they are received. MPI_Mrecv and MPI_Imrecv get nothing but a handle,
 * and name neither communicator nor source.
 */
#ifndef VARSCOPE_MESSAGES_H
#define VARSCOPE_MESSAGES_H

#include "communicators.h"
#include "mpi_functions.h"

/* What is known of a message: peer and tag are VST_ANY_PEER and VST_ANY_TAG, and there is no
 * communicator, where nothing is. */
struct vs_message {
  struct vs_comm comm;
  int32_t peer, tag;
};

/* A probe found `message`; `work` is what its record says. */
void vs_probed(const struct vs_scope *scope, const MPI_Message *message,
               const struct vs_arguments *work, const struct vs_comm *comm);
void vs_probed_fortran(const struct vs_scope *scope, const MPI_Fint *message,
                       const struct vs_arguments *work, const struct vs_comm *comm);

/* What is known of a message, which is forgotten. To be called before the real call that receives
 * it, and voids the handle. */
struct vs_message vs_taken(const struct vs_scope *scope, const MPI_Message *message);
struct vs_message vs_taken_fortran(const struct vs_scope *scope, const MPI_Fint *message);

/* Puts what is known in the place of what the call itself does not tell. */
void vs_work_of_message(struct vs_arguments *work, const struct vs_message *message);

#endif
