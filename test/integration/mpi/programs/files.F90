! The calls of files.c in Fortran, without the one that fails: MPICH 4.0 cannot do that from mpi_f08.
#include "forms.inc"
program files
#if INTERFACE == 2
  use mpi
#elif INTERFACE == 3
  use mpi_f08
#endif
  implicit none
#if INTERFACE == 1
  include 'mpif.h'
#endif
  character(*), parameter :: name = 'data of varscope.bin'
  double precision, asynchronous :: out(8) = 0, in(8)
  integer :: rank, other, error, count, failures = 0
  integer(MPI_OFFSET_KIND) :: size, position
  FILE :: file1
  REQUEST :: request1
  STATUS(found)

  call MPI_Init(error)
  call MPI_Comm_rank(WORLD, rank, error)
  other = 1 - rank
  call MPI_File_open(WORLD, name, MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file1, error)
  call MPI_File_set_size(file1, at(0), error)
  call MPI_File_set_view(file1, at(0), D, D, 'native', MPI_INFO_NULL, error)
  call single()
  call together()
  call nonblocking()
  call shared()
  call split()
  call split_shared()
  call MPI_File_set_atomicity(file1, .false., error)
  call MPI_Barrier(WORLD, error)
  call MPI_File_get_size(file1, size, error)
  call check(size == 42 * 8, 'size')
  call MPI_File_set_info(file1, MPI_INFO_NULL, error)
  call MPI_File_preallocate(file1, at(42 * 8), error)
  call MPI_File_close(file1, error)
  call check(file1 == MPI_FILE_NULL, 'closed file')
  call MPI_Barrier(WORLD, error)
  if (rank == 0) call MPI_File_delete(name, MPI_INFO_NULL, error)
  if (rank == 0) print '(a)', 'files: done'
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

  integer(MPI_OFFSET_KIND) function at(value)
    integer, intent(in) :: value
    at = value
  end function

  subroutine await()
    call MPI_Wait(request1, MPI_STATUS_IGNORE, error)
  end subroutine

  subroutine single()
    out(4) = 10 + rank
    call MPI_File_write_at(file1, at(4 * rank), out, N(4), D, MPI_STATUS_IGNORE, error)
    call MPI_File_sync(file1, error)
    call MPI_Barrier(WORLD, error)
    call MPI_File_read_at(file1, at(4 * other), in, N(4), D, found, error)
    call check(nint(in(4)) == 10 + other, 'single')
    call MPI_File_seek(file1, at(4 * rank), MPI_SEEK_SET, error)
    call MPI_File_read(file1, in, N(2), D, MPI_STATUS_IGNORE, error)
    call MPI_File_seek(file1, at(8 + 2 * rank), MPI_SEEK_SET, error)
    call MPI_File_write(file1, out, N(2), D, found, error)
  end subroutine

  subroutine together()
    call MPI_File_seek(file1, at(12 + 2 * rank), MPI_SEEK_SET, error)
    call MPI_File_write_all(file1, out, N(2), D, found, error)
    call MPI_File_sync(file1, error)
    call MPI_Barrier(WORLD, error)
    call MPI_File_seek(file1, at(12 + 2 * rank), MPI_SEEK_SET, error)
    call MPI_File_read_all(file1, in, N(2), D, found, error)
    call MPI_File_seek(file1, at(12 + 2 * rank), MPI_SEEK_SET, error)
    call MPI_File_read(file1, in, N(3), D, found, error)
    call MPI_Get_count(found, D, count, error)
    call check(count == 3 - rank, 'together')
    call MPI_Barrier(WORLD, error)
    call MPI_File_write_at_all(file1, at(20 + rank), out, N(1), D, found, error)
    call MPI_File_read_at_all(file1, at(20 + rank), in, N(1), D, found, error)
  end subroutine

  subroutine nonblocking()
    call MPI_File_iwrite_at(file1, at(24 + rank), out, N(1), D, request1, error)
    call await()
    call MPI_File_iread_at(file1, at(24 + rank), in, N(1), D, request1, error)
    call await()
    call MPI_File_iwrite_at_all(file1, at(26 + rank), out, N(1), D, request1, error)
    call await()
    call MPI_File_iread_at_all(file1, at(26 + rank), in, N(1), D, request1, error)
    call await()
    call MPI_File_seek(file1, at(0), MPI_SEEK_SET, error)
    call MPI_File_iread(file1, in, N(3), D, request1, error)
    call await()
    call MPI_File_iread_all(file1, in, N(4), D, request1, error)
    call await()
    call MPI_File_seek(file1, at(28 + 4 * rank), MPI_SEEK_SET, error)
    call MPI_File_iwrite(file1, out, N(1), D, request1, error)
    call await()
    call MPI_File_iwrite_all(file1, out, N(2), D, request1, error)
    call await()
  end subroutine

  subroutine shared()
    call MPI_File_seek_shared(file1, at(0), MPI_SEEK_SET, error)
    call MPI_File_write_shared(file1, out, N(1), D, found, error)
    call MPI_Barrier(WORLD, error)
    call MPI_File_write_ordered(file1, out, N(2), D, found, error)
    call MPI_Barrier(WORLD, error)
    call MPI_File_get_position_shared(file1, position, error)
    call check(position == 6, 'shared')
    call MPI_Barrier(WORLD, error)
    call MPI_File_seek_shared(file1, at(0), MPI_SEEK_SET, error)
    call MPI_File_read_shared(file1, in, N(1), D, found, error)
    call MPI_Barrier(WORLD, error)
    call MPI_File_read_ordered(file1, in, N(2), D, found, error)
  end subroutine

  subroutine split()
    call MPI_File_seek(file1, at(0), MPI_SEEK_SET, error)
    call MPI_File_read_all_begin(file1, in, N(2), D, error)
    call MPI_File_read_all_end(file1, in, found, error)
    call MPI_File_write_at_all_begin(file1, at(40 + rank), out, N(1), D, error)
    call MPI_File_write_at_all_end(file1, out, found, error)
    call MPI_File_read_at_all_begin(file1, at(40 + rank), in, N(1), D, error)
    call MPI_File_read_at_all_end(file1, in, found, error)
    call MPI_File_seek(file1, at(36 + 2 * rank), MPI_SEEK_SET, error)
    call MPI_File_write_all_begin(file1, out, N(2), D, error)
    call MPI_File_write_all_end(file1, out, found, error)
  end subroutine

  subroutine split_shared()
    call MPI_File_seek_shared(file1, at(0), MPI_SEEK_SET, error)
    call MPI_File_write_ordered_begin(file1, out, N(1), D, error)
    call MPI_File_write_ordered_end(file1, out, found, error)
    call MPI_File_read_ordered_begin(file1, in, N(1), D, error)
    call MPI_File_read_ordered_end(file1, in, found, error)
    call MPI_File_iwrite_shared(file1, out, N(1), D, request1, error)
    call await()
    call MPI_File_iread_shared(file1, in, N(2), D, request1, error)
    call await()
  end subroutine

end program
