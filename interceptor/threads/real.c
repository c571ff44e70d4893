#define _GNU_SOURCE 1
#include "real.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>

static void bind_all(void);

/* Calls that come from inside the binding itself, out of a memory allocator for example, find what
 * is bound by then. */
#define VS_BINDER(name, version, missing, parameters, arguments)                                   \
  static int bind_##name parameters {                                                              \
    bind_all();                                                                                    \
    if (vs_real_threads.name == bind_##name)                                                       \
      return missing;                                                                              \
    return vs_real_threads.name arguments;                                                         \
  }
VS_PTHREADS(VS_BINDER)
#undef VS_BINDER

struct vs_pthreads vs_real_threads = {
#define VS_FIRST(name, version, missing, parameters, arguments) .name = bind_##name,
    VS_PTHREADS(VS_FIRST)
#undef VS_FIRST
};

/* Those of ThreadSanitizer have no versions, and stand before glibc's. */
static void *find(const char *name, const char *version) {
  void *found = NULL;
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
  if (*version)
    found = dlvsym(RTLD_NEXT, name, version);
#else
  (void)version;
#endif
  return found ? found : dlsym(RTLD_NEXT, name);
}

/* Threads that do this at once store the same. */
static void bind_all(void) {
#define VS_BIND(name, version, missing, parameters, arguments)                                     \
  {                                                                                                \
    void *found = find(#name, version);                                                            \
    if (found)                                                                                     \
      __atomic_store_n(&vs_real_threads.name, (int(*) parameters)found, __ATOMIC_RELAXED);         \
  }
  static _Thread_local bool binding __attribute__((tls_model("initial-exec")));
  if (binding)
    return;
  binding = true;
  VS_PTHREADS(VS_BIND)
  binding = false;
#undef VS_BIND
}

__attribute__((constructor(101))) static void bind_early(void) {
  int before = errno;
  bind_all();
  errno = before;
}
