/* How programs begin and end: lifetime MODE. Output is unbuffered, so nothing depends on exit
 * handlers. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static void children(void) {
  int status;
  if (fork() == 0)
    _exit(3);
  wait(&status);
  CHECK(WEXITSTATUS(status) == 3);
  if (fork() == 0)
    exit(4);
  wait(&status);
  CHECK(WEXITSTATUS(status) == 4);
  if (fork() == 0)
    execlp("sh", "sh", "-c", "exit 5", (char *)NULL);
  wait(&status);
  CHECK(WEXITSTATUS(status) == 5);
  CHECK(system("exit 6") == 6 << 8);
}

/* An error handler that returns: the program goes on after calls that failed. */
static void errors(void) {
  int value = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  CHECK(MPI_Send(&value, 1, MPI_INT, 99, 0, MPI_COMM_WORLD) != MPI_SUCCESS);
  CHECK(MPI_Bcast(&value, 1, MPI_INT, 99, MPI_COMM_WORLD) != MPI_SUCCESS);
  CHECK(MPI_Barrier(MPI_COMM_NULL) != MPI_SUCCESS);
  CHECK(MPI_Isend(&value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request) != MPI_SUCCESS);
}

int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "plain";
  int flag, version, subversion, provided;
  setbuf(stdout, NULL);
  MPI_Initialized(&flag);
  MPI_Get_version(&version, &subversion);
  CHECK(!flag && version >= 3);
  if (strcmp(mode, "never") == 0)
    return puts("never: done") < 0;
  if (strcmp(mode, "thread") == 0) {
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    CHECK(provided >= MPI_THREAD_FUNNELED);
  } else {
    MPI_Init(&argc, &argv);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const int rank = world_rank();
  if (strcmp(mode, "fork") == 0)
    children();
  if (strcmp(mode, "errors") == 0)
    errors();
  if (rank == 0)
    printf("%s: done\n", mode);
  /* Launchers kill the other ranks of a job that ends badly: let the line above come first. */
  MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(mode, "no-finalize") == 0)
    return 0;
  if (strcmp(mode, "abort") == 0) {
    if (rank == 1)
      MPI_Abort(MPI_COMM_WORLD, 5);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  MPI_Finalized(&flag);
  CHECK(flag);
  if (strcmp(mode, "exit7") == 0)
    return 7;
  return failures ? 1 : 0;
}
