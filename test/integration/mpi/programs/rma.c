/* One-sided calls in a fixed sequence: rma.test.ts lists the rows. rma.F90 makes the same calls. */
#include "check.h"

#define D MPI_DOUBLE
#define WORLD MPI_COMM_WORLD

static double memory[64], out[64], in[64];
static int rank, other;

static void transfers(void) {
  MPI_Win win;
  MPI_Request request;
  L(MPI_Win_create)(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, WORLD, &win);
  out[0] = 10 + rank;
  MPI_Win_fence(0, win);
  L(MPI_Put)(out, 3, D, other, 0, 3, D, win);
  L(MPI_Put)(out, 3, D, MPI_PROC_NULL, 0, 3, D, win);
  MPI_Win_fence(0, win);
  CHECK(memory[0] == 10 + other);
  L(MPI_Get)(in, 2, D, other, 0, 2, D, win);
  L(MPI_Accumulate)(out, 4, D, other, 8, 4, D, MPI_SUM, win);
  MPI_Win_fence(0, win);
  CHECK(in[0] == 10 + rank);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, win);
  L(MPI_Get_accumulate)(NULL, 0, D, in, 2, D, other, 0, 2, D, MPI_NO_OP, win);
  MPI_Fetch_and_op(out, in, D, other, 16, MPI_SUM, win);
  MPI_Win_flush(other, win);
  MPI_Win_unlock(other, win);
  MPI_Win_lock_all(0, win);
  L(MPI_Rput)(out, 1, D, other, 20, 1, D, win, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_flush_local(other, win);
  L(MPI_Rget)(in, 5, D, other, 24, 5, D, win, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  L(MPI_Raccumulate)(out, 1, D, other, 21, 1, D, MPI_SUM, win, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  L(MPI_Rget_accumulate)(out, 2, D, in, 2, D, other, 22, 2, D, MPI_SUM, win, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_flush_all(win);
  MPI_Win_flush_local_all(win);
  MPI_Win_sync(win);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  CHECK(win == MPI_WIN_NULL);
}

static void swap(void) {
  const int new_value = 5, expected = 0;
  int *word, found = -1;
  MPI_Win win;
  L(MPI_Win_allocate)(sizeof *word, sizeof *word, MPI_INFO_NULL, WORLD, &word, &win);
  *word = 0;
  MPI_Win_fence(0, win);
  MPI_Compare_and_swap(&new_value, &expected, &found, MPI_INT, other, 0, win);
  MPI_Win_fence(0, win);
  CHECK(found == 0 || found == 5); /* MPICH 4.0 over UCX gets the value wrong */
  MPI_Win_free(&win);
}

static void epochs(void) {
  MPI_Comm reversed;
  MPI_Group world, partner;
  MPI_Win win;
  double *base;
  int flag = 0;
  MPI_Comm_group(WORLD, &world);
  MPI_Group_incl(world, 1, &other, &partner);
  MPI_Comm_split(WORLD, 0, -rank, &reversed);
  L(MPI_Win_allocate)(256, 8, MPI_INFO_NULL, reversed, &base, &win);
  MPI_Comm_free(&reversed); /* the window lives on */
  MPI_Win_post(partner, 0, win);
  MPI_Win_start(partner, 0, win);
  L(MPI_Put)(out, 2, D, rank, 0, 2, D, win); /* ranks are reversed there */
  MPI_Win_complete(win);
  MPI_Win_wait(win);
  MPI_Win_post(partner, 0, win);
  MPI_Win_start(partner, 0, win);
  MPI_Win_complete(win);
  while (!flag)
    MPI_Win_test(win, &flag);
  MPI_Win_free(&win);
  MPI_Group_free(&partner);
  MPI_Group_free(&world);
}

static void kinds(void) {
  MPI_Win win;
  double *base;
  L(MPI_Win_allocate_shared)(64, 8, MPI_INFO_NULL, WORLD, &base, &win);
  base[0] = rank;
  MPI_Win_free(&win);
  MPI_Win_create_dynamic(MPI_INFO_NULL, WORLD, &win);
  MPI_Win_attach(win, memory, sizeof memory);
  MPI_Win_detach(win, memory);
  MPI_Win_free(&win);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  rank = world_rank();
  other = 1 - rank;
  transfers();
  swap();
  epochs();
  kinds();
  return finish("rma");
}
