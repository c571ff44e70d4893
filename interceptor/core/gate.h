/*
 * The one word that says whether calls are looked at. It lies in a page that the kernel clears in
 * every forked child (MADV_WIPEONFORK), however it was forked: children are asleep for good and
 * never touch the parent's trace, whose mapping they share.
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

extern _Atomic uint32_t *_Atomic vs_gate;

/* Makes the wiped page; false if memory cannot be had. Still asleep afterwards. */
bool vs_gate_prepare(void);

static inline _Atomic uint32_t *vs_gate_word(void) {
  return atomic_load_explicit(&vs_gate, memory_order_relaxed);
}

static inline enum vs_mode vs_mode(void) {
  return (enum vs_mode)atomic_load_explicit(vs_gate_word(), memory_order_acquire);
}

static inline void vs_set_mode(enum vs_mode mode) {
  atomic_store_explicit(vs_gate_word(), mode, memory_order_seq_cst);
}

/* Returns when every other thread has seen what this thread stored before. */
void vs_all_threads_see(void);

#endif
