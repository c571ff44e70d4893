/*
 * Sizes of datatypes. Nearly all messages are of named ones (MPI_DOUBLE), which are there from
 * start to end with the same size (MPI 3.1, section 4.1.13: combiner MPI_COMBINER_NAMED), so that
 * MPI need not be asked again. Others can be freed, and their handles used again.
 */
#ifndef VARSCOPE_TYPE_SIZES_H
#define VARSCOPE_TYPE_SIZES_H

#include <stdatomic.h>
#include <stdint.h>

#include "mpi_functions.h"

#define VS_NAMED_PLACES 128u /* a power of two */

/* By place; who comes first to a place keeps it. `type` is stored after the size. */
struct vs_named_type {
  _Atomic uintptr_t type; /* 0: free */
  _Atomic int64_t size;
};

extern struct vs_named_type vs_named_types[VS_NAMED_PLACES];

/* Asks MPI. */
int64_t vs_ask_type_size(MPI_Datatype type);

static inline uint32_t vs_type_place(MPI_Datatype type) {
  return (uint32_t)((uint64_t)(uintptr_t)type * 0x9e3779b97f4a7c15u >> 57) % VS_NAMED_PLACES;
}

/* Bytes of a valid datatype's data; 0 if MPI does not tell. */
static inline int64_t vs_type_size(MPI_Datatype type) {
  const struct vs_named_type *place = &vs_named_types[vs_type_place(type)];
  if (__builtin_expect(atomic_load_explicit(&place->type, memory_order_acquire) == (uintptr_t)type,
                       1))
    return atomic_load_explicit(&place->size, memory_order_relaxed);
  return vs_ask_type_size(type);
}

#endif
