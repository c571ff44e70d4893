/* The calling thread's record, or NULL. The library is there from the program's start on
 * (preloaded), so its thread-local memory can be addressed without a function call. */
#ifndef VARSCOPE_LOCAL_H
#define VARSCOPE_LOCAL_H

#include "thread.h"

extern _Thread_local struct vs_thread *vs_self __attribute__((tls_model("initial-exec")));

#endif
