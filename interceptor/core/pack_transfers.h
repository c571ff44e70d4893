/*
 * Packs transfers into the payload of a TRANSFERS block, as trace_format.h describes it. A pure
 * function: no allocation, no state between calls; the caller provides all memory.
 */
#ifndef VARSCOPE_PACK_TRANSFERS_H
#define VARSCOPE_PACK_TRANSFERS_H

#include <stddef.h>
#include <stdint.h>

#include "trace_format.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of scratch memory, aligned to 8, that vst_pack_transfers needs for `count` transfers. */
size_t vst_transfers_scratch_bytes(uint32_t count);

/* The most bytes that `count` transfers can take when packed. */
size_t vst_transfers_bound(uint32_t count);

/*
 * Writes the payload of `count` transfers that `thread` completed, in order of end_record, to
 * `payload` (vst_transfers_bound(count) bytes long) and returns its length. The block that carries
 * them has first_tick = transfers[0].end_record.
 */
size_t vst_pack_transfers(const struct vst_transfer *transfers, uint32_t count, uint32_t thread,
                          void *scratch, uint8_t *payload);

#ifdef __cplusplus
}
#endif

#endif
