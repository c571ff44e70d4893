! MPICH alone. The calls of large.c through mpi_f08, which picks their large-count forms by the kind of the count.
program large
  use mpi_f08
  implicit none
  double precision, asynchronous :: out(64) = 0, in(64)
  integer :: rank, other, failures = 0
  integer(MPI_COUNT_KIND) :: one_two(2) = [1, 2], ones(2) = [1, 1]
  integer(MPI_ADDRESS_KIND) :: at(2) = [0, 1]
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: found

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  other = 1 - rank
  out(10) = rank
  if (rank == 0) then
    call MPI_Send(out, n(10), MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD)
    call MPI_Recv(in, n(20), MPI_DOUBLE_PRECISION, 1, 2, MPI_COMM_WORLD, found)
  else
    call MPI_Recv(in, n(20), MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, found)
    call MPI_Send(out, n(10), MPI_DOUBLE_PRECISION, 0, 2, MPI_COMM_WORLD)
  end if
  if (nint(in(10)) /= other) failures = failures + 1
  call MPI_Irecv(in, n(4), MPI_DOUBLE_PRECISION, other, 3, MPI_COMM_WORLD, requests(1))
  call MPI_Isend(out, n(4), MPI_DOUBLE_PRECISION, other, 3, MPI_COMM_WORLD, requests(2))
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  out(1) = rank + 1
  call MPI_Allreduce(out, in, n(1), MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  if (nint(in(1)) /= 3) failures = failures + 1
  call MPI_Gatherv(out, n(rank + 1), MPI_DOUBLE_PRECISION, in, one_two, at, MPI_DOUBLE_PRECISION, 0, &
    MPI_COMM_WORLD)
  call MPI_Alltoallv(out, ones, at, MPI_DOUBLE_PRECISION, in, ones, at, MPI_DOUBLE_PRECISION, &
    MPI_COMM_WORLD)
  call MPI_Reduce_scatter(out, in, one_two, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  call MPI_Send_init(out, n(6), MPI_DOUBLE_PRECISION, MPI_PROC_NULL, 4, MPI_COMM_WORLD, requests(1))
  call MPI_Request_free(requests(1))
  if (rank == 0) print '(a)', 'large: done'
  call MPI_Finalize()
  if (failures > 0) stop 1

contains

  integer(MPI_COUNT_KIND) function n(value)
    integer, intent(in) :: value
    n = value
  end function

end program
