! As spawn.c, in Fortran.
#include "forms.inc"
program spawn
#if INTERFACE == 2
  use mpi
#elif INTERFACE == 3
  use mpi_f08
#endif
  implicit none
#if INTERFACE == 1
  include 'mpif.h'
#endif
  COMMUNICATOR :: parent, child
  character(1000) :: itself
  character(8) :: words(2) = ['first   ', '        ']
  integer :: got = 0, error, codes(1)

  call MPI_Init(error)
  call MPI_Comm_get_parent(parent, error)
  call get_command_argument(0, itself)
  if (parent /= MPI_COMM_NULL) then
    if (command_argument_count() == 1) got = 1
    call MPI_Send(got, 1, MPI_INTEGER, 0, 2, parent, error)
    call MPI_Comm_disconnect(parent, error)
  else
    call MPI_Comm_spawn(itself, words, 1, MPI_INFO_NULL, 0, WORLD, child, codes, error)
    call MPI_Recv(got, 1, MPI_INTEGER, 0, 2, child, MPI_STATUS_IGNORE, error)
    call MPI_Comm_disconnect(child, error)
    if (got == 1) print '(a)', 'spawn: done'
  end if
  call MPI_Finalize(error)
  if (parent == MPI_COMM_NULL .and. got /= 1) stop 1
end program
