! The calls of persistent.c in Fortran; -DMPI4 adds those of MPI-4, but for
! MPI_Parrived, whose flag is an integer in the mpi module of some releases of MPICH.
#include "forms.inc"
program persistent
#if INTERFACE == 2
  use mpi
#elif INTERFACE == 3
  use mpi_f08
#endif
  implicit none
#if INTERFACE == 1
  include 'mpif.h'
#endif
  double precision, asynchronous :: out(64) = 0, in(64), buffer(128)
  integer :: rank, other, error, failures = 0

  call MPI_Init(error)
  call MPI_Comm_rank(WORLD, rank, error)
  other = 1 - rank
  call restarted()
  call modes()
  call endings()
#ifdef MPI4
  call of_mpi_4()
#endif
  if (rank == 0) print '(a)', 'persistent: done'
  call MPI_Finalize(error)
  if (failures > 0) stop 1

contains

  subroutine check(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    if (condition) return
    print '(a, i0, 2a)', 'rank ', rank, ' failed: ', what
    failures = failures + 1
  end subroutine

  subroutine restarted()
    REQUEST :: requests(2)
    STATUS(found)
    integer :: i
    logical :: flag
    call MPI_Send_init(out, N(10), D, other, 1, WORLD, requests(1), error)
    call MPI_Recv_init(in, N(20), D, other, 1, WORLD, requests(2), error)
    do i = 0, 1
      out(10) = 100 * i + rank
      call MPI_Startall(2, requests, error)
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
      call check(nint(in(10)) == 100 * i + other, 'restarted')
    end do
    call MPI_Request_get_status(requests(1), flag, found, error)
    call check(flag, 'inactive request')
    call MPI_Request_free(requests(1), error)
    call MPI_Request_free(requests(2), error)
    call check(requests(1) == MPI_REQUEST_NULL, 'freed request')
  end subroutine

  subroutine modes()
    COMMUNICATOR :: reversed
    REQUEST :: send, receive
    call MPI_Comm_split(WORLD, 0, -rank, reversed, error)
    call MPI_Ssend_init(out, N(3), D, rank, 2, reversed, send, error)
    call MPI_Recv_init(in, N(3), D, MPI_ANY_SOURCE, MPI_ANY_TAG, reversed, receive, error)
    call MPI_Start(receive, error)
    call MPI_Start(send, error)
    call MPI_Wait(receive, MPI_STATUS_IGNORE, error)
    call MPI_Wait(send, MPI_STATUS_IGNORE, error)
    call MPI_Request_free(send, error)
    call MPI_Rsend_init(out, N(2), D, rank, 3, reversed, send, error)
    call MPI_Start(receive, error)
    call MPI_Barrier(WORLD, error)
    call MPI_Start(send, error)
    call MPI_Wait(receive, MPI_STATUS_IGNORE, error)
    call MPI_Wait(send, MPI_STATUS_IGNORE, error)
    call MPI_Request_free(send, error)
    call MPI_Request_free(receive, error)
    call MPI_Comm_free(reversed, error)
    call MPI_Buffer_attach(buffer, 1024, error)
    call MPI_Bsend_init(out, N(1), D, other, 4, WORLD, send, error)
    call MPI_Start(send, error)
    call MPI_Wait(send, MPI_STATUS_IGNORE, error)
    call MPI_Recv(in, N(1), D, other, 4, WORLD, MPI_STATUS_IGNORE, error)
    call MPI_Request_free(send, error)
    call detach()
  end subroutine

#if INTERFACE == 3
  subroutine detach()
    use, intrinsic :: iso_c_binding, only: c_ptr
    type(c_ptr) :: detached
    COUNT :: bytes
    call MPI_Buffer_detach(detached, bytes, error)
  end subroutine
#else
  subroutine detach()
    integer :: bytes
    call MPI_Buffer_detach(buffer, bytes, error)
  end subroutine
#endif

  subroutine endings()
    REQUEST :: requests(2)
    STATUS(found)
    logical :: flag
    call MPI_Send_init(out, N(7), D, MPI_PROC_NULL, 5, WORLD, requests(1), error)
    call MPI_Recv_init(in, N(8), D, other, 6, WORLD, requests(2), error)
    call MPI_Startall(2, requests, error)
    call MPI_Cancel(requests(2), error)
    call MPI_Wait(requests(2), found, error)
    call MPI_Test_cancelled(found, flag, error)
    call check(flag, 'cancelled')
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE, error)
    call MPI_Request_free(requests(1), error)
    call MPI_Request_free(requests(2), error)
    call MPI_Isend(out, N(1), D, other, 7, WORLD, requests(1), error)
    call MPI_Request_free(requests(1), error)
    call MPI_Recv(in, N(1), D, other, 7, WORLD, MPI_STATUS_IGNORE, error)
  end subroutine

#ifdef MPI4
  subroutine of_mpi_4()
    REQUEST :: requests(2)
    COMMUNICATOR :: copy
    integer(MPI_COUNT_KIND) :: four = 4
    call MPI_Comm_idup_with_info(WORLD, MPI_INFO_NULL, copy, requests(1), error)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE, error)
    call MPI_Comm_free(copy, error)
    call MPI_Allreduce_init(out, in, N(5), D, MPI_SUM, WORLD, MPI_INFO_NULL, requests(1), error)
    call MPI_Start(requests(1), error)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE, error)
    call MPI_Request_free(requests(1), error)
    call MPI_Bcast_init(out, N(2), D, 1, WORLD, MPI_INFO_NULL, requests(1), error)
    call MPI_Start(requests(1), error)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE, error)
    call MPI_Request_free(requests(1), error)
    call MPI_Isendrecv(out, N(2), D, other, 8, in, N(3), D, other, 8, WORLD, requests(1), error)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE, error)
    call MPI_Psend_init(out, 2, four, D, other, 9, WORLD, MPI_INFO_NULL, requests(1), error)
    call MPI_Precv_init(in, 2, four, D, other, 9, WORLD, MPI_INFO_NULL, requests(2), error)
    call MPI_Startall(2, requests, error)
    call MPI_Pready(0, requests(1), error)
    call MPI_Pready_range(1, 1, requests(1), error)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
    call MPI_Request_free(requests(1), error)
    call MPI_Request_free(requests(2), error)
  end subroutine
#endif

end program
