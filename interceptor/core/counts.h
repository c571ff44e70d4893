/* Counts of calls left out on purpose, per thread and state, in COUNTS blocks of the trace file. */
#ifndef VARSCOPE_COUNTS_H
#define VARSCOPE_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "trace_format.h"

struct vs_thread;

/* A thread's blocks: the one being filled, and the first. Zero before there is any. */
struct vs_thread_counts {
  struct vst_counts *first, *last;
  uint32_t used;           /* entries of `last` */
  struct vst_count beyond; /* counts where there is no room in the file */
};

/* Entry for a state that this thread has not left out before. Takes the lock; never NULL. */
struct vst_count *vs_counts_add(struct vs_thread *thread, uint32_t state);

#endif
