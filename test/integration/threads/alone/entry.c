/* The recorder and the wrappers of threads without MPI, to be linked into one program with
 * sanitizers. */
#include <stdlib.h>

#include "calls.h"
#include "mpi.h"
#include "recorder.h"

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
  if (!vs_start(&job, problem, sizeof problem))
    abort();
}

void end_recording(void) {
  vs_finish();
}

void record_call(void) {
  static const struct vs_arguments nothing = {
      .communicator = VST_NO_COMMUNICATOR, .peer = VST_NO_PEER, .tag = VST_NO_TAG};
  struct vs_scope scope;
  switch (vs_begin(&scope, VS_CALL_MPI_Iprobe, __builtin_return_address(0))) {
  case VS_PASS:
    break;
  case VS_LIGHT:
    vs_leave(&scope);
    break;
  case VS_RECORD:
    vs_stop(&scope);
    vs_end(&scope, &nothing);
  }
}
