/*
 * Packs records into the payload of a FRAGMENTS block, as trace_format.h describes it. A pure
 * function: no allocation, no state between calls; the caller provides all memory.
 */
#ifndef VARSCOPE_PACK_H
#define VARSCOPE_PACK_H

#include <stddef.h>
#include <stdint.h>

#include "trace_format.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of scratch memory, aligned to 8, that vst_pack needs for `count` records. */
size_t vst_pack_scratch_bytes(uint32_t count);

/* The most bytes that `count` records can take when packed. */
size_t vst_pack_bound(uint32_t count);

/*
 * Writes the payload of `count` records to `payload` (vst_pack_bound(count) bytes long) and returns
 * its length. Records are of one thread in order: enter >= the exit before, exit >= enter. The
 * block that carries them has first_tick = records[0].enter and the same `previous_exit`.
 */
size_t vst_pack(const struct vst_record *records, uint32_t count, uint64_t previous_exit,
                void *scratch, uint8_t *payload);

#ifdef __cplusplus
}
#endif

#endif
