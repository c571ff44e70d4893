! The calls of keys_communicators.c in Fortran; -DMPI4 adds those of MPI-4.
#include "forms.inc"
program keys_communicators
#if INTERFACE == 2
  use mpi
#elif INTERFACE == 3
  use mpi_f08
#endif
  implicit none
#if INTERFACE == 1
  include 'mpif.h'
#endif
  integer :: rank, other, error, provided, failures = 0
  COMMUNICATOR :: comm, second
  REQUEST :: request1
  GROUP :: everyone, own, remote

  call MPI_Init_thread(MPI_THREAD_SERIALIZED, provided, error)
  call MPI_Comm_rank(WORLD, rank, error)
  other = 1 - rank
  call topologies()
  call copies()
  call parts()
  call between()
  if (rank == 0) print '(a)', 'keys_communicators: done'
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

  subroutine sum_over(comm1, expected, what)
    COMMUNICATOR, intent(in) :: comm1
    integer, intent(in) :: expected
    character(*), intent(in) :: what
    double precision :: value, total
    value = rank + 1
    call MPI_Allreduce(value, total, 1, D, MPI_SUM, comm1, error)
    call check(nint(total) == expected, what)
  end subroutine

  subroutine use_it(expected, what)
    integer, intent(in) :: expected
    character(*), intent(in) :: what
    call sum_over(comm, expected, what)
    call MPI_Comm_free(comm, error)
    call check(comm == MPI_COMM_NULL, 'free')
  end subroutine

  subroutine copies()
    call MPI_Comm_dup(WORLD, comm, error)
    call use_it(3, 'dup')
    call MPI_Comm_dup_with_info(WORLD, MPI_INFO_NULL, comm, error)
    call use_it(3, 'dup_with_info')
    call MPI_Comm_idup(WORLD, comm, request1, error)
    call MPI_Wait(request1, MPI_STATUS_IGNORE, error)
    call use_it(3, 'idup')
#ifdef MPI4
    call MPI_Comm_idup_with_info(WORLD, MPI_INFO_NULL, comm, request1, error)
    call MPI_Wait(request1, MPI_STATUS_IGNORE, error)
    call use_it(3, 'idup_with_info')
#endif
  end subroutine

  subroutine parts()
    call MPI_Comm_split(WORLD, rank, 0, comm, error)
    call use_it(rank + 1, 'split')
    call MPI_Comm_split_type(WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, comm, error)
    call use_it(3, 'split_type')
    call MPI_Comm_group(WORLD, everyone, error)
    call MPI_Comm_create(WORLD, everyone, comm, error)
    call use_it(3, 'create')
    call MPI_Comm_create_group(WORLD, everyone, 4, comm, error)
    call sum_over(comm, 3, 'create_group')
    call MPI_Comm_disconnect(comm, error)
#ifdef MPI4
    call MPI_Comm_create_from_group(everyone, 'varscope', MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, comm, error)
    call use_it(3, 'create_from_group')
#endif
    call MPI_Group_free(everyone, error)
  end subroutine

  subroutine topologies()
    call MPI_Cart_create(WORLD, 2, [2, 1], [.true., .true.], .false., second, error)
    call MPI_Cart_sub(second, [.true., .false.], comm, error)
    call use_it(3, 'cart_sub')
    call MPI_Comm_free(second, error)
    call MPI_Graph_create(WORLD, 2, [1, 2], [1, 0], .false., comm, error)
    call use_it(3, 'graph_create')
    call MPI_Dist_graph_create(WORLD, 1, [rank], [1], [other], MPI_UNWEIGHTED, MPI_INFO_NULL, .false., comm, error)
    call use_it(3, 'dist_graph_create')
    call MPI_Dist_graph_create_adjacent(WORLD, 1, [other], MPI_UNWEIGHTED, 1, [other], MPI_UNWEIGHTED, &
      MPI_INFO_NULL, .false., comm, error)
    call use_it(3, 'dist_graph_create_adjacent')
  end subroutine

  subroutine between()
    call MPI_Intercomm_create(MPI_COMM_SELF, 0, WORLD, other, 7, second, error)
    call sum_over(second, other + 1, 'intercomm_create')
    call MPI_Intercomm_merge(second, rank == 1, comm, error)
    call use_it(3, 'intercomm_merge')
    call MPI_Comm_free(second, error)
#ifdef MPI4
    call MPI_Comm_group(WORLD, everyone, error)
    call MPI_Group_incl(everyone, 1, [rank], own, error)
    call MPI_Group_incl(everyone, 1, [other], remote, error)
    call MPI_Intercomm_create_from_groups(own, 0, remote, 0, 'varscope', MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &
      comm, error)
    call use_it(other + 1, 'intercomm_create_from_groups')
    call MPI_Group_free(everyone, error)
    call MPI_Group_free(own, error)
    call MPI_Group_free(remote, error)
#endif
  end subroutine

end program
