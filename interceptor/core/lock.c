#define _GNU_SOURCE 1
#include "lock.h"

#include <errno.h>
#include <pthread.h>

#include "clock.h"
#include "file.h"
#include "forked.h"
#include "local.h"

void vs_lock_since(struct vs_lock *lock, uint64_t since) {
  sigset_t all;
  lock->error = errno;
  sigfillset(&all);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &lock->cancellation);
  pthread_sigmask(SIG_BLOCK, &all, &lock->signals);
  vs_shared_lock(VS_LOCK_RECORDER);
  lock->since = since;
}

void vs_lock(struct vs_lock *lock) {
  vs_lock_since(lock, vs_tick());
}

void vs_unlock(struct vs_lock *lock) {
  uint64_t ticks = vs_clock_plausible(vs_tick() - lock->since);
  if (!vs_is_forked())
    vs_file_add_tool_ticks(ticks);
  if (vs_self)
    vs_self->governor.tool += ticks;
  vs_shared_unlock(VS_LOCK_RECORDER);
  pthread_sigmask(SIG_SETMASK, &lock->signals, NULL);
  pthread_setcancelstate(lock->cancellation, NULL);
  errno = lock->error;
}
