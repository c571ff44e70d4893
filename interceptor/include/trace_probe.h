/*
 * Probes of a core's speed: part of the trace file format, included by trace_format.h.
 *
 * A process times a few pieces of work that are the same by construction, on all ranks and at any
 * time: when recording starts and ends, and now and then in calls in which it waits anyway. What
 * differs between ranks is then the machine's doing. Each round of probes is one PROBES block:
 * `count` struct vst_probe, made by `thread`.
 */
#ifndef VARSCOPE_TRACE_PROBE_H
#define VARSCOPE_TRACE_PROBE_H

#include <stdint.h>

/* Readers skip kinds that they do not know. Within a kind the work never changes. */
enum vst_probe_kind {
  VST_PROBE_COMPUTE = 1, /* integer arithmetic in registers: 4 chains of 8192 steps */
  VST_PROBE_CACHE = 2,  /* 4096 dependent loads in 128 KiB, read once before: first and second level
                         */
  VST_PROBE_MEMORY = 3, /* 256 KiB written past the caches (other processors than x86: written) */
};

#define VST_DELAY_NOT_TOLD UINT64_MAX

struct vst_probe {
  uint64_t tick;         /* start */
  uint64_t ticks;        /* how long it took */
  uint64_t cpu_ns;       /* CPU time that the thread had meanwhile */
  uint64_t total_cpu_ns; /* CPU time that the thread has had so far, at the start */
  uint64_t delay_ns;     /* time so far that it was ready and waited for a core, when the round
                            began; VST_DELAY_NOT_TOLD: the kernel does not say */
  uint32_t kind;         /* enum vst_probe_kind */
  uint32_t core;         /* that it ran on at the start, or VST_NO_NUMBER */
};

#endif
