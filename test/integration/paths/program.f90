! One call of MPI_Allreduce, reached in two ways.
module heat
  use mpi
  implicit none
contains
  subroutine reduce(n)
    integer, intent(inout) :: n
    integer :: total, error
    call MPI_Allreduce(n, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    n = mod(total, 1000)
  end subroutine
  subroutine left(n)
    integer, intent(inout) :: n
    call reduce(n)
    n = n + 1
  end subroutine
  subroutine right(n)
    integer, intent(inout) :: n
    call reduce(n)
    n = n + 2
  end subroutine
end module
program flow
  use heat
  implicit none
  integer :: n = 1, i, error
  call MPI_Init(error)
  do i = 1, 20
    call left(n)
    call right(n)
  end do
  call MPI_Finalize(error)
end program
