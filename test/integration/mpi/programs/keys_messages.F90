! The calls of keys_messages.c in Fortran; -DMPI4 adds those of MPI-4, but MPI_Parrived outside mpi_f08, where MPICH
! 4.0 takes its flag for an integer.
#include "forms.inc"
program keys_messages
  use, intrinsic :: iso_c_binding, only: c_ptr
#if INTERFACE == 2
  use mpi
#elif INTERFACE == 3
  use mpi_f08
#endif
  implicit none
#if INTERFACE == 1
  include 'mpif.h'
#endif
  double precision, asynchronous :: out(16) = 0, in(16), buffer(256)
  integer :: rank, other, error, failures = 0
  REQUEST :: r(2), s
  STATUS(found)
  MESSAGE :: message1

  call MPI_Init(error)
  call MPI_Comm_rank(WORLD, rank, error)
  other = 1 - rank
  out(1) = 10 * rank
  call MPI_Buffer_attach(buffer, N(2048), error)
  call blocking()
  call started()
  call detach()
  call exchanged()
  call probed()
  call completed()
#ifdef MPI4
  call in_parts()
#endif
  if (rank == 0) print '(a)', 'keys_messages: done'
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

  subroutine came(what)
    character(*), intent(in) :: what
    call check(nint(in(1)) == 10 * other, what)
    in(1) = -1
  end subroutine

  subroutine expect_message(tag)
    integer, intent(in) :: tag
    call MPI_Irecv(in, N(8), D, other, tag, WORLD, r(1), error)
    call MPI_Barrier(WORLD, error)
  end subroutine

  subroutine await(what)
    character(*), intent(in) :: what
    call MPI_Wait(r(1), MPI_STATUS_IGNORE, error)
    call came(what)
  end subroutine

  subroutine await_both(what)
    character(*), intent(in) :: what
    call MPI_Waitall(2, r, MPI_STATUSES_IGNORE, error)
    call came(what)
  end subroutine

  subroutine blocking()
    call expect_message(1)
    call MPI_Send(out, N(1), D, other, 1, WORLD, error)
    call await('send')
    call expect_message(2)
    call MPI_Bsend(out, N(2), D, other, 2, WORLD, error)
    call await('bsend')
    call expect_message(3)
    call MPI_Ssend(out, N(3), D, other, 3, WORLD, error)
    call await('ssend')
    call expect_message(4)
    call MPI_Rsend(out, N(4), D, other, 4, WORLD, error)
    call await('rsend')
  end subroutine

  subroutine started()
    call expect_message(5)
    call MPI_Isend(out, N(1), D, other, 5, WORLD, r(2), error)
    call await_both('isend')
    call expect_message(6)
    call MPI_Ibsend(out, N(2), D, other, 6, WORLD, r(2), error)
    call await_both('ibsend')
    call expect_message(7)
    call MPI_Issend(out, N(3), D, other, 7, WORLD, r(2), error)
    call await_both('issend')
    call expect_message(8)
    call MPI_Irsend(out, N(4), D, other, 8, WORLD, r(2), error)
    call await_both('irsend')
  end subroutine

#if INTERFACE == 3
  subroutine detach()
    type(c_ptr) :: detached
    COUNT :: bytes
    call MPI_Buffer_detach(detached, bytes, error)
    call check(bytes == 2048, 'detach')
  end subroutine
#else
  subroutine detach()
    integer :: bytes
    call MPI_Buffer_detach(buffer, bytes, error)
    call check(bytes == 2048, 'detach')
  end subroutine
#endif

  subroutine exchanged()
    call MPI_Sendrecv(out, N(4), D, other, 9, in, N(9), D, other, 9, WORLD, found, error)
    call came('sendrecv')
    in(1) = out(1)
    call MPI_Sendrecv_replace(in, N(2), D, other, 10, other, 10, WORLD, found, error)
    call came('sendrecv_replace')
