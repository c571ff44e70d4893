#define _GNU_SOURCE 1
#include "unwind.h"

#include <stdatomic.h>
#include <stddef.h>

struct state {
  const struct vs_stack_range *range;
  struct vs_walk *walk;
  struct vs_frame frame;
  /* Where the frame pointer came from, which matters only if a frame is found by it. NULL: it is
   * the register's as at the start, or noted already. */
  const uintptr_t *fp_from;
  bool fp_restored, fp_lost;
};

/* A signal handler may break in here, and make calls of its own: so a slot has no address while it
 * is filled. */
static struct vs_frame_rule rule_of(struct vs_rules *rules, uintptr_t address) {
  struct vs_rule_slot *slot = &rules->slot[(address * 0x9e3779b97f4a7c15u) >> 55];
  if (__builtin_expect(slot->address == address, 1))
    return slot->rule;
  const struct vs_frame_rule rule = vs_cfi_rule(address);
  slot->address = 0;
  atomic_signal_fence(memory_order_seq_cst);
  slot->rule = rule;
  atomic_signal_fence(memory_order_seq_cst);
  slot->address = address;
  return rule;
}
_Static_assert(VS_RULE_SLOTS == 1u << (64 - 55), "rule_of takes that many bits of the hash");

/* Reads a word of the stack between the frame's stack pointer and the stack's end. The memory is
 * other functions' own, so this is hidden from the address sanitizer. */
static __attribute__((no_sanitize("address"))) bool read_word(const struct state *state,
                                                              uintptr_t place, uintptr_t *value) {
  if (place < state->frame.sp || place % sizeof *value != 0 ||
      place > state->range->high - sizeof *value)
    return false;
  *value = *(const uintptr_t *)place;
  return true;
}

static void note(struct vs_walk *walk, uintptr_t place, uintptr_t value) {
  if (walk->seen_count < VS_MOST_SEEN)
    walk->seen[walk->seen_count++] = (struct vs_seen){(const uintptr_t *)place, value};
}

/* The frame pointer decides where to read next: what it was read from is noted, once. */
static bool use_fp(struct state *state) {
  if (state->fp_lost)
    return false;
  if (!state->fp_restored)
    state->walk->used_fp = true;
  if (state->fp_from)
    note(state->walk, (uintptr_t)state->fp_from, state->frame.fp);
  state->fp_from = NULL;
  return true;
}

static bool find_cfa(struct state *state, const struct vs_frame_rule *rule, uintptr_t *cfa) {
  const uintptr_t offset = (uintptr_t)(intptr_t)rule->cfa_offset;
  switch (rule->cfa) {
  case VS_CFA_SP:
    *cfa = state->frame.sp + offset;
    return true;
  case VS_CFA_FP:
    *cfa = state->frame.fp + offset;
    return use_fp(state);
  case VS_CFA_AT_FP:
    if (!use_fp(state) || !read_word(state, state->frame.fp + offset, cfa))
      return false;
    note(state->walk, state->frame.fp + offset, *cfa);
    return true;
  default:
    return false;
  }
}

/* The caller's frame pointer, which may not be needed: if it cannot be had, it is lost. */
static void restore_fp(struct state *state, const struct vs_frame_rule *rule, uintptr_t cfa) {
  uintptr_t place = (uintptr_t)(intptr_t)rule->fp_offset;
  if (rule->caller_fp == VS_FP_SAME)
    return;
  if (rule->caller_fp == VS_FP_AT_FP && use_fp(state))
    place += state->frame.fp;
  else if (rule->caller_fp == VS_FP_AT_CFA)
    place += cfa;
  else
    place = 0;
  state->fp_lost = place == 0 || !read_word(state, place, &state->frame.fp);
  state->fp_from = state->fp_lost ? NULL : (const uintptr_t *)place;
  state->fp_restored = true;
}

/* Goes on to the caller; false where the walk ends. */
static bool step(struct state *state, const struct vs_frame_rule *rule) {
  uintptr_t cfa, caller;
  if (!find_cfa(state, rule, &cfa))
    return false;
  if (cfa <= state->frame.sp || cfa > state->range->high || cfa % sizeof cfa != 0)
    return false;
  const uintptr_t place = cfa + (uintptr_t)(intptr_t)rule->return_offset;
  if (!read_word(state, place, &caller) || caller == 0)
    return false;
  note(state->walk, place, caller);
  restore_fp(state, rule, cfa);
  state->frame.pc = caller;
  state->frame.sp = cfa;
  return true;
}

bool vs_unwind(struct vs_rules *rules, const struct vs_stack_range *range, struct vs_frame start,
               uintptr_t site, uint32_t frames, struct vs_walk *walk) {
  struct state state = {.range = range, .walk = walk, .frame = start};
  walk->frames = walk->seen_count = 0;
  walk->used_fp = false;
  struct vs_frame_rule rule = rule_of(rules, start.pc);
  for (unsigned own = 0; step(&state, &rule); own++) {
    if (state.frame.pc == site)
      break;
    if (own == VS_MOST_OWN_FRAMES)
      return false;
    rule = rule_of(rules, state.frame.pc - 1);
  }
  if (state.frame.pc != site)
    return false;
  walk->address[walk->frames++] = site;
  while (walk->frames < frames) {
    rule = rule_of(rules, state.frame.pc - 1);
    if (!step(&state, &rule))
      break;
    walk->address[walk->frames++] = state.frame.pc;
  }
  return true;
}
