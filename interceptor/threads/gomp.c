/*
 * Regions of GCC's OpenMP runtime, libgomp, which offers no tool interface. Compiled programs call
 * it by the functions below (GCC's libgomp manual, "The libgomp ABI"): the body of a region is a
 * function with one argument, before which we put our own.
 *
 * Only bodies that get their argument untouched are looked into: GOMP_parallel_reductions reads it.
 * Clang's runtime has these functions, too, for programs compiled by GCC, and tells of them through
 * its tool interface (ompt.c): then they pass.
 */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <stddef.h>

#include "birth.h"
#include "calls.h"
#include "lock.h"
#include "ompt.h"
#include "openmp.h"
#include "table.h"
#include "wait.h"

typedef void body(void *);
typedef void function(void);

enum name {
  PARALLEL,
  LOOP_STATIC,
  LOOP_DYNAMIC,
  LOOP_GUIDED,
  LOOP_RUNTIME,
  LOOP_NONMONOTONIC_DYNAMIC,
  LOOP_NONMONOTONIC_GUIDED,
  LOOP_NONMONOTONIC_RUNTIME,
  LOOP_MAYBE_NONMONOTONIC_RUNTIME,
  SECTIONS,
  BARRIER,
  LOOP_END,
  SECTIONS_END,
  TEAM_SIZE,
  NAMES
};

static const char *const names[NAMES] = {
    [PARALLEL] = "GOMP_parallel",
    [LOOP_STATIC] = "GOMP_parallel_loop_static",
    [LOOP_DYNAMIC] = "GOMP_parallel_loop_dynamic",
    [LOOP_GUIDED] = "GOMP_parallel_loop_guided",
    [LOOP_RUNTIME] = "GOMP_parallel_loop_runtime",
    [LOOP_NONMONOTONIC_DYNAMIC] = "GOMP_parallel_loop_nonmonotonic_dynamic",
    [LOOP_NONMONOTONIC_GUIDED] = "GOMP_parallel_loop_nonmonotonic_guided",
    [LOOP_NONMONOTONIC_RUNTIME] = "GOMP_parallel_loop_nonmonotonic_runtime",
    [LOOP_MAYBE_NONMONOTONIC_RUNTIME] = "GOMP_parallel_loop_maybe_nonmonotonic_runtime",
    [SECTIONS] = "GOMP_parallel_sections",
    [BARRIER] = "GOMP_barrier",
    [LOOP_END] = "GOMP_loop_end",
    [SECTIONS_END] = "GOMP_sections_end",
    [TEAM_SIZE] = "omp_get_num_threads",
};

static function *_Atomic global[NAMES]; /* found behind us in the order of the whole program */

/* Libraries opened by the program may have a runtime of their own, out of the program's sight: what
 * code calls is then what its own library depends on. Found once for each call site. */
#define MOST_FOUND 1024u
static function *found[MOST_FOUND];
static struct vs_table found_numbers; /* by call site and name */
static uint32_t found_count;

