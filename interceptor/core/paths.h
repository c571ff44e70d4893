/*
 * Call paths: which calls led to a call site, as module and offset of each, so that ranks and runs
 * agree. Numbered as they appear; each is written once. Only where the user asked for it
 * (vs_options.call_path_frames > 0).
 */
#ifndef VARSCOPE_PATHS_H
#define VARSCOPE_PATHS_H

#include "table.h"
#include "thread.h"

/* Scope of the table vs_states under which a state is known by its path: see vs_path_key. */
#define VS_PATH_SCOPE 0xffffffffu

/* Path of calibration calls, which is not in the trace. */
#define VS_CALIBRATION_PATH 0xfffffffeu

static inline struct vs_key vs_path_key(uint32_t call, uint32_t path) {
  return (struct vs_key){path, call, VS_PATH_SCOPE};
}

/*
 * Number of the path to `site`, the return address of the wrapper that the caller is called from,
 * of vs_options.call_path_frames frames at most. VS_NOT_FOUND if it cannot be told: then the state
 * is known by its site alone. To be called only while recording, not under the lock. Keeps errno.
 */
uint32_t vs_path_find(struct vs_thread *thread, const void *site);

/* Objects were unloaded: other code may come to their addresses. */
void vs_paths_forget(void);

/* Says once in the trace if paths cannot be had here; under no lock. */
void vs_paths_prepare(void);

/* Gives back what was kept for a thread that is not to be used again. */
void vs_path_cache_free(struct vs_thread *thread);

#endif
