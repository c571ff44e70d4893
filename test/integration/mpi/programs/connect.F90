! Open MPI alone. The calls of connect.c in Fortran.
#include "forms.inc"
program connect
#if INTERFACE == 2
  use mpi
#elif INTERFACE == 3
  use mpi_f08
#endif
  implicit none
#if INTERFACE == 1
  include 'mpif.h'
#endif
  character(MPI_MAX_PORT_NAME) :: port, found = ''
  COMMUNICATOR :: inter
  double precision :: out, in
  integer :: rank, error, failures = 0

  call MPI_Init(error)
  call MPI_Comm_rank(WORLD, rank, error)
  out = rank
  in = -1
  port = ''
  if (rank == 0) then
    call MPI_Open_port(MPI_INFO_NULL, port, error)
    if (len_trim(port) == 0 .or. len_trim(port) == len(port)) failures = failures + 1
    call MPI_Publish_name('varscope', MPI_INFO_NULL, port, error)
    call MPI_Lookup_name('varscope', MPI_INFO_NULL, found, error)
    if (found /= port) failures = failures + 1
    call MPI_Unpublish_name('varscope', MPI_INFO_NULL, port, error)
  end if
  call MPI_Bcast(port, 256, MPI_CHARACTER, 0, WORLD, error)
  if (rank == 0) then
    call MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, inter, error)
  else
    call MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, inter, error)
  end if
  call MPI_Sendrecv(out, 1, D, 0, 1, in, 1, D, 0, 1, inter, MPI_STATUS_IGNORE, error)
  if (nint(in) /= 1 - rank) failures = failures + 1
  call MPI_Comm_disconnect(inter, error)
  if (rank == 0) call MPI_Close_port(port, error)
  if (rank == 0) print '(a)', 'connect: done'
  call MPI_Finalize(error)
  if (failures > 0) stop 1
end program
