/* The functions of the MPI library by name, in the variant that is linked into a program: there the
 * dynamic linker need not know them. The table is generated from the names in mpi.h. */
#ifndef VARSCOPE_LINKED_H
#define VARSCOPE_LINKED_H

struct vs_linked {
  const char *name; /* PMPI_Send; NULL after the last one */
  void (*function)(void);
};

extern const struct vs_linked vs_linked[];

#endif
