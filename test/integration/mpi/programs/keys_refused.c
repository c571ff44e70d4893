/* MPICH alone. Debian's has no dynamic processes: calls for them fail, and the program goes on. A
 * failed call is recorded without a key of its own. keys_refused.F90 makes the same calls. */
#include <unistd.h>

#include "check.h"

#define SELF MPI_COMM_SELF
#define INFO MPI_INFO_NULL
#define FAILS(call) CHECK((call) != MPI_SUCCESS)

int main(int argc, char **argv) {
  char port[MPI_MAX_PORT_NAME] = "no port", found[MPI_MAX_PORT_NAME] = "";
  char *commands[1] = {argv[0]};
  const int ones[1] = {1};
  const MPI_Info infos[1] = {INFO};
  MPI_Comm comm;
  int ends[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(SELF, MPI_ERRORS_RETURN);
  FAILS(MPI_Open_port(INFO, port));
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank() == 0) {
    CHECK(MPI_Publish_name("varscope", INFO, "no port") == MPI_SUCCESS);
    CHECK(MPI_Lookup_name("varscope", INFO, found) == MPI_SUCCESS && found[0] == 'n');
    CHECK(MPI_Unpublish_name("varscope", INFO, "no port") == MPI_SUCCESS);
  }
  FAILS(MPI_Comm_accept("no port", INFO, 0, SELF, &comm));
  FAILS(MPI_Comm_connect("no port", INFO, 0, SELF, &comm));
  FAILS(MPI_Close_port("no port"));
  FAILS(MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, INFO, 0, SELF, &comm, MPI_ERRCODES_IGNORE));
  FAILS(MPI_Comm_spawn_multiple(1, commands, MPI_ARGVS_NULL, ones, infos, 0, SELF, &comm,
                                MPI_ERRCODES_IGNORE));
  CHECK(pipe(ends) == 0);
  close(ends[1]);
  FAILS(MPI_Comm_join(ends[0], &comm));
  return finish("keys_refused");
}
