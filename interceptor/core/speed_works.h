/* The works of the probes: fixed by construction, without floating point, so that the program's
 * rounding and exception flags stay as they are. */
#ifndef VARSCOPE_SPEED_WORKS_H
#define VARSCOPE_SPEED_WORKS_H

#include "trace_format.h"

#define VS_PROBE_KINDS 3u

struct vs_probe_work {
  enum vst_probe_kind kind;
  void (*prepare)(void); /* brings caches to the same state, not timed; or NULL */
  void (*run)(void);
};

extern const struct vs_probe_work vs_probe_works[VS_PROBE_KINDS];

/* Lays out the memory that they use; once, before the first of them. */
void vs_probe_works_start(void);

#endif
