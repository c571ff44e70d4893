! The calls of transfers.c in Fortran; the file truth-RANK gets the same lines.
#include "forms.inc"
program transfers
#if INTERFACE == 2
  use mpi
#elif INTERFACE == 3
  use mpi_f08
#endif
  implicit none
#if INTERFACE == 1
  include 'mpif.h'
#endif
  double precision, asynchronous :: out(4096) = 0, in(4096)
  REQUEST :: r(128)
#if INTERFACE == 3
  type(MPI_Status) :: st(128)
#else
  integer :: st(MPI_STATUS_SIZE, 128)
#endif
  integer :: rank, other, error, failures = 0, indices(128), truth
  character(8) :: name

  call MPI_Init(error)
  call MPI_Comm_rank(WORLD, rank, error)
  other = 1 - rank
  write (name, '(a, i0)') 'truth-', rank
  open (newunit=truth, file=trim(name), action='write')
  call equal_handles()
  call from_anyone()
  call one_by_one()
  call persistent()
  call endings()
  call matched()
  call others()
  close (truth)
  if (rank == 0) print '(a)', 'transfers: done'
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

  subroutine told(start, finish, peer, tag, bytes, outcome)
    character(*), intent(in) :: start, finish
    integer, intent(in) :: peer, tag, bytes, outcome
    write (truth, '(5a, 4(i0, :, 1x))') 'MPI_', start, ' MPI_', finish, ' ', peer, tag, bytes, outcome
  end subroutine

  subroutine send(doubles, tag)
    integer, intent(in) :: doubles, tag
    call MPI_Send(out, doubles, D, other, tag, WORLD, error)
  end subroutine

  subroutine equal_handles()
    integer :: round, i
    do round = 1, 20
      do i = 0, 15
        call MPI_Irecv(in(i + 1), 1, D, other, i, WORLD, r(i + 1), error)
      end do
      r(17) = MPI_REQUEST_NULL
      do i = 0, 15
        call MPI_Isend(out(i + 1), 1, D, other, i, WORLD, r(18 + i), error)
      end do
      call MPI_Waitall(33, r, MPI_STATUSES_IGNORE, error)
      do i = 0, 15
        call told('Irecv', 'Waitall', other, i, 8, 0)
      end do
      do i = 0, 15
        call told('Isend', 'Waitall', other, i, 8, 0)
      end do
    end do
  end subroutine

  integer function source_of(i)
    integer, intent(in) :: i
#if INTERFACE == 3
    source_of = st(i)%MPI_SOURCE
#else
    source_of = st(MPI_SOURCE, i)
#endif
  end function

  integer function tag_of(i)
    integer, intent(in) :: i
#if INTERFACE == 3
    tag_of = st(i)%MPI_TAG
#else
    tag_of = st(MPI_TAG, i)
