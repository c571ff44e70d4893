/* Whose call it is: the program's, or that of MPI, its transports, and varscope itself. */
#ifndef VARSCOPE_IO_ORIGIN_H
#define VARSCOPE_IO_ORIGIN_H

#include <stdbool.h>

/*
 * False for call sites in libraries that carry MPI's messages: what they read and write is
 * communication, also where a thread of theirs does it, and so are threads that they make and what
 * they wait for. Known by the file name of the library; code
 * outside all libraries is the program's. Each site is looked up once.
 */
bool vs_of_program(const void *site);

#endif
