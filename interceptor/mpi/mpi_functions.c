#include "mpi_functions.h"

_Static_assert(sizeof(MPI_Fint) == sizeof(int), "Fortran INTEGER is a C int");

struct vs_mpi vs_mpi;
struct vs_core vs_core;

/* Open MPI's predefined handles are addresses of its data, which may lie in the executable (copy
 * relocation): only the loader knows. MPICH's are numbers. */
static const char *find_handles(void *(*resolve)(const char *symbol)) {
#ifdef OPEN_MPI
  if (!(vs_mpi.world = resolve("ompi_mpi_comm_world")))
    return "ompi_mpi_comm_world";
  if (!(vs_mpi.self = resolve("ompi_mpi_comm_self")))
    return "ompi_mpi_comm_self";
  if (!(vs_mpi.null = resolve("ompi_mpi_comm_null")))
    return "ompi_mpi_comm_null";
  if (!(vs_mpi.byte = resolve("ompi_mpi_byte")))
    return "ompi_mpi_byte";
  if (!(vs_mpi.no_request = resolve("ompi_request_null")))
    return "ompi_request_null";
#else
  (void)resolve;
  vs_mpi.world = MPI_COMM_WORLD;
  vs_mpi.self = MPI_COMM_SELF;
  vs_mpi.null = MPI_COMM_NULL;
  vs_mpi.byte = MPI_BYTE;
  vs_mpi.no_request = MPI_REQUEST_NULL;
#endif
  return NULL;
}

const char *vs_find_mpi_functions(void *(*resolve)(const char *symbol)) {
#define VS_FIND(name)                                                                              \
  if (!(vs_mpi.name = (__typeof__(vs_mpi.name))resolve("PMPI_" #name)))                            \
    return "PMPI_" #name;
  VS_MPI_FUNCTIONS(VS_FIND)
#ifdef OPEN_MPI
  VS_FIND(Comm_f2c)
  VS_FIND(Type_f2c)
  VS_FIND(Request_f2c)
  VS_FIND(Win_f2c)
  VS_FIND(Message_f2c)
#endif
#undef VS_FIND
  vs_mpi.fortran_status_ignore = resolve("MPI_F_STATUS_IGNORE");
  vs_mpi.f08_status_ignore = resolve("MPI_F08_STATUS_IGNORE");
  vs_mpi.fortran_statuses_ignore = resolve("MPI_F_STATUSES_IGNORE");
  vs_mpi.f08_statuses_ignore = resolve("MPI_F08_STATUSES_IGNORE");
  return find_handles(resolve);
}
