! The calls of keys_collective.c in Fortran; -DMPI4 adds the persistent collectives of MPI-4.
#include "forms.inc"
program keys_collective
#if INTERFACE == 2
  use mpi
#elif INTERFACE == 3
  use mpi_f08
#endif
  implicit none
#if INTERFACE == 1
  include 'mpif.h'
#endif
  double precision, asynchronous :: out(16), in(16)
  integer :: rank, other, error, i, failures = 0
  COUNT, asynchronous :: one_two(2) = [1, 2], ones(2) = [1, 1]
  PLACE, asynchronous :: at(2) = [0, 1], bytes(2) = [0, 8]
  integer(MPI_ADDRESS_KIND), asynchronous :: places(2) = [0, 8]
  DATATYPE, asynchronous :: types(2)
  COMMUNICATOR :: ring
  REQUEST :: request1

  call MPI_Init(error)
  call MPI_Comm_rank(WORLD, rank, error)
  other = 1 - rank
  out = [(10 * rank + i, i = 0, 15)]
  types = [D, D]
  call blocking()
  call started()
#ifdef MPI4
  call persistent()
#endif
  if (rank == 0) print '(a)', 'keys_collective: done'
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

  ! What came in, from the first to the last element; then forgets it.
  subroutine expect(what, first, last_at, last)
    character(*), intent(in) :: what
    double precision, intent(in) :: first, last
    integer, intent(in) :: last_at
    call check(in(1) == first .and. in(last_at) == last, what)
    in = -1
  end subroutine

  subroutine blocking()
    call MPI_Barrier(WORLD, error)
    in = out
    call MPI_Bcast(in, N(2), D, 1, WORLD, error)
    call expect('bcast', 10.0d0, 2, 11.0d0)
    call MPI_Gather(out, N(3), D, in, N(3), D, 0, WORLD, error)
    if (rank == 0) call expect('gather', 0.0d0, 6, 12.0d0)
    call MPI_Gatherv(out, N(rank + 1), D, in, one_two, at, D, 0, WORLD, error)
    if (rank == 0) call expect('gatherv', 0.0d0, 3, 11.0d0)
    call MPI_Scatter(out, N(2), D, in, N(2), D, 1, WORLD, error)
    call expect('scatter', 10.0d0 + 2 * rank, 2, 11.0d0 + 2 * rank)
    call MPI_Scatterv(out, one_two, at, D, in, N(rank + 1), D, 1, WORLD, error)
    call expect('scatterv', 10.0d0 + rank, rank + 1, 10.0d0 + 2 * rank)
    call MPI_Reduce(out, in, N(5), D, MPI_SUM, 1, WORLD, error)
    if (rank == 1) call expect('reduce', 10.0d0, 5, 18.0d0)
    call MPI_Allgather(out, N(2), D, in, N(2), D, WORLD, error)
    call expect('allgather', 0.0d0, 4, 11.0d0)
    call MPI_Allgatherv(out, N(rank + 1), D, in, one_two, at, D, WORLD, error)
    call expect('allgatherv', 0.0d0, 3, 11.0d0)
    call MPI_Alltoall(out, N(4), D, in, N(4), D, WORLD, error)
    call expect('alltoall', 4.0d0 * rank, 8, 13.0d0 + 4 * rank)
    call MPI_Alltoallv(out, ones, at, D, in, ones, at, D, WORLD, error)
    call expect('alltoallv', 1.0d0 * rank, 2, 10.0d0 + rank)
    call MPI_Alltoallw(out, ones, bytes, types, in, ones, bytes, types, WORLD, error)
    call expect('alltoallw', 1.0d0 * rank, 2, 10.0d0 + rank)
    call MPI_Allreduce(out, in, N(5), D, MPI_SUM, WORLD, error)
    call expect('allreduce', 10.0d0, 5, 18.0d0)
    call MPI_Reduce_scatter(out, in, one_two, D, MPI_SUM, WORLD, error)
    call expect('reduce_scatter', 10.0d0 + 2 * rank, rank + 1, 10.0d0 + 4 * rank)
    call MPI_Reduce_scatter_block(out, in, N(2), D, MPI_SUM, WORLD, error)
    call expect('reduce_scatter_block', 10.0d0 + 4 * rank, 2, 12.0d0 + 4 * rank)
    call MPI_Scan(out, in, N(6), D, MPI_SUM, WORLD, error)
    call expect('scan', 10.0d0 * rank, 6, 5.0d0 + 15 * rank)
    call MPI_Exscan(out, in, N(7), D, MPI_SUM, WORLD, error)
    if (rank == 1) call expect('exscan', 0.0d0, 7, 6.0d0)
    call MPI_Dist_graph_create_adjacent(WORLD, 2, [other, other], MPI_UNWEIGHTED, 2, &
      [other, other], MPI_UNWEIGHTED, MPI_INFO_NULL, .false., ring, error)
    call MPI_Neighbor_allgather(out, N(2), D, in, N(2), D, ring, error)
    call expect('neighbor_allgather', 10.0d0 * other, 4, 10.0d0 * other + 1)
    call MPI_Neighbor_allgatherv(out, N(1), D, in, ones, at, D, ring, error)
    call expect('neighbor_allgatherv', 10.0d0 * other, 2, 10.0d0 * other)
    call MPI_Neighbor_alltoall(out, N(3), D, in, N(3), D, ring, error)
    call check(nint(in(1) + in(4)) == 20 * other + 3, 'neighbor_alltoall')
    call MPI_Neighbor_alltoallv(out, ones, at, D, in, ones, at, D, ring, error)
    call check(nint(in(1) + in(2)) == 20 * other + 1, 'neighbor_alltoallv')
    call MPI_Neighbor_alltoallw(out, ones, places, types, in, ones, places, types, ring, error)
    call check(nint(in(1) + in(2)) == 20 * other + 1, 'neighbor_alltoallw')
    call MPI_Comm_free(ring, error)
  end subroutine

  subroutine started()
    call MPI_Ibarrier(WORLD, request1, error)
    call MPI_Wait(request1, MPI_STATUS_IGNORE, error)
    in = out
    call MPI_Ibcast(in, N(2), D, 1, WORLD, request1, error)
    call MPI_Wait(request1, MPI_STATUS_IGNORE, error)
    call expect('bcast', 10.0d0, 2, 11.0d0)
    call MPI_Igather(out, N(3), D, in, N(3), D, 0, WORLD, request1, error)
    call MPI_Wait(request1, MPI_STATUS_IGNORE, error)
    if (rank == 0) call expect('gather', 0.0d0, 6, 12.0d0)
    call MPI_Igatherv(out, N(rank + 1), D, in, one_two, at, D, 0, WORLD, request1, error)
    call MPI_Wait(request1, MPI_STATUS_IGNORE, error)
    if (rank == 0) call expect('gatherv', 0.0d0, 3, 11.0d0)
    call MPI_Iscatter(out, N(2), D, in, N(2), D, 1, WORLD, request1, error)
    call MPI_Wait(request1, MPI_STATUS_IGNORE, error)
    call expect('scatter', 10.0d0 + 2 * rank, 2, 11.0d0 + 2 * rank)
    call MPI_Iscatterv(out, one_two, at, D, in, N(rank + 1), D, 1, WORLD, request1, error)
    call MPI_Wait(request1, MPI_STATUS_IGNORE, error)
    call expect('scatterv', 10.0d0 + rank, rank + 1, 10.0d0 + 2 * rank)
    call MPI_Ireduce(out, in, N(5), D, MPI_SUM, 1, WORLD, request1, error)
    call MPI_Wait(request1, MPI_STATUS_IGNORE, error)
    if (rank == 1) call expect('reduce', 10.0d0, 5, 18.0d0)
    call MPI_Iallgather(out, N(2), D, in, N(2), D, WORLD, request1, error)
    call MPI_Wait(request1, MPI_STATUS_IGNORE, error)
    call expect('allgather', 0.0d0, 4, 11.0d0)
    call MPI_Iallgatherv(out, N(rank + 1), D, in, one_two, at, D, WORLD, request1, error)
    call MPI_Wait(request1, MPI_STATUS_IGNORE, error)
    call expect('allgatherv', 0.0d0, 3, 11.0d0)
    call MPI_Ialltoall(out, N(4), D, in, N(4), D, WORLD, request1, error)
    call MPI_Wait(request1, MPI_STATUS_IGNORE, error)
    call expect('alltoall', 4.0d0 * rank, 8, 13.0d0 + 4 * rank)
    call MPI_Ialltoallv(out, ones, at, D, in, ones, at, D, WORLD, request1, error)
    call MPI_Wait(request1, MPI_STATUS_IGNORE, error)
    call expect('alltoallv', 1.0d0 * rank, 2, 10.0d0 + rank)
    call MPI_Ialltoallw(out, ones, bytes, types, in, ones, bytes, types, WORLD, request1, error)
    call MPI_Wait(request1, MPI_STATUS_IGNORE, error)
    call expect('alltoallw', 1.0d0 * rank, 2, 10.0d0 + rank)
    call MPI_Iallreduce(out, in, N(5), D, MPI_SUM, WORLD, request1, error)
    call MPI_Wait(request1, MPI_STATUS_IGNORE, error)
    call expect('allreduce', 10.0d0, 5, 18.0d0)
    call MPI_Ireduce_scatter(out, in, one_two, D, MPI_SUM, WORLD, request1, error)
    call MPI_Wait(request1, MPI_STATUS_IGNORE, error)
    call expect('reduce_scatter', 10.0d0 + 2 * rank, rank + 1, 10.0d0 + 4 * rank)
    call MPI_Ireduce_scatter_block(out, in, N(2), D, MPI_SUM, WORLD, request1, error)
    call MPI_Wait(request1, MPI_STATUS_IGNORE, error)
    call expect('reduce_scatter_block', 10.0d0 + 4 * rank, 2, 12.0d0 + 4 * rank)
    call MPI_Iscan(out, in, N(6), D, MPI_SUM, WORLD, request1, error)
    call MPI_Wait(request1, MPI_STATUS_IGNORE, error)
    call expect('scan', 10.0d0 * rank, 6, 5.0d0 + 15 * rank)
    call MPI_Iexscan(out, in, N(7), D, MPI_SUM, WORLD, request1, error)
    call MPI_Wait(request1, MPI_STATUS_IGNORE, error)
    if (rank == 1) call expect('exscan', 0.0d0, 7, 6.0d0)
    call MPI_Dist_graph_create_adjacent(WORLD, 2, [other, other], MPI_UNWEIGHTED, 2, &
      [other, other], MPI_UNWEIGHTED, MPI_INFO_NULL, .false., ring, error)
    call MPI_Ineighbor_allgather(out, N(2), D, in, N(2), D, ring, request1, error)
    call MPI_Wait(request1, MPI_STATUS_IGNORE, error)
    call expect('neighbor_allgather', 10.0d0 * other, 4, 10.0d0 * other + 1)
    call MPI_Ineighbor_allgatherv(out, N(1), D, in, ones, at, D, ring, request1, error)
    call MPI_Wait(request1, MPI_STATUS_IGNORE, error)
    call expect('neighbor_allgatherv', 10.0d0 * other, 2, 10.0d0 * other)
    call MPI_Ineighbor_alltoall(out, N(3), D, in, N(3), D, ring, request1, error)
    call MPI_Wait(request1, MPI_STATUS_IGNORE, error)
    call check(nint(in(1) + in(4)) == 20 * other + 3, 'neighbor_alltoall')
    call MPI_Ineighbor_alltoallv(out, ones, at, D, in, ones, at, D, ring, request1, error)
    call MPI_Wait(request1, MPI_STATUS_IGNORE, error)
    call check(nint(in(1) + in(2)) == 20 * other + 1, 'neighbor_alltoallv')
    call MPI_Ineighbor_alltoallw(out, ones, places, types, in, ones, places, types, ring, &
      request1, error)
    call MPI_Wait(request1, MPI_STATUS_IGNORE, error)
    call check(nint(in(1) + in(2)) == 20 * other + 1, 'neighbor_alltoallw')
    call MPI_Comm_free(ring, error)
  end subroutine

