/* Transfers that a thread completed: staged in the trace file like records, see trace_format.h.
 * What wrappers call stands in recorder.h. */
#ifndef VARSCOPE_TRANSFERS_H
#define VARSCOPE_TRANSFERS_H

#include "thread.h"

/* Packs the thread's staged transfers into a TRANSFERS block. Under the lock. */
void vs_transfers_seal(struct vs_thread *thread);

#endif
