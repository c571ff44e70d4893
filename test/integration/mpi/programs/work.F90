! The calls of work.c, in Fortran: compiled with -DINTERFACE=1 (mpif.h), 2 (use mpi) or 3 (use mpi_f08).
#if INTERFACE == 3
#define COMMUNICATOR type(MPI_Comm)
#define REQUEST type(MPI_Request)
#define MESSAGE type(MPI_Message)
#define STATUS(name) type(MPI_Status) :: name
#else
#define COMMUNICATOR integer
#define REQUEST integer
#define MESSAGE integer
#define STATUS(name) integer :: name(MPI_STATUS_SIZE)
#endif
#define D MPI_DOUBLE_PRECISION
#define WORLD MPI_COMM_WORLD
program work
#if INTERFACE == 2
  use mpi
#elif INTERFACE == 3
  use mpi_f08
#endif
  implicit none
#if INTERFACE == 1
  include 'mpif.h'
#endif
  double precision :: out(64) = 0, in(64)
  integer :: rank, other, error, root
  integer, parameter :: one_two(2) = [1, 2], ones(2) = [1, 1], at(2) = [0, 1]
  integer :: dims(1) = [2]
  logical :: periods(1) = [.true.], flag
  COMMUNICATOR :: comm
  REQUEST :: requests(2), request1
  MESSAGE :: message1
  STATUS(found)

  call MPI_Init(error)
  call MPI_Comm_rank(WORLD, rank, error)
  other = 1 - rank

  call MPI_Barrier(WORLD, error)
  if (rank == 0) then
    call MPI_Send(out, 10, D, 1, 5, WORLD, error)
    call MPI_Recv(in, 20, D, 1, 6, WORLD, MPI_STATUS_IGNORE, error)
  else
    call MPI_Recv(in, 20, D, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, found, error)
    call MPI_Send(out, 3, D, 0, 6, WORLD, error)
  end if
  call MPI_Sendrecv(out, 4, D, other, 7, in, 9, D, other, 7, WORLD, found, error)
  call MPI_Send(out, 1, D, MPI_PROC_NULL, 8, WORLD, error)
  call MPI_Irecv(in, 6, D, MPI_ANY_SOURCE, 9, WORLD, requests(1), error)
  call MPI_Isend(out, 5, D, other, 9, WORLD, requests(2), error)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)

  if (rank == 0) then
    call MPI_Send(out, 2, D, 1, 11, WORLD, error)
    call MPI_Send(out, 1, D, 1, 12, WORLD, error)
  else
    call MPI_Probe(MPI_ANY_SOURCE, 11, WORLD, found, error)
    call MPI_Recv(in, 2, D, 0, 11, WORLD, found, error)
    call MPI_Mprobe(0, 12, WORLD, message1, found, error)
    call MPI_Mrecv(in, 4, D, message1, found, error)
  end if

  call MPI_Bcast(out, 2, D, 1, WORLD, error)
  call MPI_Gather(out, 3, D, in, 3, D, 0, WORLD, error)
  call MPI_Scatterv(out, one_two, at, D, in, rank + 1, D, 1, WORLD, error)
  call MPI_Allgather(MPI_IN_PLACE, 0, D, in, 2, D, WORLD, error)
  call MPI_Alltoallv(out, ones, at, D, in, ones, at, D, WORLD, error)
  call MPI_Allreduce(out, in, 5, D, MPI_SUM, WORLD, error)
  call MPI_Reduce_scatter(out, in, one_two, D, MPI_SUM, WORLD, error)
  call MPI_Reduce_scatter_block(out, in, 2, D, MPI_SUM, WORLD, error)
  call MPI_Scan(out, in, 1, D, MPI_SUM, WORLD, error)

  call MPI_Comm_split(WORLD, 0, -rank, comm, error)
  call MPI_Bcast(out, 1, D, 0, comm, error)
  call MPI_Sendrecv(out, 1, D, rank, 13, in, 1, D, rank, 13, comm, found, error)
  call MPI_Comm_free(comm, error)
  call MPI_Comm_idup(WORLD, comm, request1, error)
  call MPI_Wait(request1, MPI_STATUS_IGNORE, error)
  call MPI_Test(request1, flag, MPI_STATUS_IGNORE, error)
  call MPI_Ibarrier(comm, request1, error)
  call MPI_Wait(request1, MPI_STATUS_IGNORE, error)
  call MPI_Comm_free(comm, error)
  call MPI_Cart_create(WORLD, 1, dims, periods, .false., comm, error)
  call MPI_Neighbor_alltoall(out, 2, D, in, 2, D, comm, error)
  call MPI_Comm_free(comm, error)
  call MPI_Intercomm_create(MPI_COMM_SELF, 0, WORLD, other, 14, comm, error)
  call MPI_Sendrecv(out, 1, D, 0, 15, in, 1, D, 0, 15, comm, found, error)
  root = 0
  if (rank == 0) root = MPI_ROOT
  call MPI_Bcast(out, 1, D, root, comm, error)
  call MPI_Allgather(out, 3, D, in, 3, D, comm, error)
  call MPI_Comm_free(comm, error)
  if (rank == 0) print '(a)', 'work: done'
  call MPI_Finalize(error)
end program
