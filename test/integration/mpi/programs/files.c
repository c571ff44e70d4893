/* MPI-IO in a fixed sequence, on a file in the working directory: files.test.ts lists the rows.
 * files.F90 makes the same calls. */
#include "check.h"

#define D MPI_DOUBLE
#define WORLD MPI_COMM_WORLD
#define NAME "data of varscope.bin"

static double out[8], in[8];
static int rank, other;
static MPI_File file;
static MPI_Status status;

static void single(void) {
  out[3] = 10 + rank;
  L(MPI_File_write_at)(file, 4 * rank, out, 4, D, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_Barrier(WORLD);
  L(MPI_File_read_at)(file, 4 * other, in, 4, D, &status);
  CHECK(in[3] == 10 + other);
  MPI_File_seek(file, 4 * rank, MPI_SEEK_SET);
  L(MPI_File_read)(file, in, 2, D, MPI_STATUS_IGNORE);
  MPI_File_seek(file, 8 + 2 * rank, MPI_SEEK_SET);
  L(MPI_File_write)(file, out, 2, D, &status);
}

static void together(void) {
  int count;
  MPI_File_seek(file, 12 + 2 * rank, MPI_SEEK_SET);
  L(MPI_File_write_all)(file, out, 2, D, &status);
  MPI_File_sync(file);
  MPI_Barrier(WORLD);
  MPI_File_seek(file, 12 + 2 * rank, MPI_SEEK_SET);
  L(MPI_File_read_all)(file, in, 2, D, &status);
  MPI_File_seek(file, 12 + 2 * rank, MPI_SEEK_SET);
  L(MPI_File_read)(file, in, 3, D, &status); /* rank 1 is at the end after two */
  MPI_Get_count(&status, D, &count);
  CHECK(count == 3 - rank);
  MPI_Barrier(WORLD);
  L(MPI_File_write_at_all)(file, 20 + rank, out, 1, D, &status);
  L(MPI_File_read_at_all)(file, 20 + rank, in, 1, D, &status);
}

static void wait(MPI_Request *request) {
  MPI_Wait(request, MPI_STATUS_IGNORE);
}

static void nonblocking(void) {
  MPI_Request request;
  L(MPI_File_iwrite_at)(file, 24 + rank, out, 1, D, &request), wait(&request);
  L(MPI_File_iread_at)(file, 24 + rank, in, 1, D, &request), wait(&request);
  L(MPI_File_iwrite_at_all)(file, 26 + rank, out, 1, D, &request), wait(&request);
  L(MPI_File_iread_at_all)(file, 26 + rank, in, 1, D, &request), wait(&request);
  MPI_File_seek(file, 0, MPI_SEEK_SET);
  L(MPI_File_iread)(file, in, 3, D, &request), wait(&request);
  L(MPI_File_iread_all)(file, in, 4, D, &request), wait(&request);
  MPI_File_seek(file, 28 + 4 * rank, MPI_SEEK_SET);
  L(MPI_File_iwrite)(file, out, 1, D, &request), wait(&request);
  L(MPI_File_iwrite_all)(file, out, 2, D, &request), wait(&request);
}

static void shared(void) {
  MPI_Offset position;
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  L(MPI_File_write_shared)(file, out, 1, D, &status);
  MPI_Barrier(WORLD);
  L(MPI_File_write_ordered)(file, out, 2, D, &status);
  MPI_Barrier(WORLD);
  MPI_File_get_position_shared(file, &position);
  CHECK(position == 6);
  MPI_Barrier(WORLD);
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  L(MPI_File_read_shared)(file, in, 1, D, &status);
  MPI_Barrier(WORLD);
  L(MPI_File_read_ordered)(file, in, 2, D, &status);
}

static void split(void) {
  MPI_File_seek(file, 0, MPI_SEEK_SET);
  L(MPI_File_read_all_begin)(file, in, 2, D);
  MPI_File_read_all_end(file, in, &status);
  L(MPI_File_write_at_all_begin)(file, 40 + rank, out, 1, D);
  MPI_File_write_at_all_end(file, out, &status);
  L(MPI_File_read_at_all_begin)(file, 40 + rank, in, 1, D);
  MPI_File_read_at_all_end(file, in, &status);
  MPI_File_seek(file, 36 + 2 * rank, MPI_SEEK_SET);
  L(MPI_File_write_all_begin)(file, out, 2, D);
  MPI_File_write_all_end(file, out, &status);
}

static void split_shared(void) {
  MPI_Request request;
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  L(MPI_File_write_ordered_begin)(file, out, 1, D);
  MPI_File_write_ordered_end(file, out, &status);
  L(MPI_File_read_ordered_begin)(file, in, 1, D);
  MPI_File_read_ordered_end(file, in, &status);
  L(MPI_File_iwrite_shared)(file, out, 1, D, &request), wait(&request);
  L(MPI_File_iread_shared)(file, in, 2, D, &request), wait(&request);
}

int main(int argc, char **argv) {
  MPI_Offset size = -1;
  MPI_Init(&argc, &argv);
  rank = world_rank();
  other = 1 - rank;
  MPI_File_open(WORLD, NAME, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_set_size(file, 0);
  MPI_File_set_view(file, 0, D, D, "native", MPI_INFO_NULL);
  single();
  together();
  nonblocking();
  shared();
  split();
  split_shared();
  MPI_File_set_atomicity(file, 0);
  MPI_Barrier(WORLD);
  MPI_File_get_size(file, &size);
  CHECK(size == 42 * 8);
  MPI_File_set_info(file, MPI_INFO_NULL);
  MPI_File_preallocate(file, 42 * 8);
  MPI_File_close(&file);
  CHECK(file == MPI_FILE_NULL);
  MPI_Barrier(WORLD);
  if (rank == 0)
    MPI_File_delete(NAME, MPI_INFO_NULL);
  MPI_File_open(MPI_COMM_SELF, "not/there", MPI_MODE_RDONLY, MPI_INFO_NULL, &file); /* fails */
  return finish("files");
}
