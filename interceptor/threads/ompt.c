/*
 * Regions of OpenMP runtimes with a tool interface (LLVM's libomp, Intel's): the runtime looks for
 * ompt_start_tool when it starts. Processes that are not to be traced, and those with a tool of
 * their own, decline.
 */
#define _GNU_SOURCE 1
#include "ompt.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#include "birth.h"
#include "calls.h"
#include "openmp.h"
#include "wait.h"

static atomic_bool tells;

static _Thread_local struct {
  uint64_t barrier; /* tick at which a barrier within a region began; 0: in none */
  bool in_body;     /* the body of a region has begun here and not yet ended */
} here __attribute__((tls_model("initial-exec")));

bool vs_ompt_tells(void) {
  return atomic_load_explicit(&tells, memory_order_relaxed);
}

static void thread_begin(int kind, ompt_data_t *data) {
  (void)data;
  if (kind == VS_OMPT_THREAD_WORKER)
    vs_birth.kind = VST_THREAD_OPENMP;
}

/* The region's site travels in its data, to the other threads of the team. */
static void parallel_begin(ompt_data_t *task, const void *frame, ompt_data_t *parallel,
                           unsigned requested, int flags, const void *site) {
  (void)task, (void)frame, (void)requested, (void)flags;
  parallel->value = (uint64_t)(uintptr_t)site;
  vs_omp_fork();
}

static void parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *site) {
  (void)task, (void)flags;
  const void *place = parallel ? (const void *)(uintptr_t)parallel->value : site;
  vs_omp_joined(place);
  here.in_body = true; /* of the region around this one, if any: only then does it matter */
}

static void end_body(const ompt_data_t *parallel) {
  vs_omp_body_end(parallel ? (const void *)(uintptr_t)parallel->value : NULL);
  here.in_body = false;
}

/* Thread 0 of a team is the one that came to the construct. Its body ends at the barrier that ends
 * the region, or here where a team of one needs none. */
static void implicit_task(int endpoint, ompt_data_t *parallel, ompt_data_t *task, unsigned team,
                          unsigned index, int flags) {
  (void)task;
  if (flags & VS_OMPT_TASK_INITIAL)
    return;
  if (endpoint == VS_OMPT_SCOPE_BEGIN) {
    vs_omp_body_begin(index == 0, team, (const void *)(uintptr_t)parallel->value);
    here.in_body = true;
  } else if (endpoint == VS_OMPT_SCOPE_END && here.in_body) {
    end_body(parallel);
  }
}

static bool is_barrier(int kind) {
  return (kind >= VS_OMPT_BARRIER && kind <= VS_OMPT_BARRIER_EXPLICIT) ||
         kind == VS_OMPT_BARRIER_IMPLICIT_WORKSHARE || kind == VS_OMPT_BARRIER_IMPLICIT_PARALLEL;
}

/* The barrier that ends a region has the region's own site, or none. */
static bool ends_region(int kind, const ompt_data_t *parallel, const void *site) {
  if (kind != VS_OMPT_BARRIER_IMPLICIT)
    return kind == VS_OMPT_BARRIER_IMPLICIT_PARALLEL;
  return !site || (parallel && (uint64_t)(uintptr_t)site == parallel->value);
}

static void sync_region(int kind, int endpoint, ompt_data_t *parallel, ompt_data_t *task,
                        const void *site) {
  (void)task;
  if (!is_barrier(kind))
    return;
  if (endpoint == VS_OMPT_SCOPE_BEGIN) {
    if (ends_region(kind, parallel, site) && here.in_body)
      end_body(parallel);
    else if (here.in_body)
      here.barrier = vs_wait_begin();
  } else if (endpoint == VS_OMPT_SCOPE_END && here.barrier) {
    vs_thread_call_end(here.barrier, VS_CALL_omp_barrier, site);
    here.barrier = 0;
  }
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
  (void)device, (void)data;
  ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  if (!set)
    return 0;
  set(VS_OMPT_THREAD_BEGIN, (ompt_interface_fn_t)thread_begin);
  set(VS_OMPT_PARALLEL_BEGIN, (ompt_interface_fn_t)parallel_begin);
  set(VS_OMPT_PARALLEL_END, (ompt_interface_fn_t)parallel_end);
  set(VS_OMPT_IMPLICIT_TASK, (ompt_interface_fn_t)implicit_task);
  set(VS_OMPT_SYNC_REGION, (ompt_interface_fn_t)sync_region);
  atomic_store(&tells, true);
  return 1; /* 4.2.3: anything but 0 keeps the tool active */
}

static void finalize(ompt_data_t *data) {
  (void)data;
  atomic_store(&tells, false);
}

typedef ompt_start_tool_result_t *start_tool(unsigned version, const char *runtime);

/* 4.2.1. A tool that the user named, ThreadSanitizer's (which needs it to know about barriers), or
 * another one in the process is not to be displaced. */
VS_EXPORT start_tool ompt_start_tool;
VS_EXPORT ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) {
  static ompt_start_tool_result_t result = {.initialize = initialize, .finalize = finalize};
  start_tool *const other = (start_tool *)dlsym(RTLD_NEXT, "ompt_start_tool");
  const char *directory = getenv("VARSCOPE_TRACE_DIR");
  const char *named = getenv("OMP_TOOL_LIBRARIES");
  const char *threads = getenv("VARSCOPE_THREADS");
  ompt_start_tool_result_t *theirs =
      other && other != ompt_start_tool ? other(version, runtime) : NULL;
  if (theirs)
    return theirs;
  bool off = threads && threads[0] == 'o' && threads[1] == 'f';
  if (!directory || !*directory || (named && *named) || off || dlsym(RTLD_DEFAULT, "__tsan_init"))
    return NULL;
  return &result;
}
