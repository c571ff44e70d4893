/* Where the trampolines go: one pointer per call and symbol form. */
#ifndef VARSCOPE_SLOTS_H
#define VARSCOPE_SLOTS_H

#include <stdatomic.h>

#include "abi.h"

extern _Atomic(vs_function) vs_slots[VS_SLOT_COUNT];

static inline vs_function vs_target(unsigned slot) {
  return atomic_load_explicit(&vs_slots[slot], memory_order_acquire);
}

/* Points the slot at its wrapper, or at the real function where nothing is to be traced; returns
 * it. */
vs_function vs_bind(unsigned slot);

#endif
