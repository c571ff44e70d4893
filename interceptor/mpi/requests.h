/* Persistent requests: what starting one will move, kept from its making to its freeing. Requests
 * that are started, persistent or not, are in pending.h. */
#ifndef VARSCOPE_REQUESTS_H
#define VARSCOPE_REQUESTS_H

#include "communicators.h"
#include "mpi_functions.h"

/* Keeps peer, tag, bytes and communicator of a request that a call just made, and takes the bytes
 * out of the record of that call: they count when they move. `receive`: its status will tell what
 * came. */
void vs_made_request(MPI_Request request, struct vs_arguments *work, const struct vs_comm *comm,
                     bool receive);

/* The work of one start; peer, tag and communicator unknown, and no bytes, for a handle that no
 * wrapper saw being made. `group` is that of the communicator, or NULL. */
struct vs_arguments vs_start_of(MPI_Request request, const struct vs_group **group, bool *receive);

/* Whether a wrapper saw it being made. */
bool vs_is_persistent(MPI_Request request);

/* Starting a request replaced its handle, as the standard allows. */
void vs_moved_request(MPI_Request from, MPI_Request to);

/* To be called before the real call frees it. */
void vs_forget_request(MPI_Request request);

#endif
