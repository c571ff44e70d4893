! Open MPI alone. As spawn.c, in Fortran.
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
  INFORMATION :: infos(2)

  call MPI_Init(error)
  call MPI_Comm_get_parent(parent, error)
  call get_command_argument(0, itself)
  infos = MPI_INFO_NULL
  if (parent /= MPI_COMM_NULL) then
    if (command_argument_count() == 1) got = 1
    call MPI_Send(got, 1, MPI_INTEGER, 0, 2, parent, error)
    call MPI_Comm_disconnect(parent, error)
  else
    call MPI_Comm_spawn(itself, words, 1, MPI_INFO_NULL, 0, WORLD, child, codes, error)
    call MPI_Recv(got, 1, MPI_INTEGER, 0, 2, child, MPI_STATUS_IGNORE, error)
    call MPI_Comm_disconnect(child, error)
    call several()
    if (got == 1) print '(a)', 'spawn: done'
  end if
  call MPI_Finalize(error)
  if (parent == MPI_COMM_NULL .and. got /= 1) stop 1

contains

  ! One more of each of two programs, each with a word.
  subroutine several()
    character(1000) :: programs(2)
    character(8) :: lists(2, 2)
    integer :: i, counts(2), ends(2)
    programs = itself
    lists(1, :) = ['first   ', '        ']
    lists(2, :) = ['first   ', '        ']
    counts = 1
    call MPI_Comm_spawn_multiple(2, programs, lists, counts, infos, 0, WORLD, child, ends, error)
    do i = 0, 1
      got = 0
      call MPI_Recv(got, 1, MPI_INTEGER, i, 2, child, MPI_STATUS_IGNORE, error)
      if (got /= 1) stop 2
    end do
    call MPI_Comm_disconnect(child, error)
  end subroutine
end program
