/* What process this is, for the PROCESS block. */
#ifndef VARSCOPE_PROCESS_H
#define VARSCOPE_PROCESS_H

#include "recorder.h"

#ifndef VARSCOPE_VERSION
#define VARSCOPE_VERSION "0.1.0"
#endif

/* Appends the PROCESS block; false when recording is over. Under the lock. */
bool vs_process_describe(const struct vs_job *job);

#endif
