/* The MPI that the wrappers themselves use: functions by their PMPI names, and the handles whose
 * value is an address in the library. Nothing here needs libmpi at link time. */
#ifndef VARSCOPE_MPI_FUNCTIONS_H
#define VARSCOPE_MPI_FUNCTIONS_H

#include <mpi.h>
#include <stddef.h>

#include "abi.h"

#define VS_MPI_FUNCTIONS(X)                                                                        \
  X(Cartdim_get)                                                                                   \
  X(Comm_group)                                                                                    \
  X(Comm_rank)                                                                                     \
  X(Comm_remote_group)                                                                             \
  X(Comm_size)                                                                                     \
  X(Comm_test_inter)                                                                               \
  X(Dist_graph_neighbors_count)                                                                    \
  X(File_f2c)                                                                                      \
  X(File_get_group)                                                                                \
  X(Get_elements_x)                                                                                \
  X(Get_library_version)                                                                           \
  X(Graph_neighbors_count)                                                                         \
  X(Group_free)                                                                                    \
  X(Group_rank)                                                                                    \
  X(Group_size)                                                                                    \
  X(Group_translate_ranks)                                                                         \
  X(Status_f2c)                                                                                    \
  X(Test_cancelled)                                                                                \
  X(Topo_test)                                                                                     \
  X(Type_get_envelope)                                                                             \
  X(Type_size_x)                                                                                   \
  X(Win_get_group)

struct vs_mpi {
#define VS_MEMBER(name) __typeof__(&PMPI_##name) name;
  VS_MPI_FUNCTIONS(VS_MEMBER)
#undef VS_MEMBER
#ifdef OPEN_MPI
  __typeof__(&PMPI_Comm_f2c) Comm_f2c;
  __typeof__(&PMPI_Type_f2c) Type_f2c;
  __typeof__(&PMPI_Request_f2c) Request_f2c;
  __typeof__(&PMPI_Win_f2c) Win_f2c;
  __typeof__(&PMPI_Message_f2c) Message_f2c;
#endif
  MPI_Comm world, self, null;
  MPI_Datatype byte;
  MPI_Request no_request; /* MPI_REQUEST_NULL */
  /* Addresses that Fortran programs pass as MPI_STATUS_IGNORE; NULL if not known. */
  void *const *fortran_status_ignore, *const *f08_status_ignore;
  void *const *fortran_statuses_ignore, *const *f08_statuses_ignore; /* MPI_STATUSES_IGNORE */
};

extern struct vs_mpi vs_mpi;
extern struct vs_core vs_core;

/* Fills vs_mpi; the name of what is missing, or NULL. */
const char *vs_find_mpi_functions(void *(*resolve)(const char *symbol));

static inline MPI_Comm vs_comm_f2c(MPI_Fint handle) {
#ifdef OPEN_MPI
  return vs_mpi.Comm_f2c(handle);
#else
  return MPI_Comm_f2c(handle);
#endif
}

static inline MPI_Request vs_request_f2c(MPI_Fint handle) {
#ifdef OPEN_MPI
  return vs_mpi.Request_f2c(handle);
#else
  return MPI_Request_f2c(handle);
#endif
}

static inline MPI_Win vs_win_f2c(MPI_Fint handle) {
#ifdef OPEN_MPI
  return vs_mpi.Win_f2c(handle);
#else
  return MPI_Win_f2c(handle);
#endif
}

static inline MPI_Message vs_message_f2c(MPI_Fint handle) {
#ifdef OPEN_MPI
  return vs_mpi.Message_f2c(handle);
#else
  return MPI_Message_f2c(handle);
#endif
}

static inline MPI_File vs_file_f2c(MPI_Fint handle) {
  return vs_mpi.File_f2c(handle);
}

static inline MPI_Datatype vs_type_f2c(MPI_Fint handle) {
#ifdef OPEN_MPI
  return vs_mpi.Type_f2c(handle);
#else
  return MPI_Type_f2c(handle);
#endif
}

#endif
