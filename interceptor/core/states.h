/* States: calls at sites, numbered as they appear. */
#ifndef VARSCOPE_STATES_H
#define VARSCOPE_STATES_H

#include "recorder.h"
#include "table.h"

extern struct vs_table vs_states;

/* Key of a call at a return address. */
static inline struct vs_key vs_site_key(uint32_t call, const void *site) {
  return (struct vs_key){(uint64_t)(uintptr_t)site, call, 0};
}

/*
 * Number of the state of `call` at `site` (which vs_states does not have under its site key);
 * writes its STATE block, and the module's, when they are new. VS_NOT_FOUND if that fails. Takes
 * the lock. Known limit: after dlclose, another library at the same address is taken for the first
 * one.
 */
uint32_t vs_state_define(const struct vs_call_info *calls, uint32_t call, const void *site);

/* The same for `call` on a call path (number in the trace) to `site`; vs_states does not have it
 * under its path key (paths.h). */
uint32_t vs_state_define_on_path(const struct vs_call_info *calls, uint32_t call, const void *site,
                                 uint32_t path);

#endif
