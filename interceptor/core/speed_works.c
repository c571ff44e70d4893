#define _GNU_SOURCE 1
#include "speed_works.h"

#include <stddef.h>
#include <string.h>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#define STEPS 8192u
#define LINE_BYTES 64u
#define LINES 2048u /* 128 KiB */
#define LOADS 4096u
#define WRITTEN_WORDS (256u * 1024 / sizeof(uint64_t))

/* One cache line, of which only the number of the next one is used. */
struct line {
  uint32_t next;
  uint8_t rest[LINE_BYTES - sizeof(uint32_t)];
};

static _Alignas(4096) struct line chain[LINES];
static _Alignas(4096) uint64_t written[WRITTEN_WORDS];

/* What follows may not leave out how `value` came about. */
static inline void use(uint64_t value) {
  __asm__ volatile("" : : "r"(value) : "memory");
}

/* Four chains, so that it needs the width of the core and not only its clock: what shares the core
 * by hyper-threading is felt, too. */
static void compute(void) {
  uint64_t a = 1, b = 2, c = 3, d = 4;
  for (unsigned i = 0; i < STEPS; i++) {
    a = (a ^ (a >> 29)) * UINT64_C(0x9e3779b97f4a7c15);
    b = (b ^ (b >> 29)) * UINT64_C(0x9e3779b97f4a7c15);
    c = (c ^ (c >> 29)) * UINT64_C(0x9e3779b97f4a7c15);
    d = (d ^ (d >> 29)) * UINT64_C(0x9e3779b97f4a7c15);
    __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
  }
  use(a ^ b ^ c ^ d);
}

static void warm(void) {
  uint64_t sum = 0;
  for (unsigned i = 0; i < LINES; i++)
    sum += chain[i].next;
  use(sum);
}

static void chase(void) {
  uint32_t at = 0;
  for (unsigned i = 0; i < LOADS; i++) {
    at = chain[at].next;
    __asm__ volatile("" : "+r"(at));
  }
  use(at);
}

static void stream(void) {
#if defined(__x86_64__)
  for (unsigned i = 0; i < WRITTEN_WORDS; i++)
    _mm_stream_si64((long long *)(void *)&written[i], (long long)i);
  _mm_sfence();
#else
  for (unsigned i = 0; i < WRITTEN_WORDS; i++)
    written[i] = i;
  __asm__ volatile("" : : "r"(written) : "memory");
#endif
}

const struct vs_probe_work vs_probe_works[VS_PROBE_KINDS] = {
    {VST_PROBE_COMPUTE, NULL, compute},
    {VST_PROBE_CACHE, warm, chase},
    {VST_PROBE_MEMORY, NULL, stream},
};

/* One cycle through all lines in an order without pattern (S. Sattolo, Inf. Proc. Letters 22,
 * 1986), the same in all processes. */
void vs_probe_works_start(void) {
  uint64_t random = 1;
  for (uint32_t i = 0; i < LINES; i++)
    chain[i].next = i;
  for (uint32_t i = LINES - 1; i > 0; i--) {
    random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint32_t other = (uint32_t)(random >> 33) % i, next = chain[i].next;
    chain[i].next = chain[other].next;
    chain[other].next = next;
  }
  memset(written, 1, sizeof written); /* its pages are there from now on */
}
