/*
 * Binding of slots at the first call through each. Which MPI a process uses is known for certain
 * only then: whatever launcher, wrapper script or late dlopen came before, the library is loaded
 * now.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "birth.h"
#include "find_mpi.h"
#include "forked.h"
#include "governor.h"
#include "scope.h"
#include "slots.h"

static bool decided;             /* under VS_LOCK_BIND, like `abi` */
static const struct vs_abi *abi; /* NULL once decided: slots lead to the real functions */
static bool start_called;

static bool asked(void) {
  const char *directory = getenv("VARSCOPE_TRACE_DIR");
  return directory && *directory;
}

static void say(const char *reason, const char *detail) {
  if (vs_speaks())
    fprintf(stderr, "varscope: %s%s; the program runs untraced\n", reason, detail);
}

static bool start(const struct vs_job *job, char *problem, unsigned problem_bytes) {
  start_called = true;
#ifndef VARSCOPE_LINKED /* the program's calls of the C library do not come by us there */
  vs_io_start();
#endif
  return vs_start(job, problem, problem_bytes);
}

static struct vs_core core = {
    .start = start,
    .recording = vs_recording,
    .begin = vs_begin,
    .leave = vs_leave,
    .stop = vs_stop,
    .end = vs_end,
    .open_transfers = vs_open_transfers,
    .close_transfers = vs_close_transfers,
    .count_unmatched = vs_count_unmatched,
    .unrecorded = vs_unrecorded,
    .all_threads_see = vs_all_threads_see,
    .now = vs_now,
    .define_communicator = vs_define_communicator,
    .report_problem = vs_report_problem,
    .pause = vs_pause,
    .light_epoch = &vs_light_epoch,
    .finish = vs_finish,
    .starts_mpi = vs_thread_starts_mpi,
    .resolve = vs_resolve,
};

static const struct vs_abi *accept(const struct vs_abi *loaded) {
  const char *missing = NULL;
  core.self_offset = vs_self_offset();
  if (loaded->connect(&core, &missing))
    return loaded;
  say("the MPI library lacks ", missing);
  return NULL;
}

#ifdef VARSCOPE_LINKED
/* Linked into the program, with the wrappers for its MPI: nothing is to be loaded. A preloaded
 * library of ours need not wonder that it saw nothing. */
static const struct vs_abi *load_abi(const char *name) {
  extern const struct vs_abi varscope_abi;
  void (*const aside)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "varscope_stands_aside");
  (void)name;
  if (aside)
    aside();
  return accept(&varscope_abi);
}
#else
__attribute__((visibility("default"))) void varscope_stands_aside(void);
void varscope_stands_aside(void) {
  start_called = true;
}

/* Path of libvarscope-NAME.so beside this library; false if it does not fit. */
static bool library_path(const char *name, char *path, size_t bytes) {
  Dl_info self;
  if (!dladdr((void *)&decided, &self) || !self.dli_fname)
    return false;
  const char *slash = strrchr(self.dli_fname, '/');
  const int folder = slash ? (int)(slash - self.dli_fname) : 1;
  const int length =
      snprintf(path, bytes, "%.*s/libvarscope-%s.so", folder, slash ? self.dli_fname : ".", name);
  return length > 0 && (size_t)length < bytes;
}

static const struct vs_abi *load_abi(const char *name) {
  char path[PATH_MAX];
  if (!library_path(name, path, sizeof path))
    return NULL;
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    say("cannot load the wrappers for this MPI: ", dlerror());
    return NULL;
  }
  const struct vs_abi *loaded = dlsym(library, VS_ABI_SYMBOL);
  if (!loaded || loaded->fingerprint != VS_SPEC_FINGERPRINT)
    say("another build of varscope is installed as ", path);
  else if (accept(loaded))
    return loaded;
  dlclose(library);
  return NULL;
}
#endif

static void decide(void) {
  if (decided)
    return;
  if (!asked()) {
    decided = true;
    return;
  }
  const char *name = vs_mpi_abi();
  if (!name)
    return; /* no MPI yet */
  decided = true;
  if (*name)
    abi = load_abi(name);
  else
    say("this MPI is neither Open MPI nor of MPICH's ABI", "");
}

/* Name of a symbol form with a prefix before the call's own name: pmpi + _send + _f08_. */
static void *resolve_form(const char *prefix, const char *name, const char *suffix,
                          void *(*resolve)(const char *)) {
  char symbol[96];
  snprintf(symbol, sizeof symbol, "%s%s%s", prefix, name, suffix);
  return resolve(symbol);
}

