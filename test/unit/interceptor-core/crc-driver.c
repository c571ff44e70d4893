/* Prints CRC-32C values of published inputs, and compares table and instruction on random bytes. */
#include "../../../interceptor/core/crc32c.c"

#include <stdio.h>
#include <stdlib.h>

static uint32_t by_table(const uint8_t *data, size_t bytes) {
  return ~with_table(~0u, data, bytes);
}

int main(void) {
  uint8_t zeros[32] = {0}, ones[32], rising[32], random[4096];
  for (unsigned i = 0; i < 32; i++) {
    ones[i] = 0xff;
    rising[i] = (uint8_t)i;
  }
  const uint8_t *inputs[] = {zeros, ones, rising};
  for (unsigned i = 0; i < 3; i++)
    printf("%08x %08x\n", vst_crc32c(0, inputs[i], 32), by_table(inputs[i], 32));
  srand(1);
  for (unsigned i = 0; i < sizeof random; i++)
    random[i] = (uint8_t)rand();
  for (unsigned round = 0; round < 2000; round++) {
    size_t start = (size_t)rand() % 64, bytes = (size_t)rand() % (sizeof random - start);
    size_t cut = bytes ? (size_t)rand() % bytes : 0;
    uint32_t whole = vst_crc32c(0, random + start, bytes);
    uint32_t parts =
        vst_crc32c(vst_crc32c(0, random + start, cut), random + start + cut, bytes - cut);
    if (whole != parts || whole != by_table(random + start, bytes)) {
      printf("differs in round %u\n", round);
      return 1;
    }
  }
  return 0;
}
