/*
 * driver SCENARIO ARGUMENT: makes calls as a wrapper would, deep in stacks of all kinds, and prints
 * for each call what glibc's own backtrace() says, one line: LABEL, then MODULE+OFFSET per frame,
 * innermost first. The test holds the trace against that.
 */
#define _GNU_SOURCE 1
#include <alloca.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "local.h"
#include "paths.h"
#include "recorder.h"

#define APART __attribute__((noinline, noclone, noipa))

static const struct vs_call_info infos[] = {{"MPI_Send", VST_CATEGORY_SEND},
                                            {"MPI_Recv", VST_CATEGORY_RECEIVE}};

static volatile int sink;
static bool silent;

APART void wrapper(uint32_t call) {
  static const struct vs_arguments arguments = {.peer = VST_NO_PEER, .tag = VST_NO_TAG};
  struct vs_scope scope;
  if (vs_begin(&scope, call, __builtin_return_address(0)) != VS_RECORD) {
    printf("passed\n");
    return;
  }
  vs_stop(&scope);
  vs_end(&scope, &arguments);
}

static void print_frame(void *address) {
  struct link_map *map;
  Dl_info info;
  if (!dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP)) {
    printf(" [no module]+0");
    return;
  }
  printf(" %s+%lx", map->l_name[0] ? map->l_name : "program",
         (unsigned long)((uintptr_t)address - map->l_addr));
}

/* One call, and the truth about how it was reached, from the caller of this function on:
 * backtrace's first entries are in here, and in a sanitizer's wrapper of it. */
APART void probe(const char *label) {
  void *frames[64];
  wrapper(0);
  if (silent)
    return;
  const int count = backtrace(frames, 64);
  int first = 0;
  while (first < count && frames[first] != __builtin_return_address(0))
    first++;
  printf("%s", label);
  for (int i = first; i < count; i++)
    print_frame(frames[i]);
  printf("\n");
}

static void start(void) {
  char problem[512];
  struct vs_job job = {.calls = infos,
                       .call_count = 2,
                       .mpi_implementation = "Test MPI",
                       .mpi_version = "1",
                       .job_id = 1,
                       .world_rank = 0,
                       .world_size = 1};
  if (vs_start(&job, problem, sizeof problem))
    return;
  fprintf(stderr, "%s\n", problem);
  exit(3);
}

APART void plain(void) {
  probe("plain");
  sink++;
}

APART void recurse(int depth) {
  if (depth == 0)
    probe("recursion");
  else
    recurse(depth - 1);
  sink++;
}

/* Room of a size not known before: the frame is found by its frame pointer. */
APART void with_alloca(int bytes) {
  char *room = alloca((size_t)bytes);
  memset(room, 1, (size_t)bytes);
  probe("alloca");
  sink += room[bytes / 2];
}

/* A local that must be aligned more than the stack is, and arguments on the stack. */
APART int aligned(int a, int b, int c, int d, int e, int f, int g, int h, int size) {
  double room[8] __attribute__((aligned(64)));
  char more[size];
  memset(more, 2, (size_t)size);
  room[0] = a + b + c + d + e + f + g + h;
  probe("aligned");
  sink += (int)room[0] + more[size / 2];
  return g + h;
}

/* All callee-saved registers in use, the frame pointer's among them. */
APART void many_registers(int n) {
  register long a = n, b = n * 2, c = n * 3, d = n * 5, e = n * 7, f = n * 11;
  for (int i = 0; i < 3; i++) {
    probe("registers");
    a += b ^ i, b += c, c += d, d += e, e += f, f += a;
  }
  sink += (int)(a + b + c + d + e + f);
}

static int compare(const void *left, const void *right) {
  probe("through-libc");
  return *(const int *)left - *(const int *)right;
}

APART void through_libc(void) {
  int values[2] = {2, 1};
  qsort(values, 2, sizeof *values, compare);
  sink += values[0];
}

APART void loop(void) {
  for (int i = 0; i < 5; i++)
    probe("loop");
  sink++;
}

static void run_shapes(void) {
  plain();
  recurse(3);
  recurse(20);
  recurse(20);
  with_alloca(100);
  with_alloca(5000);
  with_alloca(100);
  aligned(1, 2, 3, 4, 5, 6, 7, 8, 77);
  aligned(1, 2, 3, 4, 5, 6, 7, 8, 777);
  many_registers((int)getpid() & 7);
  through_libc();
  loop();
}

static void on_signal(int number) {
  (void)number;
  probe("signal");
}

/* A handler on the stack of the code it broke into, and one on a stack of its own. */
static void run_signals(void) {
  static char stack[65536];
  struct sigaction action = {.sa_handler = on_signal};
  stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
  sigaction(SIGUSR1, &action, NULL);
  raise(SIGUSR1);
  sigaltstack(&other, NULL);
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR2, &action, NULL);
  raise(SIGUSR2);
  raise(SIGUSR2);
}

static ucontext_t coroutine, back;

static void in_coroutine(void) {
  for (int i = 0; i < 2; i++) {
    recurse(2);
    swapcontext(&coroutine, &back);
  }
}

