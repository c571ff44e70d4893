! The calls of rma.c in Fortran.
#include "forms.inc"
#if INTERFACE == 1
#define BASE integer(MPI_ADDRESS_KIND)
#else
#define BASE type(c_ptr)
#endif
program rma
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
  double precision, asynchronous :: memory(64) = 0, out(64) = 0, in(64)
  integer :: rank, other, error, failures = 0
  integer(MPI_ADDRESS_KIND) :: all_bytes = 512

  call MPI_Init(error)
  call MPI_Comm_rank(WORLD, rank, error)
  other = 1 - rank
  call transfers()
  call swap()
  call epochs()
  call kinds()
  if (rank == 0) print '(a)', 'rma: done'
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

  integer(MPI_ADDRESS_KIND) function at(value)
    integer, intent(in) :: value
    at = value
  end function

  subroutine transfers()
    WINDOW :: win
    REQUEST :: request1
    call MPI_Win_create(memory, all_bytes, A(8), MPI_INFO_NULL, WORLD, win, error)
    out(1) = 10 + rank
    call MPI_Win_fence(0, win, error)
    call MPI_Put(out, N(3), D, other, at(0), N(3), D, win, error)
    call MPI_Put(out, N(3), D, MPI_PROC_NULL, at(0), N(3), D, win, error)
    call MPI_Win_fence(0, win, error)
    call check(nint(memory(1)) == 10 + other, 'put')
    call MPI_Get(in, N(2), D, other, at(0), N(2), D, win, error)
    call MPI_Accumulate(out, N(4), D, other, at(8), N(4), D, MPI_SUM, win, error)
    call MPI_Win_fence(0, win, error)
    call check(nint(in(1)) == 10 + rank, 'get')
    call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, win, error)
    call MPI_Get_accumulate(out, N(0), D, in, N(2), D, other, at(0), N(2), D, MPI_NO_OP, win, error)
    call MPI_Fetch_and_op(out, in, D, other, at(16), MPI_SUM, win, error)
    call MPI_Win_flush(other, win, error)
    call MPI_Win_unlock(other, win, error)
    call MPI_Win_lock_all(0, win, error)
    call MPI_Rput(out, N(1), D, other, at(20), N(1), D, win, request1, error)
    call MPI_Wait(request1, MPI_STATUS_IGNORE, error)
    call MPI_Win_flush_local(other, win, error)
    call MPI_Rget(in, N(5), D, other, at(24), N(5), D, win, request1, error)
    call MPI_Wait(request1, MPI_STATUS_IGNORE, error)
    call MPI_Raccumulate(out, N(1), D, other, at(21), N(1), D, MPI_SUM, win, request1, error)
    call MPI_Wait(request1, MPI_STATUS_IGNORE, error)
    call MPI_Rget_accumulate(out, N(2), D, in, N(2), D, other, at(22), N(2), D, MPI_SUM, win, request1, error)
    call MPI_Wait(request1, MPI_STATUS_IGNORE, error)
    call MPI_Win_flush_all(win, error)
    call MPI_Win_flush_local_all(win, error)
    call MPI_Win_sync(win, error)
    call MPI_Win_unlock_all(win, error)
    call MPI_Win_free(win, error)
    call check(win == MPI_WIN_NULL, 'freed window')
  end subroutine

  subroutine swap()
    WINDOW :: win
    BASE :: base
    integer, asynchronous :: new_value, expected, found
    new_value = 5
    expected = 0
    found = -1
    call MPI_Win_allocate(at(4), A(4), MPI_INFO_NULL, WORLD, base, win, error)
    call MPI_Win_fence(0, win, error)
    call MPI_Compare_and_swap(new_value, expected, found, MPI_INTEGER, other, at(0), win, error)
    call MPI_Win_fence(0, win, error)
    call check(found /= -1, 'compare and swap')
    call MPI_Win_free(win, error)
  end subroutine

  subroutine epochs()
    COMMUNICATOR :: reversed
    GROUP :: everyone, partner
    WINDOW :: win
    BASE :: base
    logical :: flag
    call MPI_Comm_group(MPI_COMM_WORLD, everyone, error)
    call MPI_Group_incl(everyone, 1, [other], partner, error)
    call MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, reversed, error)
    call MPI_Win_allocate(at(256), A(8), MPI_INFO_NULL, reversed, base, win, error)
    call MPI_Comm_free(reversed, error)
    call MPI_Win_post(partner, 0, win, error)
    call MPI_Win_start(partner, 0, win, error)
    call MPI_Put(out, N(2), D, rank, at(0), N(2), D, win, error)
    call MPI_Win_complete(win, error)
    call MPI_Win_wait(win, error)
    call MPI_Win_post(partner, 0, win, error)
    call MPI_Win_start(partner, 0, win, error)
    call MPI_Win_complete(win, error)
    flag = .false.
    do while (.not. flag)
      call MPI_Win_test(win, flag, error)
    end do
    call MPI_Win_free(win, error)
    call MPI_Group_free(partner, error)
    call MPI_Group_free(everyone, error)
  end subroutine

  subroutine kinds()
    WINDOW :: win
    BASE :: base
    call MPI_Win_allocate_shared(at(64), A(8), MPI_INFO_NULL, MPI_COMM_WORLD, base, win, error)
    call MPI_Win_free(win, error)
    call MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, win, error)
    call MPI_Win_attach(win, memory, all_bytes, error)
    call MPI_Win_detach(win, memory, error)
    call MPI_Win_free(win, error)
  end subroutine

end program
