#include "counter_pack.h"

#include <string.h>

static uint8_t *put(uint8_t *at, uint64_t value) {
  while (value >= 0x80) {
    *at++ = (uint8_t)(value | 0x80);
    value >>= 7;
  }
  *at++ = (uint8_t)value;
  return at;
}

static uint8_t *put_ticks(const uint64_t *slots, uint32_t count, uint32_t width, uint8_t *at) {
  uint64_t before = slots[0];
  for (uint32_t i = 0; i < count; i++) {
    uint64_t tick = slots[(size_t)i * width];
    at = put(at, tick - before);
    before = tick;
  }
  return at;
}

/* Changes of one column, runs of zeros shortened; masks change by exclusive or. */
static uint8_t *put_changes(const uint64_t *slots, uint32_t count, uint32_t width, uint32_t column,
                            uint8_t *at) {
  uint64_t before = 0, zeros = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint64_t value = slots[(size_t)i * width + column];
    uint64_t change = column == 1 ? value ^ before : value - before;
    before = value;
    if (change == 0) {
      zeros++;
      continue;
    }
    if (zeros > 0)
      at = put(put(at, 0), zeros - 1);
    zeros = 0;
    at = put(at, change);
  }
  return zeros > 0 ? put(put(at, 0), zeros - 1) : at;
}

size_t vst_pack_counters(const uint64_t *slots, uint32_t count, uint32_t columns,
                         uint8_t *payload) {
  uint32_t width = columns + 2;
  uint8_t *at = payload;
  for (uint32_t column = 0; column < width; column++) {
    uint8_t *start = at + sizeof(uint32_t);
    uint8_t *end = column == 0 ? put_ticks(slots, count, width, start)
                               : put_changes(slots, count, width, column, start);
    uint32_t bytes = (uint32_t)(end - start);
    memcpy(at, &bytes, sizeof bytes);
    at = end;
  }
  return (size_t)(at - payload);
}