static void run_coroutine(void) {
  char *stack = malloc(65536);
  getcontext(&coroutine);
  coroutine.uc_stack.ss_sp = stack;
  coroutine.uc_stack.ss_size = 65536;
  coroutine.uc_link = &back;
  makecontext(&coroutine, in_coroutine, 0);
  swapcontext(&back, &coroutine);
  plain();
  swapcontext(&back, &coroutine);
  plain();
}

static void *in_thread(void *unused) {
  (void)unused;
  recurse(2);
  with_alloca(300);
  return NULL;
}

/* One after the other: the later ones take over the record of the first, not its stack. */
static void run_threads(void) {
  for (int i = 0; i < 3; i++) {
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)(256 + 512 * i) * 1024);
    pthread_create(&thread, &attributes, in_thread, NULL);
    pthread_join(thread, NULL);
  }
}

/* Frames that lie: the caller's frame pointer and return address are overwritten while the call is
 * made, then mended. */
#ifdef __x86_64__
APART void with_broken_stack(uintptr_t value, bool also_return) {
  uintptr_t *frame = __builtin_frame_address(0);
  const uintptr_t fp = frame[0], ra = frame[1];
  frame[0] = value;
  if (also_return)
    frame[1] = value;
  wrapper(1);
  frame[0] = fp;
  frame[1] = ra;
  sink++;
}

APART void broken_caller(uintptr_t value, bool also_return, int bytes) {
  char *room = alloca((size_t)bytes);
  room[bytes / 2] = 1;
  with_broken_stack(value, also_return);
  sink += room[bytes / 2];
}

/* Hand-written code without unwind tables, which uses the frame pointer for something else. */
void without_tables(void (*function)(const char *), const char *label);
__asm__(".text\n.type without_tables,@function\nwithout_tables:\n"
        "push %rbp\nmov $0x1234, %ebp\nmov %rdi, %rax\nmov %rsi, %rdi\ncall *%rax\npop %rbp\nret\n"
        ".size without_tables, . - without_tables\n");
#endif

static void run_broken(void) {
#ifdef __x86_64__
  static const uintptr_t values[] = {
      0, 1, 8, 0x1234, 0x7fffffffffff, UINTPTR_MAX, (uintptr_t)-16, (uintptr_t)1 << 63};
  for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
    broken_caller(values[i], false, 64);
    broken_caller(values[i], true, 64);
  }
  for (uintptr_t i = 0; i < 256; i++) /* values near the stack itself */
    broken_caller((uintptr_t)&i - 1024 + 8 * i + (i & 1), i & 2, 64);
  without_tables(probe, "assembly");
  plain();
#endif
}

/* ARGUMENT is the path of a library with `void plugin(void (*)(const char *), const char *)`. */
static void run_plugin(const char *path) {
  for (int i = 0; i < 3; i++) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void (*plugin)(void (*)(const char *), const char *);
    if (!library) {
      fprintf(stderr, "%s\n", dlerror());
      exit(1);
    }
    plugin = (void (*)(void (*)(const char *), const char *))dlsym(library, "plugin");
    plugin(probe, "plugin");
    dlclose(library);
  }
}

/* More ways than are told apart: every bit of `way` chooses one of two places to recurse from. */
APART void branch(unsigned way, int depth) {
  if (depth == 0) {
    probe("branch");
    return;
  }
  if (way & 1) {
    branch(way >> 1, depth - 1);
    sink++;
  } else {
    branch(way >> 1, depth - 1);
    sink--;
  }
}

static void run_many(void) {
  silent = true;
  for (unsigned way = 0; way < 1u << 15; way++)
    branch(way, 15);
}

static sigjmp_buf before;

static void leave(int number) {
  (void)number;
  siglongjmp(before, 1);
}

/* A path at some depth, found without making a call. */
APART void find_path(void) {
  vs_path_find(vs_self, __builtin_return_address(0));
  sink++;
}

APART void find_deep(int depth) {
  if (depth == 0)
    find_path();
  else
    find_deep(depth - 1);
  sink++;
}

/* Timer signals jump out of walks; afterwards all must work as before. */
static void run_jumps(void) {
  struct sigaction action = {.sa_handler = leave, .sa_flags = SA_NODEFER};
  sigaction(SIGALRM, &action, NULL);
  plain();
  for (volatile int i = 0; i < 300; i++) {
    if (sigsetjmp(before, 1) == 0) {
      ualarm(200 + 7 * (unsigned)i, 0);
      for (unsigned depth = 0;; depth += 7)
        find_deep(depth & 63);
    }
  }
  signal(SIGALRM, SIG_IGN);
  silent = true;
  for (int i = 0; i < 70; i++)
    plain();
  silent = false;
  plain();
}

int main(int argc, char **argv) {
  void *first[4];
  backtrace(first, 4); /* loads libgcc, which would otherwise be done in the middle */
  const char *name = argc > 1 ? argv[1] : "";
  start();
  if (!strcmp(name, "shapes"))
    run_shapes();
  else if (!strcmp(name, "signals"))
    run_signals();
  else if (!strcmp(name, "coroutine"))
    run_coroutine();
  else if (!strcmp(name, "threads"))
    run_threads();
  else if (!strcmp(name, "broken"))
    run_broken();
  else if (!strcmp(name, "plugin"))
    run_plugin(argv[2]);
  else if (!strcmp(name, "many"))
    run_many();
  else if (!strcmp(name, "jumps"))
    run_jumps();
  else
    return 2;
  vs_finish();
  return 0;
}
