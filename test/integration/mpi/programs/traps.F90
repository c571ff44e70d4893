! The Fortran traps: MPI_IN_PLACE, ignored statuses, LOGICAL flags, 1-based indices, communicators. One source
! for three interfaces: compiled with -DINTERFACE=1 (mpif.h), 2 (use mpi) or 3 (use mpi_f08). Indices may start
! at 0 and need not be MPI_UNDEFINED: MPICH 4.0.2 errs there itself.
#if INTERFACE == 3
#define COMMUNICATOR type(MPI_Comm)
#define REQUEST type(MPI_Request)
#define STATUS(name) type(MPI_Status) :: name
#define STATUSES(name, n) type(MPI_Status) :: name(n)
#define SOURCE_OF(name) name%MPI_SOURCE
#define SOURCE_AT(name, i) name(i)%MPI_SOURCE
#else
#define COMMUNICATOR integer
#define REQUEST integer
#define STATUS(name) integer :: name(MPI_STATUS_SIZE)
#define STATUSES(name, n) integer :: name(MPI_STATUS_SIZE, n)
#define SOURCE_OF(name) name(MPI_SOURCE)
#define SOURCE_AT(name, i) name(MPI_SOURCE, i)
#endif
program traps
#if INTERFACE == 2
  use mpi
#elif INTERFACE == 3
  use mpi_f08
#endif
  implicit none
#if INTERFACE == 1
  include 'mpif.h'
