#include "type_sizes.h"

#include <stdbool.h>

/* In `type` of a place whose size is being written; no handle. */
#define BUSY UINTPTR_MAX

struct vs_named_type vs_named_types[VS_NAMED_PLACES];

/* The type of each place that was last found to have no name: it will not have one later on. */
static _Atomic uintptr_t unnamed[VS_NAMED_PLACES];

static bool is_named(MPI_Datatype type) {
  int integers = 0, addresses = 0, types = 0, combiner = MPI_UNDEFINED;
  return vs_mpi.Type_get_envelope(type, &integers, &addresses, &types, &combiner) == MPI_SUCCESS &&
         combiner == MPI_COMBINER_NAMED;
}

static void keep(MPI_Datatype type, int64_t size) {
  const uint32_t at = vs_type_place(type);
  struct vs_named_type *place = &vs_named_types[at];
  uintptr_t nobody = 0;
  if (atomic_load_explicit(&place->type, memory_order_relaxed) != 0 ||
      atomic_load_explicit(&unnamed[at], memory_order_relaxed) == (uintptr_t)type)
    return;
  if (!is_named(type)) {
    atomic_store_explicit(&unnamed[at], (uintptr_t)type, memory_order_relaxed);
    return;
  }
  if (!atomic_compare_exchange_strong(&place->type, &nobody, BUSY))
    return;
  atomic_store_explicit(&place->size, size, memory_order_relaxed);
  atomic_store_explicit(&place->type, (uintptr_t)type, memory_order_release);
}

int64_t vs_ask_type_size(MPI_Datatype type) {
  MPI_Count size = 0;
  if (vs_mpi.Type_size_x(type, &size) != MPI_SUCCESS || size <= 0)
    return 0;
  keep(type, size);
  return size;
}