#ifdef MPI4
  subroutine twice()
    integer :: i
    do i = 1, 2
      call MPI_Start(request1, error)
      call MPI_Wait(request1, MPI_STATUS_IGNORE, error)
    end do
    call MPI_Request_free(request1, error)
  end subroutine

  subroutine persistent()
    call MPI_Barrier_init(WORLD, MPI_INFO_NULL, request1, error)
    call twice()
    in = out
    call MPI_Bcast_init(in, N(2), D, 1, WORLD, MPI_INFO_NULL, request1, error)
    call twice()
    call expect('bcast', 10.0d0, 2, 11.0d0)
    call MPI_Gather_init(out, N(3), D, in, N(3), D, 0, WORLD, MPI_INFO_NULL, request1, error)
    call twice()
    if (rank == 0) call expect('gather', 0.0d0, 6, 12.0d0)
    call MPI_Gatherv_init(out, N(rank + 1), D, in, one_two, at, D, 0, WORLD, MPI_INFO_NULL, &
      request1, error)
    call twice()
    if (rank == 0) call expect('gatherv', 0.0d0, 3, 11.0d0)
    call MPI_Scatter_init(out, N(2), D, in, N(2), D, 1, WORLD, MPI_INFO_NULL, request1, error)
    call twice()
    call expect('scatter', 10.0d0 + 2 * rank, 2, 11.0d0 + 2 * rank)
    call MPI_Scatterv_init(out, one_two, at, D, in, N(rank + 1), D, 1, WORLD, MPI_INFO_NULL, &
      request1, error)
    call twice()
    call expect('scatterv', 10.0d0 + rank, rank + 1, 10.0d0 + 2 * rank)
    call MPI_Reduce_init(out, in, N(5), D, MPI_SUM, 1, WORLD, MPI_INFO_NULL, request1, error)
    call twice()
    if (rank == 1) call expect('reduce', 10.0d0, 5, 18.0d0)
    call MPI_Allgather_init(out, N(2), D, in, N(2), D, WORLD, MPI_INFO_NULL, request1, error)
    call twice()
    call expect('allgather', 0.0d0, 4, 11.0d0)
    call MPI_Allgatherv_init(out, N(rank + 1), D, in, one_two, at, D, WORLD, MPI_INFO_NULL, &
      request1, error)
    call twice()
    call expect('allgatherv', 0.0d0, 3, 11.0d0)
    call MPI_Alltoall_init(out, N(4), D, in, N(4), D, WORLD, MPI_INFO_NULL, request1, error)
    call twice()
    call expect('alltoall', 4.0d0 * rank, 8, 13.0d0 + 4 * rank)
    call MPI_Alltoallv_init(out, ones, at, D, in, ones, at, D, WORLD, MPI_INFO_NULL, &
      request1, error)
    call twice()
    call expect('alltoallv', 1.0d0 * rank, 2, 10.0d0 + rank)
    call MPI_Alltoallw_init(out, ones, bytes, types, in, ones, bytes, types, WORLD, &
      MPI_INFO_NULL, request1, error)
    call twice()
    call expect('alltoallw', 1.0d0 * rank, 2, 10.0d0 + rank)
    call MPI_Allreduce_init(out, in, N(5), D, MPI_SUM, WORLD, MPI_INFO_NULL, request1, error)
    call twice()
    call expect('allreduce', 10.0d0, 5, 18.0d0)
    call MPI_Reduce_scatter_init(out, in, one_two, D, MPI_SUM, WORLD, MPI_INFO_NULL, &
      request1, error)
    call twice()
    call expect('reduce_scatter', 10.0d0 + 2 * rank, rank + 1, 10.0d0 + 4 * rank)
    call MPI_Reduce_scatter_block_init(out, in, N(2), D, MPI_SUM, WORLD, MPI_INFO_NULL, &
      request1, error)
    call twice()
    call expect('reduce_scatter_block', 10.0d0 + 4 * rank, 2, 12.0d0 + 4 * rank)
    call MPI_Scan_init(out, in, N(6), D, MPI_SUM, WORLD, MPI_INFO_NULL, request1, error)
    call twice()
    call expect('scan', 10.0d0 * rank, 6, 5.0d0 + 15 * rank)
    call MPI_Exscan_init(out, in, N(7), D, MPI_SUM, WORLD, MPI_INFO_NULL, request1, error)
    call twice()
    if (rank == 1) call expect('exscan', 0.0d0, 7, 6.0d0)
    call MPI_Dist_graph_create_adjacent(WORLD, 2, [other, other], MPI_UNWEIGHTED, 2, &
      [other, other], MPI_UNWEIGHTED, MPI_INFO_NULL, .false., ring, error)
    call MPI_Neighbor_allgather_init(out, N(2), D, in, N(2), D, ring, MPI_INFO_NULL, &
      request1, error)
    call twice()
    call expect('neighbor_allgather', 10.0d0 * other, 4, 10.0d0 * other + 1)
    call MPI_Neighbor_allgatherv_init(out, N(1), D, in, ones, at, D, ring, MPI_INFO_NULL, &
      request1, error)
    call twice()
    call expect('neighbor_allgatherv', 10.0d0 * other, 2, 10.0d0 * other)
    call MPI_Neighbor_alltoall_init(out, N(3), D, in, N(3), D, ring, MPI_INFO_NULL, request1, &
      error)
    call twice()
    call check(nint(in(1) + in(4)) == 20 * other + 3, 'neighbor_alltoall')
    call MPI_Neighbor_alltoallv_init(out, ones, at, D, in, ones, at, D, ring, MPI_INFO_NULL, &
      request1, error)
    call twice()
    call check(nint(in(1) + in(2)) == 20 * other + 1, 'neighbor_alltoallv')
    call MPI_Neighbor_alltoallw_init(out, ones, places, types, in, ones, places, types, ring, &
      MPI_INFO_NULL, request1, error)
    call twice()
    call check(nint(in(1) + in(2)) == 20 * other + 1, 'neighbor_alltoallw')
    call MPI_Comm_free(ring, error)
  end subroutine
#endif

end program
