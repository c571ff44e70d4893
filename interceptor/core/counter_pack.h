/* Packs readings of counters into the payload of a COUNTERS block, as trace_format.h describes it.
 * A pure function. */
#ifndef VARSCOPE_COUNTER_PACK_H
#define VARSCOPE_COUNTER_PACK_H

#include <stddef.h>
#include <stdint.h>

/* The most bytes that `count` readings of `columns` counters can take when packed. */
#define VST_COUNTERS_BOUND(count, columns) (((columns) + 2) * (4 + 11 * (size_t)(count)))

/*
 * Packs `count` > 0 readings, which stand as in a COUNTER_STAGING block: 2 + `columns` numbers
 * each. Returns the length of the payload. Numbers of a column never decrease, and ticks do not
 * either.
 */
size_t vst_pack_counters(const uint64_t *slots, uint32_t count, uint32_t columns, uint8_t *payload);

#endif
