/* Children forked while another thread holds the locks. */
#define _GNU_SOURCE 1
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver.h"
#include "file.h"
#include "forked.h"
#include "lock.h"

#define PATIENCE_SECONDS 20

static sem_t held, finished;

static void *hold_locks(void *nothing) {
  struct vs_lock lock;
  vs_lock(&lock);
  vs_shared_lock(VS_LOCK_BIND);
  sem_post(&held);
  sem_wait(&finished);
  vs_shared_unlock(VS_LOCK_BIND);
  vs_unlock(&lock);
  return nothing;
}

static bool take_locks(void) {
  struct vs_lock lock;
  vs_lock(&lock);
  vs_unlock(&lock);
  vs_shared_lock(VS_LOCK_BIND);
  vs_shared_unlock(VS_LOCK_BIND);
  return vs_is_forked();
}

/* Signals are blocked while a lock is waited for: only SIGKILL ends a child that is stuck. */
static void require_fine(pid_t child) {
  int status = -1;
  for (int i = 0; i < PATIENCE_SECONDS * 100; i++) {
    pid_t ended = waitpid(child, &status, WNOHANG);
    require(ended == 0 || ended == child, "there is a child");
    if (ended == child) {
      require(status == 0, "children know that they are forked");
      return;
    }
    usleep(10000);
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  require(false, "children find the locks free");
}

/* A child of a child, too. */
static void be_child(void) {
  bool fine = take_locks();
  pid_t next = fork();
  if (next == 0)
    _exit(take_locks() ? 0 : 1);
  require_fine(next);
  _exit(fine ? 0 : 1);
}

/* `calls` odd: in a process that was forked itself before it began to record. */
void run_fork_locked(long calls) {
  pthread_t holder;
  pid_t self = calls % 2 ? fork() : 0;
  if (self != 0) {
    int status = -1;
    require(waitpid(self, &status, 0) == self && status == 0, "a child can record");
    return;
  }
  require(vs_is_forked() == (calls % 2 == 1), "processes know whether they are forked");
  start();
  for (long i = 0; i < calls; i++)
    require(record_pattern(0, (uint64_t)i), "calls are recorded");
  sem_init(&held, 0, 0);
  sem_init(&finished, 0, 0);
  require(pthread_create(&holder, NULL, hold_locks, NULL) == 0, "a thread can be made");
  sem_wait(&held);
  uint64_t cost = vs_file_tool_ticks();
  for (int how = 0; how < 2; how++) {
    pid_t child = how ? fork() : (pid_t)syscall(SYS_fork);
    if (child == 0)
      be_child();
    require_fine(child);
  }
  require(vs_file_tool_ticks() == cost, "children leave their parent's trace alone");
  require(!vs_is_forked(), "who records is no child");
  sem_post(&finished);
  pthread_join(holder, NULL);
  vs_finish();
}