#endif
  end function

  subroutine from_anyone()
    COMMUNICATOR :: reversed
    logical :: done
    integer :: round
    call MPI_Irecv(in, 100, D, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, r(1), error)
    call send(3, 40 + rank)
    call MPI_Wait(r(1), MPI_STATUS_IGNORE, error)
    call told('Irecv', 'Wait', other, 40 + other, 24, 0)
    do round = 0, 1
      call MPI_Irecv(in, 100, D, MPI_ANY_SOURCE, 5, WORLD, r(1), error)
      call MPI_Irecv(in(101), 100, D, other, MPI_ANY_TAG, WORLD, r(2), error)
      call MPI_Barrier(WORLD, error)
      call send(1, 5)
      call send(0, 6)
      if (round == 0) then
        call MPI_Waitall(2, r, MPI_STATUSES_IGNORE, error)
      else
        call MPI_Waitall(2, r, st, error)
        call check(source_of(1) == other .and. tag_of(2) == 6, 'statuses')
      end if
      call told('Irecv', 'Waitall', other, 5, 8, 0)
      call told('Irecv', 'Waitall', other, 6, 0, 0)
    end do
    call MPI_Irecv(in, 1, D, MPI_PROC_NULL, 8, WORLD, r(1), error)
    call MPI_Wait(r(1), MPI_STATUS_IGNORE, error)
    call told('Irecv', 'Wait', -3, 8, 0, 0)
    call MPI_Comm_split(WORLD, 0, -rank, reversed, error)
    call MPI_Irecv(in, 9, D, MPI_ANY_SOURCE, 9, reversed, r(1), error)
    call MPI_Send(out, 9, D, rank, 9, reversed, error)
    done = .false.
    do while (.not. done)
      call MPI_Test(r(1), done, MPI_STATUS_IGNORE, error)
    end do
    call told('Irecv', 'Test', other, 9, 72, 0)
    call MPI_Comm_free(reversed, error)
  end subroutine

  subroutine one_by_one()
    integer :: i, found, n, first
    logical :: flag
    do i = 0, 5
      call MPI_Irecv(in(i + 1), 1, D, MPI_ANY_SOURCE, 10 + i, WORLD, r(i + 1), error)
    end do
    r(7) = MPI_REQUEST_NULL
    call MPI_Barrier(WORLD, error)
    call send(1, 12)
    call MPI_Waitany(7, r, found, MPI_STATUS_IGNORE, error)
    first = found - 2 ! 0 in mpi_f08 of MPICH 4.0
    call check(first == 1 .or. first == 0, 'waitany')
    call told('Irecv', 'Waitany', other, 12, 8, 0)
    call MPI_Barrier(WORLD, error)
    call send(1, 15)
    call MPI_Waitsome(7, r, n, indices, MPI_STATUSES_IGNORE, error)
    call check(n == 1 .and. indices(1) == 5 + first, 'waitsome')
    call told('Irecv', 'Waitsome', other, 15, 8, 0)
    call MPI_Barrier(WORLD, error)
    call send(0, 11)
    flag = .false.
    do while (.not. flag)
#if INTERFACE == 3
      call MPI_Testany(7, r, found, flag, st(1), error)
#else
      call MPI_Testany(7, r, found, flag, st(:, 1), error)
