/* Children, signal handlers, and calls that are left by a jump. */
#define _GNU_SOURCE 1
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver.h"

static void child(void) {
  for (uint64_t i = 0; i < 5000; i++)
    if (record_pattern(9, i))
      _exit(1);
  vs_report_problem("from a child");
  vs_finish();
}

static void require_fine(pid_t pid) {
  int status = -1;
  require(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0, "children stay silent");
}

/* Also forks in the middle of a call, whose end the child reaches. */
void run_fork(long calls) {
  start();
  for (long i = 0; i < calls; i++) {
    require(record_pattern(0, (uint64_t)i), "calls are recorded");
    if (i % (calls / 4) != 1)
      continue;
    pid_t pid = i < calls / 2 ? fork() : (pid_t)syscall(SYS_fork);
    if (pid == 0) {
      child();
      if (fork() == 0) {
        child();
        _exit(0);
      }
      wait(NULL);
      exit(0);
    }
    require_fine(pid);
  }
  struct vs_scope scope;
  struct vs_arguments arguments = {.bytes = (uint64_t)calls, .peer = -1, .tag = 0};
  require(vs_begin(&scope, 0, &arguments) == VS_RECORD, "calls are recorded");
  pid_t pid = fork();
  vs_stop(&scope);
  vs_end(&scope, &arguments);
  if (pid == 0)
    _exit(record_pattern(9, 0) ? 1 : 0);
  require_fine(pid);
  vs_finish();
}

static volatile sig_atomic_t taken, handled;

static void call_in_handler(int signal) {
  (void)signal;
  handled++;
  if (record_pattern(1, (uint64_t)taken))
    taken++;
}

/* Calls while a timer breaks in anywhere; the thread's own `calls`. */
static void *call_under_fire(void *data) {
  long calls = *(long *)data, own = 0;
  sigset_t alarms;
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
  for (long i = 0; i < calls; i++)
    own += record_pattern(0, (uint64_t)i);
  pthread_sigmask(SIG_BLOCK, &alarms, NULL);
  printf("taken %ld %d %d\n", own, (int)taken, (int)handled);
  return NULL;
}

#define STACK_BYTES (4u << 20)

/* Handlers run on a stack above the thread's, so that their frames look like ones of earlier
 * callers. */
static void *call_below_handlers(void *memory) {
  stack_t alternate = {.ss_sp = (char *)memory + STACK_BYTES, .ss_size = STACK_BYTES};
  sigaltstack(&alternate, NULL);
  return call_under_fire((char *)memory + 2 * STACK_BYTES);
}

/* Handlers run on the thread's own stack (even argument) or on another. */
void run_signals(long calls) {
  struct sigaction action = {.sa_handler = call_in_handler,
                             .sa_flags = SA_RESTART | (calls % 2 ? SA_ONSTACK : 0)};
  struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
  char *memory =
      mmap(NULL, 3 * STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  pthread_attr_t attributes;
  pthread_t thread;
  sigset_t alarms;
  require(memory != MAP_FAILED, "memory can be mapped");
  *(long *)(void *)(memory + 2 * STACK_BYTES) = calls;
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &alarms, NULL);
  start();
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &often, NULL);
  if (calls % 2 == 0) {
    call_under_fire(&calls);
  } else {
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, memory, STACK_BYTES);
    require(pthread_create(&thread, &attributes, call_below_handlers, memory) == 0,
            "a thread can be made");
    pthread_join(thread, NULL);
  }
  setitimer(ITIMER_REAL, &never, NULL);
  vs_finish();
}

static jmp_buf home;

static __attribute__((noinline)) void leave_a_call(void) {
  struct vs_scope scope;
  require(vs_begin(&scope, 0, &home) == VS_RECORD,
          "a call begins although the one before was left");
  require(!record_pattern(9, 0), "calls from inside a call pass");
  longjmp(home, 1);
}

/* What a program does before its next call: uses the stack where the left call was. */
static __attribute__((noinline, no_sanitize("address"))) void work_on(void) {
  volatile char room[8192];
  for (unsigned i = 0; i < sizeof room; i++)
    room[i] = 1;
}

/* `argument` calls are left as an error handler would leave them, each followed by a complete one.
 */
void run_leave(long argument) {
  static volatile long i;
  start();
  for (i = 0; i < argument; i++) {
    if (setjmp(home) == 0)
      leave_a_call();
    work_on();
    require(record_pattern(0, (uint64_t)i), "calls are recorded after one was left");
  }
  vs_finish();
}
