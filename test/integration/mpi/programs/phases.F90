! What phases.c does, in Fortran.
program phases
  use mpi
  implicit none
  integer :: ierror
  call MPI_Init(ierror)
  call barriers(2)
  call MPI_Pcontrol(0)
  call barriers(3)
  call MPI_Pcontrol(1)
  call barriers(1)
  call MPI_Pcontrol(7)
  call MPI_Pcontrol(-2)
  call MPI_Finalize(ierror)
contains
  subroutine barriers(count)
    integer, intent(in) :: count
    integer :: i
    do i = 1, count
      call MPI_Barrier(MPI_COMM_WORLD, ierror)
    end do
  end subroutine
end program
