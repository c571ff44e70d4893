! What has broken Fortran programs under other tools, one kind per run: symptoms_fortran KIND.
#include "forms.inc"
#if INTERFACE == 3
#define STATUSES(name, n) type(MPI_Status) :: name(n)
#define SOURCE_OF(name) name%MPI_SOURCE
#define SOURCE_AT(name, i) name(i)%MPI_SOURCE
#else
#define STATUSES(name, n) integer :: name(MPI_STATUS_SIZE, n)
#define SOURCE_OF(name) name(MPI_SOURCE)
#define SOURCE_AT(name, i) name(MPI_SOURCE, i)
#endif
program symptoms_fortran
#if INTERFACE == 2
  use mpi
#elif INTERFACE == 3
  use mpi_f08
#endif
  implicit none
#if INTERFACE == 1
  include 'mpif.h'
#endif
  integer :: rank, other, error, i, failures = 0
  character(32) :: kind

  call get_command_argument(1, kind)
  call MPI_Init(error)
  call MPI_Comm_rank(WORLD, rank, error)
  other = 1 - rank
  select case (kind)
  case ('in-place')
    call in_place()
  case ('sendrecv-ignored', 'sendrecv-status')
    call sendrecv()
  case ('waitall-ignored', 'waitall-statuses')
    call waitall()
  case ('some-ignored', 'some-statuses')
    call some()
  case ('split')
    call split()
  case ('barriers')
    do i = 1, 1000
      call MPI_Barrier(WORLD, error)
    end do
  case default
    failures = 1
  end select
  if (rank == 0) print '(3a)', trim(kind), ': done'
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

  subroutine in_place()
    integer :: values(2), parts(2)
    values = [rank + 1, 10 * (rank + 1)]
    call MPI_Allreduce(MPI_IN_PLACE, values, 2, MPI_INTEGER, MPI_SUM, WORLD, error)
    call check(all(values == [3, 30]), 'allreduce')
    parts = -1
    parts(rank + 1) = rank + 5
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_INTEGER, parts, 1, MPI_INTEGER, WORLD, error)
    call check(all(parts == [5, 6]), 'allgather')
    values = rank + 1
    call MPI_Reduce_scatter(MPI_IN_PLACE, values, [1, 1], MPI_INTEGER, MPI_SUM, WORLD, error)
    call check(values(1) == 3, 'reduce_scatter')
    values = rank + 1
    call MPI_Scan(MPI_IN_PLACE, values, 2, MPI_INTEGER, MPI_SUM, WORLD, error)
    call check(all(values == 1 + 2 * rank), 'scan')
  end subroutine

  subroutine sendrecv()
    integer :: in
    STATUS(found)
    do i = 1, 10
      in = -1
      if (kind == 'sendrecv-ignored') then
        call MPI_Sendrecv(rank, 1, MPI_INTEGER, other, i, in, 1, MPI_INTEGER, MPI_ANY_SOURCE, i, WORLD, &
          MPI_STATUS_IGNORE, error)
      else
        call MPI_Sendrecv(rank, 1, MPI_INTEGER, other, i, in, 1, MPI_INTEGER, MPI_ANY_SOURCE, i, WORLD, found, error)
        call check(SOURCE_OF(found) == other, 'source')
      end if
      call check(in == other, 'value')
    end do
  end subroutine

  subroutine start(requests, in)
    REQUEST, intent(out) :: requests(8)
    integer, asynchronous, intent(inout) :: in(4)
    do i = 1, 4
      call MPI_Irecv(in(i), 1, MPI_INTEGER, other, i, WORLD, requests(i), error)
    end do
    do i = 1, 4
      call MPI_Isend(rank, 1, MPI_INTEGER, other, i, WORLD, requests(4 + i), error)
    end do
  end subroutine

  subroutine waitall()
    integer, asynchronous :: in(4)
    REQUEST :: requests(8)
    STATUSES(found, 8)
    in = -1
    call start(requests, in)
    if (kind == 'waitall-ignored') then
      call MPI_Waitall(8, requests, MPI_STATUSES_IGNORE, error)
    else
      call MPI_Waitall(8, requests, found, error)
      do i = 1, 4
        call check(SOURCE_AT(found, i) == other, 'source')
      end do
    end if
    call check(all(in == other), 'values')
  end subroutine

  ! Each index comes once, in Fortran's counting; MPICH 4.0.2 itself counts from 0 here, which is left to it.
  subroutine some()
    integer, asynchronous :: in(4)
    integer :: indices(8), count, done, seen(0:8)
    REQUEST :: requests(8)
    STATUSES(found, 8)
    in = -1
    call start(requests, in)
    done = 0
    seen = 0
    do while (done < 8)
      if (kind == 'some-ignored') then
        call MPI_Testsome(8, requests, count, indices, MPI_STATUSES_IGNORE, error)
      else
        call MPI_Waitsome(8, requests, count, indices, found, error)
      end if
      do i = 1, count
        seen(indices(i)) = seen(indices(i)) + 1
      end do
      done = done + max(count, 0)
    end do
    call check(all(seen(1:7) == 1) .and. seen(0) + seen(8) == 1, 'each index once')
    print '(a, i0, a, i0)', 'rank ', rank, ' counts from ', merge(0, 1, seen(0) == 1)
    call check(all(in == other), 'values')
  end subroutine

  subroutine split()
    COMMUNICATOR :: part
    integer :: reversed, value, size
    do i = 1, 50
      call MPI_Comm_split(WORLD, 0, -rank, part, error)
      call MPI_Comm_rank(part, reversed, error)
      call MPI_Comm_size(part, size, error)
      call check(reversed == other .and. size == 2, 'rank')
      value = rank
      call MPI_Bcast(value, 1, MPI_INTEGER, 0, part, error)
      call check(value == 1, 'broadcast')
      call MPI_Comm_free(part, error)
      call check(part == MPI_COMM_NULL, 'null after free')
    end do
  end subroutine

end program
