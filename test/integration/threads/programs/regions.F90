! A hybrid program: regions with calls of MPI between and inside them.
program regions
  use mpi
  use omp_lib
  implicit none
  integer :: provided, ierror, round, i
  logical :: flag
  double precision :: total
  call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided, ierror)
  call omp_set_num_threads(3)
  call omp_set_dynamic(.false.)
  total = 0
  do round = 1, 10
    !$omp parallel do reduction(+:total)
    do i = 1, 300
      total = total + i
    end do
    !$omp end parallel do
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
  end do
  !$omp parallel private(flag, ierror)
  call MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, flag, MPI_STATUS_IGNORE, ierror)
  !$omp end parallel
  call MPI_Finalize(ierror)
  if (total /= 10 * 45150d0) stop 1
  print '(a)', 'regions: done'
end program
