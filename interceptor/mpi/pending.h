/*
 * Requests that were started and are not completed yet: what their completion must be told of.
 *
 * A handle can stand for several starts at a time: MPIs that complete small sends at once give all
 * of them one handle. Starts of one handle are taken in the order in which they were put, those of
 * the completing thread first.
 *
 * Memory is mapped, never from malloc, and bounded. All of it is under a lock of its own, which may
 * be given up (owned_lock.h): then nothing is known of requests any more, and the program goes on.
 */
#ifndef VARSCOPE_PENDING_H
#define VARSCOPE_PENDING_H

#include <stdbool.h>
#include <stdint.h>

#include "trace_format.h"

struct vs_group;
struct vs_thread;

enum vs_pending_flag {
  /* Beside VST_TRANSFER_PEER to _COMMUNICATOR: where the start differs from its record. */
  VS_PENDING_RECEIVE = VST_TRANSFER_RECEIVE, /* the status tells what came */
  VS_PENDING_CANCELLED = 1u << 17,           /* MPI_Cancel was called */
  VS_PENDING_PERSISTENT = 1u << 18,          /* one start at a time */
  VS_PENDING_WAITS = 1u << 19, /* kept by the table: the status will tell where from */
};

struct vs_pending {
  uint64_t start_record;
  uint64_t bytes; /* as posted; so are the next three */
  int32_t peer, tag;
  uint32_t communicator;
  uint32_t start_thread;
  const struct vs_group *group; /* of the communicator, or NULL */
  uint32_t flags;
  uint32_t epoch; /* starts of another epoch than the current one are forgotten */
};

/*
 * In pending_table.h:
 *
 * vs_pending_open: a new start of the handle, with its epoch and flags; the caller, `thread`, fills
 * in the rest at once, in place (copied right after they were written, its values would have to be
 * waited for), and closes it. NULL, and nothing to close, without memory or with more than 32,768
 * starts pending: then the start stays unknown.
 *
 * vs_pending_needs_status: whether a start waits for its status: of a receive from anyone or with
 * any tag, or cancelled.
 */

/* Who completes requests: the calling thread, its number in the trace, and the current epoch. */
struct vs_completer {
  const struct vs_thread *thread;
  uint32_t number, epoch;
};

/* Takes out a start of each handle; found[i] tells whether there was one. Returns for how many. */
uint32_t vs_pending_take(const struct vs_completer *completer, const uintptr_t *handles,
                         uint32_t count, struct vs_pending *starts, bool *found);

/* Marks the oldest start as VS_PENDING_CANCELLED. */
void vs_pending_cancel(const struct vs_thread *thread, uintptr_t handle);

#endif
