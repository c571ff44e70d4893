/*
 * What says whether calls are looked at. It lies in a page that the kernel clears in every forked
 * child (MADV_WIPEONFORK), however it was forked: children are asleep for good and never touch the
 * parent's trace, whose mapping they share.
 */
#ifndef VARSCOPE_GATE_H
#define VARSCOPE_GATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum vs_mode {
  VS_ASLEEP = 0, /* calls pass through: not started, finished, or a forked child */
  VS_RECORDING = 1,
  VS_COUNTING = 2, /* recording broke off; calls are counted as lost */
};

struct vs_gate {
  union {
    struct {
      _Atomic uint32_t mode; /* enum vs_mode */
      /* 1 while a recorded call took note of requests that a call left out may start or complete */
      _Atomic uint32_t requests;
    };
    _Atomic uint64_t words; /* both, for one look at them: see VS_GATE_MODE */
  };
};

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "struct vs_gate: the mode must be the low half of its words"
#endif

/* Halves of struct vs_gate's words. */
#define VS_GATE_MODE UINT64_C(0x00000000ffffffff)
#define VS_GATE_REQUESTS UINT64_C(0xffffffff00000000)

extern struct vs_gate *_Atomic vs_gate;

/* Makes the wiped page; false if memory cannot be had. Still asleep afterwards. */
bool vs_gate_prepare(void);

static inline struct vs_gate *vs_gate_page(void) {
  return atomic_load_explicit(&vs_gate, memory_order_relaxed);
}

static inline enum vs_mode vs_mode(void) {
  return (enum vs_mode)atomic_load_explicit(&vs_gate_page()->mode, memory_order_acquire);
}

static inline void vs_set_mode(enum vs_mode mode) {
  atomic_store_explicit(&vs_gate_page()->mode, mode, memory_order_seq_cst);
}

/* Returns when every other thread has seen what this thread stored before. */
void vs_all_threads_see(void);

#endif