/* Whether an object is a preloaded varscope that stands aside for the one linked into the program.
 */
static bool stands_aside(const void *object) {
#ifdef VARSCOPE_LINKED
  Dl_info of_preloaded;
  void *const aside = dlsym(RTLD_DEFAULT, "varscope_stands_aside");
  return aside && dladdr(aside, &of_preloaded) && of_preloaded.dli_fbase == object;
#else
  (void)object;
  return false;
#endif
}

/* Another tool may stand behind us: its MPI_Send is not in the library that PMPI_Send is in. It
 * gets the call, as it would have without us, and goes on to PMPI_Send itself. */
static void *or_next_tool(void *real, void *next) {
  Dl_info of_real, of_next;
  if (!real || !next || !dladdr(real, &of_real) || !dladdr(next, &of_next))
    return real;
  const bool same = of_real.dli_fbase == of_next.dli_fbase;
  return same || stands_aside(of_next.dli_fbase) ? real : next;
}

/* The real function behind a slot: PMPI_Send, pmpi_send_, pmpi_send_f08_ (Open MPI) or
 * pmpir_send_f08_ (MPICH), pmpir_send_f08ts_; of MPI_Send_c pmpir_send_f08ts_large_. Stubs of MPI
 * for serial programs, and some releases in some forms, have no such twin: then whatever the
 * program would call without us. */
static vs_function real_function(enum vs_call call, enum vs_form form) {
  static const char *const suffixes[VS_FORM_COUNT] = {"", "_", "_f08_", "_f08ts_", "_cptr_"};
  const char *const name = vs_calls[call].name + strlen("MPI");
  char lower[64], suffix[24];
  size_t length = 0;
  for (; name[length] && length + 1 < sizeof lower; length++)
    lower[length] = (char)tolower((unsigned char)name[length]);
  lower[length] = '\0';
  const bool large = length > 2 && strcmp(lower + length - 2, "_c") == 0;
  if (large)
    lower[length - 2] = '\0';
  snprintf(suffix, sizeof suffix, "%s%s", suffixes[form], large ? "large_" : "");
  void *found = NULL;
  if (form == VS_FORM_C) {
    found = resolve_form("PMPI", name, "", vs_resolve);
    void *const next = resolve_form("MPI", name, "", vs_resolve_next);
    return (vs_function)(found ? or_next_tool(found, next) : next);
  }
  found = resolve_form("pmpi", lower, suffix, vs_resolve);
  if (!found && form != VS_FORM_F)
    found = resolve_form("pmpir", lower, suffix, vs_resolve);
  void *const next = resolve_form("mpi", lower, suffix, vs_resolve_next);
  return (vs_function)(found ? or_next_tool(found, next) : next);
}

/* Stands in for an MPI function that no library has: reached only by code that calls MPI without
 * linking it. */
static uintptr_t no_such_function(void) {
  fprintf(stderr, "varscope: an MPI function was called, but no MPI library with it is loaded\n");
  return 1;
}

vs_function vs_bind(unsigned slot) {
  const enum vs_call call = (enum vs_call)(slot / VS_FORM_COUNT);
  const enum vs_form form = (enum vs_form)(slot % VS_FORM_COUNT);
  const int error = errno;
  vs_shared_lock(VS_LOCK_BIND);
  decide();
  const vs_function real = real_function(call, form);
  vs_function target = real;
  if (real && abi) {
    const vs_function wrapper = abi->wrap(call, form, real);
    if (wrapper)
      target = wrapper;
  }
  if (real)
    atomic_store_explicit(&vs_slots[slot], target, memory_order_release);
  vs_shared_unlock(VS_LOCK_BIND);
  errno = error;
  return target ? target : (vs_function)no_such_function;
}

static pid_t loaded_in;

__attribute__((constructor)) static void note_process(void) {
  loaded_in = getpid();
}

/* A program may look MPI functions up in a library that it opened itself; such calls cannot be
 * seen. Then say so, rather than leave no trace and no word. */
__attribute__((destructor)) static void mention_unseen_mpi(void) {
  if (start_called || !asked() || getpid() != loaded_in || !vs_mpi_abi())
    return;
  int (*const initialized)(int *) = (int (*)(int *))vs_resolve("PMPI_Initialized");
  int flag = 0;
  if (initialized && initialized(&flag) == 0 && flag && (!decided || abi))
    say("this program reached MPI_Init in a way that cannot be intercepted", "");
}