#ifdef MPI4
    call MPI_Isendrecv(out, N(3), D, other, 11, in, N(5), D, other, 11, WORLD, r(1), error)
    call await('isendrecv')
    in(1) = out(1)
    call MPI_Isendrecv_replace(in, N(6), D, other, 12, other, 12, WORLD, r(1), error)
    call await('isendrecv_replace')
#endif
  end subroutine

  subroutine probed()
    logical :: flag
    call MPI_Isend(out, N(1), D, other, 20, WORLD, r(1), error)
    call MPI_Probe(other, 20, WORLD, found, error)
    call MPI_Recv(in, N(3), D, other, 20, WORLD, found, error)
    call await('probe')
    call MPI_Isend(out, N(1), D, other, 21, WORLD, r(1), error)
    flag = .false.
    do while (.not. flag)
      call MPI_Iprobe(MPI_ANY_SOURCE, 21, WORLD, flag, found, error)
    end do
    call MPI_Recv(in, N(3), D, other, 21, WORLD, found, error)
    call await('iprobe')
    call MPI_Isend(out, N(1), D, other, 22, WORLD, r(1), error)
    call MPI_Mprobe(MPI_ANY_SOURCE, 22, WORLD, message1, found, error)
    call MPI_Mrecv(in, N(3), D, message1, found, error)
    call await('mprobe')
    call MPI_Isend(out, N(1), D, other, 23, WORLD, r(1), error)
    flag = .false.
    do while (.not. flag)
      call MPI_Improbe(other, 23, WORLD, flag, message1, found, error)
    end do
    call MPI_Imrecv(in, N(3), D, message1, s, error)
    call MPI_Wait(s, MPI_STATUS_IGNORE, error)
    call await('improbe')
  end subroutine

  subroutine completed()
    integer :: index, indices(2), count
    logical :: flag
    call expect_message(30)
    call MPI_Send(out, N(1), D, other, 30, WORLD, error)
    r(2) = MPI_REQUEST_NULL
    call MPI_Waitany(2, r, index, found, error)
    call came('waitany')
    call expect_message(31)
    call MPI_Send(out, N(1), D, other, 31, WORLD, error)
    call MPI_Waitsome(2, r, count, indices, MPI_STATUSES_IGNORE, error)
    call came('waitsome')
    call check(count == 1, 'waitsome, count')
    call expect_message(32)
    call MPI_Send(out, N(1), D, other, 32, WORLD, error)
    flag = .false.
    do while (.not. flag)
      call MPI_Test(r(1), flag, found, error)
    end do
    call came('test')
    call expect_message(33)
    call MPI_Send(out, N(1), D, other, 33, WORLD, error)
    flag = .false.
    do while (.not. flag)
      call MPI_Testall(2, r, flag, MPI_STATUSES_IGNORE, error)
    end do
    call came('testall')
    call expect_message(34)
    call MPI_Send(out, N(1), D, other, 34, WORLD, error)
    flag = .false.
    do while (.not. flag)
      call MPI_Testany(2, r, index, flag, found, error)
    end do
    call came('testany')
    call expect_message(35)
    call MPI_Send(out, N(1), D, other, 35, WORLD, error)
    count = 0
    do while (count == 0)
      call MPI_Testsome(2, r, count, indices, MPI_STATUSES_IGNORE, error)
    end do
    call came('testsome')
  end subroutine

#ifdef MPI4
  subroutine in_parts()
    integer(MPI_COUNT_KIND) :: four = 4
    logical :: flag
    call MPI_Psend_init(out, 2, four, D, other, 40, WORLD, MPI_INFO_NULL, r(1), error)
    call MPI_Precv_init(in, 2, four, D, other, 40, WORLD, MPI_INFO_NULL, r(2), error)
    call MPI_Startall(2, r, error)
    call MPI_Pready_list(2, [0, 1], r(1), error)
#if INTERFACE == 3
    flag = .false.
    do while (.not. flag)
      call MPI_Parrived(r(2), 0, flag, error)
    end do
#endif
    call await_both('partitioned')
    call MPI_Request_free(r(1), error)
    call MPI_Request_free(r(2), error)
  end subroutine
#endif

end program
