! Fortran records: the run-time library moves them by its own calls of read and write.
program records
  use mpi
  implicit none
  integer :: rank, error, i
  real(8) :: numbers(1000), again(1000)
  character(len=32) :: path
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  write (path, '(a,i0)') 'records.', rank
  numbers = [(real(i, 8), i = 1, 1000)]
  open (unit=10, file=path, form='unformatted', access='stream', status='replace')
  write (10) numbers
  close (10)
  open (unit=10, file=path, form='unformatted', access='stream', status='old')
  read (10) again
  close (10, status='delete')
  call MPI_Finalize(error)
  if (rank == 0) print '(l1)', all(numbers == again)
end program records
