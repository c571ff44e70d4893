/* 2,000 threads one after the other and in groups, a call of MPI in each; names of threads, and a
 * tree: some make others. */
#define _GNU_SOURCE
#include <pthread.h>

#include "check.h"

#define GROUPS 100
#define GROUP 20

static void call_once(void) {
  int flag;
  MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

static void *leaf(void *given) {
  call_once();
  return given;
}

static void *branch(void *given) {
  pthread_t thread;
  pthread_setname_np(pthread_self(), "branch");
  call_once();
  CHECK(pthread_create(&thread, NULL, leaf, given) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  return given;
}

int main(int argc, char **argv) {
  pthread_t threads[GROUP];
  start_mpi(&argc, &argv);
  CHECK(pthread_create(&threads[0], NULL, branch, NULL) == 0);
  CHECK(pthread_join(threads[0], NULL) == 0);
  for (int i = 0; i < GROUPS; i++) {
    for (int k = 0; k < GROUP; k++)
      CHECK(pthread_create(&threads[k], NULL, leaf, NULL) == 0);
    for (int k = 0; k < GROUP; k++)
      CHECK(pthread_join(threads[k], NULL) == 0);
  }
  return finish("many");
}
