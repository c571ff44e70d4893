/* Persistent requests: what starting one will move, kept from its making to its freeing. Other
 * requests need no entry, and could not have one: Open MPI gives all small sends one handle. */
#ifndef VARSCOPE_REQUESTS_H
#define VARSCOPE_REQUESTS_H

#include "mpi_functions.h"

/* Keeps peer, tag, bytes and communicator of a request that a call just made, and takes the bytes
 * out of the record of that call: they count when they move. */
void vs_made_request(MPI_Request request, struct vs_arguments *work, uint32_t communicator);

/* The work of one start; peer, tag and communicator unknown, and no bytes, for a handle that no
 * wrapper saw being made. */
struct vs_arguments vs_start_of(MPI_Request request);

/* To be called before the real call frees it. */
void vs_forget_request(MPI_Request request);

#endif
