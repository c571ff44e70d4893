/* Finds the MPI library of the process, however it came there. */
#ifndef VARSCOPE_FIND_MPI_H
#define VARSCOPE_FIND_MPI_H

#include <stdbool.h>

/* Names as in libvarscope-NAME.so; NULL: no MPI is loaded, "" : one that varscope does not know. */
const char *vs_mpi_abi(void);

/* Address of a symbol as the program sees it, else in the MPI libraries loaded with RTLD_LOCAL;
 * NULL if nowhere. Not safe from several threads at once. */
void *vs_resolve(const char *symbol);

/* The definition of a symbol that would be used if this library were not there; NULL if there is
 * none. */
void *vs_resolve_next(const char *symbol);

/* False in a rank that its launcher says is not the first: it leaves messages to that. */
bool vs_speaks(void);

#endif
