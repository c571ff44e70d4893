/* MPI_Init and MPI_Finalize: where recording starts and ends. */
#ifndef VARSCOPE_LIFETIME_H
#define VARSCOPE_LIFETIME_H

#include <stdbool.h>
#include <stdint.h>

#include "calls.h"

/* Brackets the real MPI_Init; a Fortran entry may call the C one inside. Returns the time of entry.
 */
uint64_t vs_before_init(void);

/* Starts recording when the outermost MPI_Init succeeded, and records it. */
void vs_after_init(uint64_t entered, enum vs_call call, const void *site, bool succeeded);

/* Records MPI_Finalize and closes the trace; `scope` is NULL where vs_begin refused. */
void vs_after_finalize(struct vs_scope *scope, bool succeeded);

#endif
