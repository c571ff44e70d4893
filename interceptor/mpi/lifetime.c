#include "lifetime.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "communicators.h"
#include "job_id.h"
#include "mpi_functions.h"
#include "work.h"

static atomic_int init_depth;
static atomic_bool started;

/* First word after `prefix` in the library's own description of itself, up to a comma or white
 * space. */
static void copy_version(const char *description, const char *prefix, char *version, size_t bytes) {
  const char *start = strstr(description, prefix);
  *version = '\0';
  if (!start)
    return;
  start += strlen(prefix);
  start += strspn(start, " \t");
  snprintf(version, bytes, "%.*s", (int)strcspn(start, ", \t\r\n"), start);
}

static bool start_recording(uint64_t init_exit) {
  static char description[MPI_MAX_LIBRARY_VERSION_STRING + 1];
  char version[64], problem[256] = "";
  struct vs_job job = {.calls = vs_calls, .call_count = VS_CALL_COUNT, .init_exit_tick = init_exit};
  int length = 0;
  vs_mpi.Get_library_version(description, &length);
#ifdef OPEN_MPI
  job.mpi_implementation = "Open MPI";
  copy_version(description, "Open MPI v", version, sizeof version);
#else
  job.mpi_implementation = "MPICH";
  copy_version(description, "MPICH Version:", version, sizeof version);
#endif
  job.mpi_version = version;
  vs_mpi.Comm_rank(vs_mpi.world, &job.world_rank);
  vs_mpi.Comm_size(vs_mpi.world, &job.world_size);
  job.job_id = vs_job_id(strcmp(job.mpi_implementation, "Open MPI") == 0, job.world_size);
  if (vs_core.start(&job, problem, sizeof problem))
    return true;
  if (job.world_rank == 0)
    fprintf(stderr, "varscope: %s; the program runs untraced\n", problem);
  return false;
}

uint64_t vs_before_init(void) {
  atomic_fetch_add(&init_depth, 1);
  vs_core.starts_mpi(true);
  return vs_core.now();
}

void vs_after_init(uint64_t entered, enum vs_call call, const void *site, bool succeeded) {
  const uint64_t init_exit = vs_core.now();
  vs_core.starts_mpi(false);
  if (atomic_fetch_sub(&init_depth, 1) != 1 || !succeeded)
    return;
  if (atomic_exchange(&started, true) || !start_recording(init_exit))
    return;
  vs_define_predefined();
  struct vs_scope scope;
  if (vs_core.begin(&scope, call, site) == VS_PASS)
    return;
  scope.enter = entered;
  scope.exit = init_exit;
  const struct vs_arguments work = vs_no_work();
  vs_core.end(&scope, &work);
}

void vs_after_finalize(struct vs_scope *scope, bool succeeded) {
  if (scope) {
    const struct vs_arguments work = vs_no_work();
    vs_core.stop(scope);
    vs_core.end(scope, &work);
  }
  /* Refused while recording: inside another MPI_Finalize, which will finish. */
  if (succeeded && (scope || !vs_core.recording()))
    vs_core.finish();
}
