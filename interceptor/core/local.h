/* The calling thread's record, or NULL. The library is there from the program's start on
 * (preloaded), so its thread-local memory can be addressed without a function call. */
#ifndef VARSCOPE_LOCAL_H
#define VARSCOPE_LOCAL_H

#include <stddef.h>

#include "thread.h"

extern _Thread_local struct vs_thread *vs_self __attribute__((tls_model("initial-exec")));

static inline const char *vs_thread_pointer(void) {
#if defined(__x86_64__)
  const char *pointer;
  __asm__("mov %%fs:0, %0" : "=r"(pointer));
  return pointer;
#else
  return __builtin_thread_pointer();
#endif
}

/* Where vs_self lies, as seen from the thread pointer: the same in all threads. */
ptrdiff_t vs_self_offset(void);

#endif
