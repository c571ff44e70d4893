/* A program that waits in calls, or never does, for `argument` milliseconds (negative: never). It
 * says what the probes must leave alone, and prints between which ticks it was in a call that may
 * wait. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fenv.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "driver.h"

#define STEP_NS 500000u
#define MOST_STEPS 20000

static unsigned long long now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (unsigned long long)now.tv_sec * 1000000000u + (unsigned long long)now.tv_nsec;
}

static void burn(void) {
  unsigned long long start = now_ns();
  while (now_ns() - start < STEP_NS) {
  }
}

/* One Allreduce or, as it may not wait, one Send; waits inside or computes before it. */
static void step(uint32_t call, bool waits, struct truth *truth) {
  static const char sites[2];
  static const struct vs_arguments arguments = {.peer = VST_NO_PEER, .tag = VST_NO_TAG};
  struct vs_scope scope;
  if (!waits)
    burn();
  require(vs_begin(&scope, call, &sites[call == 0]) == VS_RECORD, "all is recorded");
  if (waits)
    usleep(STEP_NS / 1000);
  vs_stop(&scope);
  vs_end(&scope, &arguments);
  *truth = (struct truth){.call = call, .enter = scope.enter, .exit = scope.exit};
}

static void probe_nothing_in_child(void) {
  pid_t child = fork();
  if (child == 0) {
    struct vs_scope scope;
    for (int i = 0; i < 100; i++) {
      if (vs_begin(&scope, 3, &scope) != VS_PASS)
        _exit(1);
    }
    _exit(0);
  }
  int status;
  waitpid(child, &status, 0);
  require(status == 0, "a forked child is not looked at");
}

void run_speed(long argument) {
  static struct truth truth[MOST_STEPS];
  size_t steps = 0;
  sigset_t before, after;
  sigprocmask(SIG_SETMASK, NULL, &before);
  fesetround(FE_UPWARD);
  feraiseexcept(FE_OVERFLOW);
  /* All but FE_INEXACT, as the governor divides. */
  const int flags = FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW | FE_UNDERFLOW;
  int raised = fetestexcept(flags);
  start();
  probe_nothing_in_child();
  errno = 77;
  unsigned long long end = now_ns() + (unsigned long long)labs(argument) * 1000000u;
  while (now_ns() < end && steps + 2 <= MOST_STEPS) {
    step(3, argument > 0, &truth[steps++]);
    step(0, false, &truth[steps++]);
  }
  require(errno == 77, "errno is kept");
  require(fegetround() == FE_UPWARD && fetestexcept(flags) == raised,
          "rounding and exception flags are kept");
  sigprocmask(SIG_SETMASK, NULL, &after);
  for (int number = 1; number < NSIG; number++)
    require(sigismember(&before, number) == sigismember(&after, number), "the mask is kept");
  vs_finish();
  write_truth(truth, steps);
}
