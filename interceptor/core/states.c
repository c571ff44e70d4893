#define _GNU_SOURCE 1
#include "states.h"

#include <string.h>

#include "clock.h"
#include "file.h"
#include "lock.h"
#include "modules.h"
#include "paths.h"

/* Code made at run time may come and go without end: so many of its sites are remembered, later
 * ones are looked up anew each time. */
#define MOST_UNKNOWN_SITES 4096u

/* Two kinds of keys: scope 0 is a site's address; scope m + 1 is an offset in module m, so that a
 * library loaded again elsewhere keeps its states. */
struct vs_table vs_states;
static uint32_t state_count, unknown_sites;

static bool write_state(const struct vst_state *state, const char *name) {
  struct vst_block block = {.type = VST_BLOCK_STATE};
  struct vs_part parts[] = {{state, sizeof *state}, {name, strlen(name) + 1}};
  return vs_file_append(&block, parts, 2);
}

/* Number of the state in its module; new ones are written. Under the lock. */
static uint32_t number_in_module(const struct vs_call_info *info, uint32_t call, uint64_t offset,
                                 const struct vs_module *module) {
  struct vst_state state = {
      .state = state_count,
      .module = vs_module_number(module),
      .offset = offset,
      .category = (uint32_t)info->category,
  };
  if (state.module == VS_NOT_FOUND)
    return VS_NOT_FOUND;
  struct vs_key key = {offset, call, state.module + 1};
  uint32_t found = vs_table_find(&vs_states, key);
  if (found != VS_NOT_FOUND)
    return found;
  if (!write_state(&state, info->name))
    return VS_NOT_FOUND;
  if (!vs_table_insert(&vs_states, key, state.state))
    return VS_NOT_FOUND;
  return state_count++;
}

/* Code outside all modules has no offset that other ranks and runs would agree on: all of it is one
 * site. */
uint32_t vs_state_define(const struct vs_call_info *calls, uint32_t call, const void *site) {
  struct vs_module module = {.path = "[no module]"};
  struct vs_key key = vs_site_key(call, site);
  struct vs_lock lock;
  uint64_t since = vs_tick();
  bool known = vs_module_find(site, &module);
  uint64_t offset = known ? (uint64_t)(uintptr_t)site - module.base : 0;
  vs_lock_since(&lock, since);
  uint32_t state = number_in_module(&calls[call], call, offset, &module);
  bool remember = known || unknown_sites++ < MOST_UNKNOWN_SITES;
  if (state != VS_NOT_FOUND && remember && vs_table_find(&vs_states, key) == VS_NOT_FOUND)
    vs_table_insert(&vs_states, key, state);
  vs_unlock(&lock);
  return state;
}

/* The path begins with the site, so call and path tell states apart. */
uint32_t vs_state_define_on_path(const struct vs_call_info *calls, uint32_t call, const void *site,
                                 uint32_t path) {
  struct vs_module module = {.path = "[no module]"};
  struct vs_lock lock;
  uint64_t since = vs_tick();
  bool known = vs_module_find(site, &module);
  vs_lock_since(&lock, since);
  uint32_t found = vs_table_find(&vs_states, vs_path_key(call, path));
  struct vst_state state = {
      .state = state_count,
      .module = vs_module_number(&module),
      .offset = known ? (uint64_t)(uintptr_t)site - module.base : 0,
      .category = (uint32_t)calls[call].category,
      .path = 1 + path,
  };
  if (found == VS_NOT_FOUND && state.module != VS_NOT_FOUND &&
      write_state(&state, calls[call].name) &&
      vs_table_insert(&vs_states, vs_path_key(call, path), state.state)) {
    found = state.state;
    state_count++;
  }
  vs_unlock(&lock);
  return found;
}
