#include "crc32c.h"

#include <string.h>

#if defined(__aarch64__)
#include <arm_acle.h>
#include <sys/auxv.h>
#ifndef HWCAP_CRC32
#define HWCAP_CRC32 (1 << 7)
#endif
#endif

/* Four bits at a time: entry i is the remainder of i under the reflected polynomial. */
static const uint32_t nibbles[16] = {
    0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
    0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
};

static uint32_t with_table(uint32_t crc, const uint8_t *data, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) {
    crc ^= data[i];
    crc = (crc >> 4) ^ nibbles[crc & 15];
    crc = (crc >> 4) ^ nibbles[crc & 15];
  }
  return crc;
}

#if defined(__x86_64__)

static int has_instruction(void) {
  return __builtin_cpu_supports("sse4.2");
}

__attribute__((target("sse4.2"))) static uint32_t
with_instruction(uint32_t crc, const uint8_t *data, size_t bytes) {
  uint64_t wide = crc;
  for (; bytes >= 8; bytes -= 8, data += 8) {
    uint64_t word;
    memcpy(&word, data, sizeof word);
    wide = __builtin_ia32_crc32di(wide, word);
  }
  crc = (uint32_t)wide;
  for (; bytes > 0; bytes--)
    crc = __builtin_ia32_crc32qi(crc, *data++);
  return crc;
}

#elif defined(__aarch64__)

static int has_instruction(void) {
  return (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0;
}

__attribute__((target("+crc"))) static uint32_t with_instruction(uint32_t crc, const uint8_t *data,
                                                                 size_t bytes) {
  for (; bytes >= 8; bytes -= 8, data += 8) {
    uint64_t word;
    memcpy(&word, data, sizeof word);
    crc = __crc32cd(crc, word);
  }
  for (; bytes > 0; bytes--)
    crc = __crc32cb(crc, *data++);
  return crc;
}

#else

static int has_instruction(void) {
  return 0;
}

#define with_instruction with_table

#endif

uint32_t vst_crc32c(uint32_t crc, const void *data, size_t bytes) {
  const uint8_t *first = (const uint8_t *)data;
  crc = ~crc;
  crc = has_instruction() ? with_instruction(crc, first, bytes) : with_table(crc, first, bytes);
  return ~crc;
}

uint32_t vst_block_checksum(const struct vst_block *block, const void *payload) {
  struct vst_block copy = *block;
  copy.checksum = 0;
  return vst_crc32c(vst_crc32c(0, &copy, sizeof copy), payload, block->payload_bytes);
}
