/* The recorder's own cost per call, so that reports can say what was measured and what is ours. */
#ifndef VARSCOPE_CALIBRATE_H
#define VARSCOPE_CALIBRATE_H

#include <stdint.h>

/*
 * Picoseconds that vs_begin, vs_stop, and vs_end take for one call, in this thread, with warm
 * caches; about 0.2 ms. Nothing is written to the trace. Called while recording, before this thread
 * has made a call.
 */
uint64_t vs_calibrate_call(uint64_t ticks_per_second);

#endif
