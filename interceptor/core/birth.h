/*
 * Where a thread comes from: noted when it is made (interceptor/threads), written to the trace as a
 * THREAD block when it comes to its first recorded call.
 */
#ifndef VARSCOPE_BIRTH_H
#define VARSCOPE_BIRTH_H

#include <stdbool.h>
#include <stdint.h>

#include "trace_format.h"

struct vs_birth {
  const void *start;        /* its start routine; NULL: not known */
  uint32_t parent_plus_one; /* 0: not known */
  uint32_t kind;            /* enum vst_thread_kind; 0: found out by vs_birth_locate */
  bool foreign;             /* made inside an MPI call: the library's own */
  bool starts_mpi;          /* this thread is inside MPI_Init, where calls are not yet recorded */
  bool makes_team;          /* this thread is inside an OpenMP runtime that may make threads */
};

extern _Thread_local struct vs_birth vs_birth __attribute__((tls_model("initial-exec")));

/* Whether the calling thread is one that the MPI library made for itself. Its calls outside MPI are
 * not the program's: vs_begin passes them. */
static inline bool vs_thread_is_foreign(void) {
  return vs_birth.foreign;
}

/* Called around MPI_Init: threads that the calling thread makes meanwhile are foreign. */
void vs_thread_starts_mpi(bool inside);

/* A start routine's place, found before the lock is taken (see modules.h). */
struct vs_birth_place;

struct vs_thread;

/* Attaching is in three steps: what needs the dynamic linker's lock, what needs ours, and freeing.
 * Locate may return NULL: then the start routine is not known. */
struct vs_birth_place *vs_birth_locate(void);
void vs_birth_describe(const struct vs_thread *thread, const struct vs_birth_place *place);
void vs_birth_forget(struct vs_birth_place *place);

/* Writes that the calling thread ends. Under the lock. */
void vs_birth_ended(const struct vs_thread *thread);

/* Remembers the name that all threads have before they are given one. */
void vs_birth_prepare(void);

#endif
