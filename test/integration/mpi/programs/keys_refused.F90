! MPICH alone. The calls of keys_refused.c in Fortran.
#include "forms.inc"
program keys_refused
#if INTERFACE == 2
  use mpi
#elif INTERFACE == 3
  use mpi_f08
#endif
  implicit none
#if INTERFACE == 1
  include 'mpif.h'
#endif
  character(MPI_MAX_PORT_NAME) :: port, found
  character(8) :: programs(1) = ['program '], blank(1) = [' '], lists(1, 1) = reshape(['        '], [1, 1])
  COMMUNICATOR :: comm
  INFORMATION :: infos(1)
  integer :: rank, error, codes(1), failures = 0

  call MPI_Init(error)
  call MPI_Comm_rank(WORLD, rank, error)
  call MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN, error)
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, error)
  infos = MPI_INFO_NULL
  call MPI_Open_port(MPI_INFO_NULL, port, error)
  call refused('open_port')
  call MPI_Barrier(WORLD, error)
  port = 'nothing'
  if (rank == 0) then
    call MPI_Publish_name('varscope', MPI_INFO_NULL, port, error)
    call MPI_Lookup_name('varscope', MPI_INFO_NULL, found, error)
    if (found /= port) failures = failures + 1
    call MPI_Unpublish_name('varscope', MPI_INFO_NULL, port, error)
  end if
  call MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, comm, error)
  call refused('accept')
  call MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, comm, error)
  call refused('connect')
  call MPI_Close_port(port, error)
  call refused('close_port')
  call MPI_Comm_spawn('program', blank, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, comm, codes, error)
  call refused('spawn')
  call MPI_Comm_spawn_multiple(1, programs, lists, [1], infos, 0, MPI_COMM_SELF, comm, codes, error)
  call refused('spawn_multiple')
  call MPI_Comm_join(-1, comm, error)
  call refused('join')
  if (rank == 0) print '(a)', 'keys_refused: done'
  call MPI_Finalize(error)
  if (failures > 0) stop 1

contains

  subroutine refused(what)
    character(*), intent(in) :: what
    if (error /= MPI_SUCCESS) return
    print '(2a)', what, ' did not fail'
    failures = failures + 1
  end subroutine

end program
