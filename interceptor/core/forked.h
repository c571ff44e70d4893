/*
 * Locks that forked children find free. A child has one thread; another one of the parent's may
 * have held a lock when it was made, and would never give it back: the child would wait for ever
 * in whatever call of its own needs the lock first. So the locks lie in a page that the kernel
 * clears in every forked child (MADV_WIPEONFORK), however it was forked.
 *
 * What a lock guards may have been left half done in the child. Tables stand that (table.h: what is
 * not in place yet is not seen), and children are asleep: nothing else of it is used there.
 */
#ifndef VARSCOPE_FORKED_H
#define VARSCOPE_FORKED_H

#include <stdbool.h>

enum vs_shared_lock {
  VS_LOCK_RECORDER, /* see lock.h */
  VS_LOCK_BIND,     /* MPI functions looked up: mpi/bind.c */
  VS_SHARED_LOCKS
};

/* Only waits and is waited for: signals and cancellation are the caller's business. */
void vs_shared_lock(enum vs_shared_lock which);
void vs_shared_unlock(enum vs_shared_lock which);

/* True in a child of fork, in its children, and so on: nothing is recorded here, and a trace whose
 * mapping was inherited is another process's. Not in children of vfork, which run in their parent's
 * memory, and no longer in a child that begins to record itself. */
bool vs_is_forked(void);

/* This process begins to record. */
void vs_forked_start(void);

#endif
