/* The recorder and the wrappers of I/O without MPI: one library to be built with sanitizers. */
#include <stdlib.h>

#include "calls.h"
#include "scope.h"

VS_EXPORT void begin_recording(void);
VS_EXPORT void end_recording(void);

void begin_recording(void) {
  char problem[256];
  const struct vs_job job = {
      .calls = vs_calls,
      .call_count = VS_CALL_COUNT,
      .mpi_implementation = "none",
      .mpi_version = "0",
      .job_id = 1,
      .world_size = 1,
  };
  vs_io_start();
  if (!vs_start(&job, problem, sizeof problem))
    abort();
}

void end_recording(void) {
  vs_finish();
}
