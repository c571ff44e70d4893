/*
 * What libvarscope.so, which knows no mpi.h, and libvarscope-openmpi.so or libvarscope-mpich.so,
 * which are compiled against one, hand each other when the first MPI call of a process is bound.
 */
#ifndef VARSCOPE_ABI_H
#define VARSCOPE_ABI_H

#include "birth.h"
#include "calls.h"
#include "quick.h"

typedef void (*vs_function)(void);

/* Symbol forms of one call; MPI_Send as example. Those of MPI_Send_c are MPI_Send_c,
 * mpi_send_f08_large_ and mpi_send_f08ts_large_. */
enum vs_form {
  VS_FORM_C = 0,     /* MPI_Send */
  VS_FORM_F = 1,     /* mpi_send_: mpif.h and use mpi */
  VS_FORM_F08 = 2,   /* mpi_send_f08_ */
  VS_FORM_F08TS = 3, /* mpi_send_f08ts_: buffers are descriptors of TS 29113 */
  VS_FORM_CPTR = 4,  /* mpi_win_allocate_cptr_: Open MPI's mpi module, base as a C pointer */
  VS_FORM_COUNT = 5
};

#define VS_SLOT(call, form) ((call)*VS_FORM_COUNT + (form))
#define VS_SLOT_COUNT (VS_MPI_CALL_COUNT * VS_FORM_COUNT)

/* The recorder, as the wrappers call it. */
struct vs_core {
  __typeof__(vs_start) *start;
  __typeof__(vs_recording) *recording;
  __typeof__(vs_begin) *begin;
  __typeof__(vs_leave) *leave;
  /* Of the quick way (quick.h): vs_self_offset(). */
  ptrdiff_t self_offset;
  __typeof__(vs_stop) *stop;
  __typeof__(vs_end) *end;
  __typeof__(vs_open_transfers) *open_transfers;
  __typeof__(vs_close_transfers) *close_transfers;
  __typeof__(vs_count_unmatched) *count_unmatched;
  __typeof__(vs_unrecorded) *unrecorded;
  /* Rises whenever a call that starts or completes requests was left out (VS_LIGHT): what is known
   * of requests then no longer tells which is which. NULL: never. */
  const _Atomic uint32_t *light_epoch;
  __typeof__(vs_all_threads_see) *all_threads_see; /* gate.h */
  __typeof__(vs_now) *now;
  __typeof__(vs_define_communicator) *define_communicator;
  __typeof__(vs_report_problem) *report_problem;
  __typeof__(vs_pause) *pause;
  __typeof__(vs_finish) *finish;
  __typeof__(vs_thread_starts_mpi) *starts_mpi;
  void *(*resolve)(const char *symbol); /* address of a symbol of the process's MPI, or NULL */
};

struct vs_abi {
  uint64_t fingerprint; /* VS_SPEC_FINGERPRINT: which table of calls it was generated from */
  /* Takes the recorder and finds what the wrappers need of MPI. False if something is missing: then
   * `missing` names it. */
  bool (*connect)(const struct vs_core *core, const char **missing);
  /* Gives the real function of a slot to its wrapper, which is returned; NULL if there is none. */
  vs_function (*wrap)(enum vs_call call, enum vs_form form, vs_function real);
};

/* The one symbol that an ABI library exports: a struct vs_abi. */
#define VS_ABI_SYMBOL "varscope_abi"

#endif
