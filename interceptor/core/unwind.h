/*
 * Walks the calling thread's stack by the unwind tables, in a way that does not touch the
 * application's own unwinder (libgcc's, or whatever it has): no symbol of one is used or exported.
 *
 * A walk is remembered with all it has read: the places on the stack and what stood there. Where
 * the same call comes again at the same depth and all of it still stands there, the walk would go
 * the same way, so its result holds. That takes a comparison per frame.
 */
#ifndef VARSCOPE_UNWIND_H
#define VARSCOPE_UNWIND_H

#include <stdbool.h>
#include <stdint.h>

#include "cfi.h"
#include "stack_range.h"

#define VS_MOST_FRAMES 64u

/* Frames between the walk's start and the call site, all of this library. */
#define VS_MOST_OWN_FRAMES 16u

/* A word of the stack that decided which way a walk went. */
struct vs_seen {
  const uintptr_t *place;
  uintptr_t value;
};

/* A return address per frame, and for some the saved frame pointer. */
#define VS_MOST_SEEN (2 * (VS_MOST_FRAMES + VS_MOST_OWN_FRAMES))

struct vs_rule_slot {
  uintptr_t address;
  struct vs_frame_rule rule;
};

#define VS_RULE_SLOTS 512u

/* Rules found before, by instruction; of one thread. Slots are overwritten by others. */
struct vs_rules {
  struct vs_rule_slot slot[VS_RULE_SLOTS];
};

/* Registers of a frame. */
struct vs_frame {
  uintptr_t pc, sp, fp;
};

struct vs_walk {
  uint32_t frames;
  uintptr_t address[VS_MOST_FRAMES]; /* return addresses, the site first */
  bool used_fp;                      /* the frame pointer at the start mattered */
  uint32_t seen_count;
  struct vs_seen seen[VS_MOST_SEEN];
};

/*
 * Walks from `start`, a place in this library, out to the frame whose return address is `site`, and
 * from there on over at most `frames` frames, the site's included. `range` is the stack. The walk
 * ends before that at the outermost frame, at a signal handler (who was hit is chance), where there
 * are no unwind tables, and where the stack makes no sense. False if `site` is not found.
 */
bool vs_unwind(struct vs_rules *rules, const struct vs_stack_range *range, struct vs_frame start,
               uintptr_t site, uint32_t frames, struct vs_walk *walk);

#endif