#endif
  integer :: rank, other, error, failures = 0

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  other = 1 - rank
  call in_place()
  call ignored_statuses()
  call some_and_any()
  call communicators()
  call probes()
  call own_process()
  if (rank == 0) print '(a)', 'fortran: done'
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
    integer :: values(2), parts(2), counts(2) = [1, 1], at(2) = [0, 1]
    values = [rank + 1, 10 * (rank + 1)]
    call MPI_Allreduce(MPI_IN_PLACE, values, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    call check(all(values == [3, 30]), 'allreduce in place')
    parts = -1
    parts(rank + 1) = rank + 5
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_INTEGER, parts, 1, MPI_INTEGER, MPI_COMM_WORLD, error)
    call check(all(parts == [5, 6]), 'allgather in place')
    parts(2 - rank) = -1
    call MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_INTEGER, parts, counts, at, MPI_INTEGER, &
      MPI_COMM_WORLD, error)
    call check(all(parts == [5, 6]), 'allgatherv in place')
    values = rank + 1
    if (rank == 0) then
      call MPI_Reduce(MPI_IN_PLACE, values, 2, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, error)
      call check(all(values == 3), 'reduce in place')
    else
      call MPI_Reduce(values, parts, 2, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, error)
    end if
    values = [rank, rank]
    call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INTEGER, values, 1, MPI_INTEGER, MPI_COMM_WORLD, error)
    call check(all(values == [0, 1]), 'alltoall in place')
  end subroutine

  subroutine ignored_statuses()
    integer :: out, in, i, values(8)
    REQUEST :: requests(16)
    STATUS(found)
    out = rank
    call MPI_Sendrecv(out, 1, MPI_INTEGER, other, 1, in, 1, MPI_INTEGER, other, 1, &
      MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    call check(in == other, 'sendrecv, status ignored')
    call MPI_Sendrecv(out, 1, MPI_INTEGER, other, 1, in, 1, MPI_INTEGER, MPI_ANY_SOURCE, 1, &
      MPI_COMM_WORLD, found, error)
    call check(SOURCE_OF(found) == other, 'sendrecv, status')
    do i = 1, 8
      call MPI_Irecv(values(i), 1, MPI_INTEGER, other, 2, MPI_COMM_WORLD, requests(i), error)
    end do
    do i = 9, 16
      call MPI_Isend(out, 1, MPI_INTEGER, other, 2, MPI_COMM_WORLD, requests(i), error)
    end do
    call MPI_Waitall(16, requests, MPI_STATUSES_IGNORE, error)
    call check(all(values == other), 'waitall, statuses ignored')
    if (rank == 0) then
      call MPI_Send(out, 1, MPI_INTEGER, 1, 3, MPI_COMM_WORLD, error)
      call MPI_Send(out, 1, MPI_INTEGER, 1, 4, MPI_COMM_WORLD, error)
    else
      call MPI_Recv(in, 1, MPI_INTEGER, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
      call MPI_Recv(in, 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, found, error)
      call check(SOURCE_OF(found) == 0, 'receive from any')
    end if
  end subroutine

  subroutine some_and_any()
    integer :: in(8), i, n, done, indices(8), index
    logical :: flag
    REQUEST :: requests(8), sends(8)
    STATUSES(found, 8)
    do i = 1, 8
      call MPI_Irecv(in(i), 1, MPI_INTEGER, other, 5, MPI_COMM_WORLD, requests(i), error)
      call MPI_Isend(rank, 1, MPI_INTEGER, other, 5, MPI_COMM_WORLD, sends(i), error)
    end do
    done = 0
    do while (done < 4)
      call MPI_Testsome(8, requests, n, indices, found, error)
      do i = 1, n
        call check(indices(i) >= 0 .and. indices(i) <= 8, 'testsome index')
        call check(SOURCE_AT(found, i) == other, 'testsome status')
      end do
      done = done + n
    end do
    do while (done < 8)
      call MPI_Testsome(8, requests, n, indices, MPI_STATUSES_IGNORE, error)
      do i = 1, n
        call check(indices(i) >= 0 .and. indices(i) <= 8, 'testsome index, statuses ignored')
      end do
      done = done + n
    end do
    call MPI_Testsome(8, requests, n, indices, MPI_STATUSES_IGNORE, error)
    call check(n == MPI_UNDEFINED, 'testsome without requests')
    call MPI_Waitany(8, sends, index, MPI_STATUS_IGNORE, error)
    call check(index >= 0 .and. index <= 8, 'waitany index')
    call MPI_Waitall(8, sends, found, error)
    call MPI_Testall(8, sends, flag, MPI_STATUSES_IGNORE, error)
    call check(flag, 'testall flag')
    call MPI_Testany(8, sends, index, flag, MPI_STATUS_IGNORE, error)
    call check(flag .and. index < 0, 'testany without requests')
  end subroutine

  subroutine communicators()
    COMMUNICATOR :: part, copy
    integer :: value, sum, i, reversed
    do i = 1, 20
      call MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, part, error)
      call MPI_Comm_rank(part, reversed, error)
      call check(reversed == other, 'rank after split')
      value = rank
      call MPI_Bcast(value, 1, MPI_INTEGER, 0, part, error)
      call check(value == 1, 'broadcast after split')
      call MPI_Comm_dup(part, copy, error)
      call MPI_Allreduce(value, sum, 1, MPI_INTEGER, MPI_SUM, copy, error)
      call check(sum == 2, 'allreduce after dup')
      call MPI_Comm_free(copy, error)
      call MPI_Comm_free(part, error)
    end do
    call check(part == MPI_COMM_NULL, 'handle after free')
  end subroutine

  subroutine probes()
    integer :: value
    logical :: flag
    STATUS(found)
    value = 7
    if (rank == 0) then
      call MPI_Send(value, 1, MPI_INTEGER, 1, 6, MPI_COMM_WORLD, error)
    else
      flag = .false.
      do while (.not. flag)
        call MPI_Iprobe(MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, flag, found, error)
      end do
      call check(SOURCE_OF(found) == 0, 'iprobe')
      call MPI_Recv(value, 1, MPI_INTEGER, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    end if
    call MPI_Send(value, 1, MPI_INTEGER, MPI_PROC_NULL, 6, MPI_COMM_WORLD, error)
#if INTERFACE == 3
    call MPI_Barrier(MPI_COMM_WORLD)
#else
    call MPI_Barrier(MPI_COMM_WORLD, error)
#endif
  end subroutine

  subroutine own_process()
    integer :: value, sum
    value = 9
    call MPI_Allreduce(value, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_SELF, error)
    call check(sum == 9, 'allreduce on one process')
  end subroutine

end program