static function *find_from(const void *site, enum name name) {
  Dl_info caller;
  if (!dladdr(site, &caller) || !caller.dli_fname)
    return NULL;
  void *library = dlopen(caller.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (!library)
    return NULL;
  function *const result = (function *)dlsym(library, names[name]);
  dlclose(library);
  return result;
}

static void remember(struct vs_key key, function *result) {
  struct vs_lock lock;
  vs_lock(&lock);
  if (found_count < MOST_FOUND && vs_table_find(&found_numbers, key) == VS_NOT_FOUND) {
    found[found_count] = result;
    if (vs_table_insert(&found_numbers, key, found_count))
      found_count++;
  }
  vs_unlock(&lock);
}

static function *look(const void *site, enum name name) {
  function *result = (function *)dlsym(RTLD_NEXT, names[name]);
  if (result) {
    atomic_store_explicit(&global[name], result, memory_order_release);
    return result;
  }
  struct vs_key key = {(uint64_t)(uintptr_t)site, (uint32_t)name, 0};
  uint32_t number = vs_table_find(&found_numbers, key);
  if (number != VS_NOT_FOUND)
    return found[number];
  result = find_from(site, name);
  if (result && !vs_threads_asleep())
    remember(key, result);
  return result;
}

static inline function *real(const void *site, enum name name) {
  function *result = atomic_load_explicit(&global[name], memory_order_acquire);
  return result ? result : look(site, name);
}

#define REAL(name, type) ((type)real(site, name))

/* On the stack of the thread that came to the construct, which outlives the region. */
struct region {
  body *run;
  void *argument;
  const void *site;
  const void *came; /* mark of that thread */
};

static _Thread_local char mark __attribute__((tls_model("initial-exec")));

static void run_body(void *given) {
  const struct region *region = given;
  const void *site = region->site;
  bool came_to_it = region->came == &mark;
  int (*const team_size)(void) = REAL(TEAM_SIZE, int (*)(void));
  unsigned team = came_to_it && team_size ? (unsigned)team_size() : 0;
  vs_omp_body_begin(came_to_it, team, site);
  region->run(region->argument);
  vs_omp_body_end(site);
}

static inline bool watched(void) {
  return !vs_threads_asleep() && !vs_ompt_tells();
}

/* `call` is the real call, with `run_body` and `&region` for its body. */
#define REGION(call)                                                                               \
  struct region region = {run, argument, site, &mark};                                             \
  bool before = vs_birth.makes_team;                                                               \
  vs_birth.makes_team = true;                                                                      \
  vs_omp_fork();                                                                                   \
  call;                                                                                            \
  vs_omp_joined(site);                                                                             \
  vs_birth.makes_team = before

#define PARALLEL_FUNCTION(symbol, name, parameters, types, rest)                                   \
  VS_EXPORT void symbol parameters;                                                                \
  VS_EXPORT void symbol parameters {                                                               \
    const void *site = VS_SITE;                                                                    \
    void(*const go) types = REAL(name, void(*) types);                                             \
    if (!watched()) {                                                                              \
      go(run, argument, ARGUMENTS rest);                                                           \
      return;                                                                                      \
    }                                                                                              \
    REGION(go(run_body, &region, ARGUMENTS rest));                                                 \
  }
#define ARGUMENTS(...) __VA_ARGS__

#define LOOP(symbol, name)                                                                         \
  PARALLEL_FUNCTION(symbol, name,                                                                  \
                    (body * run, void *argument, unsigned threads, long start, long end,           \
                     long increment, long chunk, unsigned flags),                                  \
                    (body *, void *, unsigned, long, long, long, long, unsigned),                  \
                    (threads, start, end, increment, chunk, flags))

#define RUNTIME_LOOP(symbol, name)                                                                 \
  PARALLEL_FUNCTION(symbol, name,                                                                  \
                    (body * run, void *argument, unsigned threads, long start, long end,           \
                     long increment, unsigned flags),                                              \
                    (body *, void *, unsigned, long, long, long, unsigned),                        \
                    (threads, start, end, increment, flags))

PARALLEL_FUNCTION(GOMP_parallel, PARALLEL,
                  (body * run, void *argument, unsigned threads, unsigned flags),
                  (body *, void *, unsigned, unsigned), (threads, flags))
PARALLEL_FUNCTION(GOMP_parallel_sections, SECTIONS,
                  (body * run, void *argument, unsigned threads, unsigned count, unsigned flags),
                  (body *, void *, unsigned, unsigned, unsigned), (threads, count, flags))
LOOP(GOMP_parallel_loop_static, LOOP_STATIC)
LOOP(GOMP_parallel_loop_dynamic, LOOP_DYNAMIC)
LOOP(GOMP_parallel_loop_guided, LOOP_GUIDED)
LOOP(GOMP_parallel_loop_nonmonotonic_dynamic, LOOP_NONMONOTONIC_DYNAMIC)
LOOP(GOMP_parallel_loop_nonmonotonic_guided, LOOP_NONMONOTONIC_GUIDED)
RUNTIME_LOOP(GOMP_parallel_loop_runtime, LOOP_RUNTIME)
RUNTIME_LOOP(GOMP_parallel_loop_nonmonotonic_runtime, LOOP_NONMONOTONIC_RUNTIME)
RUNTIME_LOOP(GOMP_parallel_loop_maybe_nonmonotonic_runtime, LOOP_MAYBE_NONMONOTONIC_RUNTIME)

/* Barriers, and work-sharing constructs that end with one. */
#define BARRIER_FUNCTION(symbol, name)                                                             \
  VS_EXPORT void symbol(void);                                                                     \
  VS_EXPORT void symbol(void) {                                                                    \
    const void *site = VS_SITE;                                                                    \
    uint64_t since = watched() ? vs_wait_begin() : 0;                                              \
    REAL(name, void (*)(void))();                                                                  \
    vs_thread_call_end(since, VS_CALL_omp_barrier, site);                                          \
  }

BARRIER_FUNCTION(GOMP_barrier, BARRIER)
BARRIER_FUNCTION(GOMP_loop_end, LOOP_END)
BARRIER_FUNCTION(GOMP_sections_end, SECTIONS_END)
