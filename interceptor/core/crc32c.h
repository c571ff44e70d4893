/*
 * CRC-32C (Castagnoli; RFC 3720 appendix B.4), the checksum of trace blocks. Uses the processor's
 * instruction where there is one (looked up at run time), else a table.
 */
#ifndef VARSCOPE_CRC32C_H
#define VARSCOPE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

#include "trace_format.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Goes on from `crc`, the result over the bytes before (0 at the start). */
uint32_t vst_crc32c(uint32_t crc, const void *data, size_t bytes);

/* Checksum of a block: the struct with its checksum field as 0, then `payload_bytes` of payload. */
uint32_t vst_block_checksum(const struct vst_block *block, const void *payload);

#ifdef __cplusplus
}
#endif

#endif
