/*
 * Requests that were started and are not completed yet: what their completion must be told of.
 *
 * A handle can stand for several starts at a time: MPIs that complete small sends at once give all
 * of them one handle. Starts of one handle are taken in the order in which they were put, those of
 * the completing thread first.
 *
 * Memory is mapped, never from malloc, and bounded. The lock is given up after a while, for good:
 * a thread can be ended, or leave by longjmp, while it holds it. Then nothing is known of requests
 * any more, and the program goes on.
 */
#ifndef VARSCOPE_PENDING_H
#define VARSCOPE_PENDING_H

#include <stdbool.h>
#include <stdint.h>

struct vs_group;

enum vs_pending_flag {
  /* Beside VST_TRANSFER_PEER to _COMMUNICATOR: where the start differs from its record. */
  VS_PENDING_RECEIVE = 1u << 16,    /* the status tells what came */
  VS_PENDING_CANCELLED = 1u << 17,  /* MPI_Cancel was called */
  VS_PENDING_PERSISTENT = 1u << 18, /* one start at a time */
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

/* Without memory, or with more than 32,768 starts pending, the start stays unknown. */
void vs_pending_put(uintptr_t handle, const struct vs_pending *start);

/* Takes out a start of each handle; found[i] tells whether there was one. `thread` completes them.
 */
void vs_pending_take(const uintptr_t *handles, uint32_t count, uint32_t thread, uint32_t epoch,
                     struct vs_pending *starts, bool *found);

/* Marks the oldest start as VS_PENDING_CANCELLED. */
void vs_pending_cancel(uintptr_t handle);

/* Whether a start waits for its status: of a receive from anyone or with any tag, or cancelled. */
bool vs_pending_needs_status(void);

#endif