#endif
    end do
    call check(found == 1 + first .and. source_of(1) == other, 'testany')
    call told('Irecv', 'Testany', other, 11, 0, 0)
    call MPI_Barrier(WORLD, error)
    call send(1, 13)
    n = 0
    do while (n == 0)
      call MPI_Testsome(7, r, n, indices, MPI_STATUSES_IGNORE, error)
    end do
    call check(n == 1 .and. indices(1) == 3 + first, 'testsome')
    call told('Irecv', 'Testsome', other, 13, 8, 0)
    call MPI_Barrier(WORLD, error)
    call send(1, 14)
    call send(1, 10)
    flag = .false.
    do while (.not. flag)
      call MPI_Testall(7, r, flag, MPI_STATUSES_IGNORE, error)
    end do
    call told('Irecv', 'Testall', other, 10, 8, 0)
    call told('Irecv', 'Testall', other, 14, 8, 0)
    call MPI_Waitall(7, r, MPI_STATUSES_IGNORE, error)
    call MPI_Waitany(7, r, found, MPI_STATUS_IGNORE, error)
    call MPI_Testany(7, r, found, flag, MPI_STATUS_IGNORE, error)
    call MPI_Waitsome(7, r, n, indices, MPI_STATUSES_IGNORE, error)
    call MPI_Wait(r(7), MPI_STATUS_IGNORE, error)
  end subroutine

  subroutine persistent()
    integer :: i
    call MPI_Send_init(out, 4, D, other, 20, WORLD, r(1), error)
    call MPI_Recv_init(in, 8, D, MPI_ANY_SOURCE, 21, WORLD, r(2), error)
    call MPI_Recv_init(in(100), 8, D, other, 20, WORLD, r(3), error)
    call MPI_Waitall(3, r, MPI_STATUSES_IGNORE, error)
    do i = 1, 50
      call MPI_Startall(3, r, error)
      call send(2, 21)
      call MPI_Waitall(3, r, MPI_STATUSES_IGNORE, error)
      call told('Startall', 'Waitall', other, 20, 32, 0)
      call told('Startall', 'Waitall', other, 21, 16, 0)
      call told('Startall', 'Waitall', other, 20, 32, 0)
      call MPI_Wait(r(1), MPI_STATUS_IGNORE, error)
    end do
    call MPI_Start(r(2), error)
    call send(8, 21)
    call MPI_Wait(r(2), MPI_STATUS_IGNORE, error)
    call told('Start', 'Wait', other, 21, 64, 0)
    do i = 1, 3
      call MPI_Request_free(r(i), error)
    end do
  end subroutine

  subroutine endings()
    call MPI_Irecv(in, 5, D, other, 30, WORLD, r(1), error)
    call MPI_Cancel(r(1), error)
    call MPI_Wait(r(1), MPI_STATUS_IGNORE, error)
    call told('Irecv', 'Wait', other, 30, 0, 1)
    call MPI_Irecv(in, 1, D, other, 31, WORLD, r(1), error)
    call MPI_Isend(out, 1, D, other, 31, WORLD, r(2), error)
    call MPI_Request_free(r(2), error)
    call told('Isend', 'Request_free', other, 31, 8, 2)
    call MPI_Wait(r(1), MPI_STATUS_IGNORE, error)
    call told('Irecv', 'Wait', other, 31, 8, 0)
  end subroutine

  subroutine matched()
    COMMUNICATOR :: reversed
    MESSAGE :: message1
    logical :: flag
    call send(3, 50 + rank)
    call MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, message1, MPI_STATUS_IGNORE, error)
    call MPI_Imrecv(in, 100, D, message1, r(1), error)
    call MPI_Wait(r(1), MPI_STATUS_IGNORE, error)
    call told('Imrecv', 'Wait', other, 50 + other, 24, 0)
    call MPI_Comm_split(WORLD, 0, -rank, reversed, error)
    call MPI_Send(out, 2, D, rank, 52, reversed, error)
    flag = .false.
    do while (.not. flag)
      call MPI_Improbe(MPI_ANY_SOURCE, 52, reversed, flag, message1, MPI_STATUS_IGNORE, error)
    end do
    call MPI_Imrecv(in, 2, D, message1, r(1), error)
    call MPI_Waitall(1, r, st, error)
    call check(source_of(1) == rank, 'matched')
    call told('Imrecv', 'Waitall', other, 52, 16, 0)
    call MPI_Comm_free(reversed, error)
    call MPI_Mprobe(MPI_PROC_NULL, 53, WORLD, message1, MPI_STATUS_IGNORE, error)
    call MPI_Imrecv(in, 2, D, message1, r(1), error)
    call MPI_Wait(r(1), MPI_STATUS_IGNORE, error)
    call told('Imrecv', 'Wait', -3, 53, 0, 0)
  end subroutine

  subroutine others()
    COMMUNICATOR :: copy
    integer :: i
    call MPI_Ibarrier(WORLD, r(1), error)
    call MPI_Iallreduce(out, in, 5, D, MPI_SUM, WORLD, r(2), error)
    call MPI_Comm_idup(WORLD, copy, r(3), error)
    call MPI_Waitall(3, r, MPI_STATUSES_IGNORE, error)
    call told('Ibarrier', 'Waitall', -1, -1, 0, 0)
    call told('Iallreduce', 'Waitall', -1, -1, 40, 0)
    call told('Comm_idup', 'Waitall', -1, -1, 0, 0)
    call MPI_Comm_free(copy, error)
    do i = 0, 127
      if (mod(i, 2) == 1) then
        call MPI_Isend(out(i), 1, D, other, i / 2, WORLD, r(i + 1), error)
      else
        call MPI_Irecv(in(i + 1), 2, D, MPI_ANY_SOURCE, i / 2, WORLD, r(i + 1), error)
      end if
    end do
    call MPI_Waitall(128, r, MPI_STATUSES_IGNORE, error)
    do i = 0, 127
      call told(trim(merge('Isend', 'Irecv', mod(i, 2) == 1)), 'Waitall', other, i / 2, 8, 0)
    end do
  end subroutine

end program
