/* Files as the trace numbers them. */
#ifndef VARSCOPE_IO_FILES_H
#define VARSCOPE_IO_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "trace_format.h"

/* What a descriptor leads to. */
struct vs_io_file {
  uint32_t number; /* in the trace; VST_NO_COMMUNICATOR: not known, or too many files */
  bool seekable;   /* a regular file or a block device */
  bool append;     /* O_APPEND: writes go to the end wherever the position is */
};

/*
 * Asks the kernel what is behind `fd`, and writes a FILE block when it is new in this trace. Up to
 * six system calls, and the lock. Keeps no descriptor open. False if `fd` is not open.
 */
bool vs_io_identify(int fd, struct vs_io_file *file);

#endif
