/* The face of the library that is compiled against one MPI's mpi.h. */
#include "abi.h"

#include "mpi_functions.h"
#include "owned_lock.h"
#include "work.h"

struct vs_real_call vs_real[VS_MPI_CALL_COUNT];

extern const vs_function vs_c_wrappers[VS_MPI_CALL_COUNT], vs_f_wrappers[VS_MPI_CALL_COUNT],
    vs_f08_wrappers[VS_MPI_CALL_COUNT], vs_f08ts_wrappers[VS_MPI_CALL_COUNT],
    vs_cptr_wrappers[VS_MPI_CALL_COUNT];

static bool connect_core(const struct vs_core *core, const char **missing) {
  vs_core = *core;
  vs_owned_barrier = core->all_threads_see;
  *missing = vs_find_mpi_functions(core->resolve);
  return !*missing;
}

static vs_function wrap(enum vs_call call, enum vs_form form, vs_function real) {
  static const vs_function *const wrappers[VS_FORM_COUNT] = {
      vs_c_wrappers, vs_f_wrappers, vs_f08_wrappers, vs_f08ts_wrappers, vs_cptr_wrappers};
  vs_real[call].forms[form] = real;
  vs_real[call].self_offset = vs_core.self_offset;
  return wrappers[form][call];
}

__attribute__((visibility("default"))) extern const struct vs_abi varscope_abi;
const struct vs_abi varscope_abi = {
    .fingerprint = VS_SPEC_FINGERPRINT, .connect = connect_core, .wrap = wrap};
