/*
 * What is known of the program's descriptors: which file, and where the last access ended.
 *
 * A description is what one open made (POSIX "open file description"): descriptors that dup made
 * share it, with its position. Descriptors are noted when a recorded call opens or first uses them.
 * Reading the table takes no lock. A thread that uses a descriptor while another one closes it gets
 * the old or the new file, like its call.
 */
#ifndef VARSCOPE_IO_DESCRIPTORS_H
#define VARSCOPE_IO_DESCRIPTORS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "trace_format.h"

#define VS_IO_UNKNOWN (-1)

/* An access at the descriptor's own position, where a file offset is asked for. */
#define VS_IO_HERE (-1)

struct vs_description {
  uint32_t file; /* as in vs_io_file */
  bool seekable, append;
  _Atomic int64_t position; /* of the descriptor; VS_IO_UNKNOWN: to be asked for */
  _Atomic int64_t last;     /* where the last access ended; VS_IO_UNKNOWN: there was none yet */
  _Atomic int64_t stream;   /* position of a stream on it, as far as it is seen; or VS_IO_UNKNOWN */
  _Atomic int32_t pending;  /* pattern of the stream's next access if its position is unknown */
  uint32_t descriptors;     /* that share it; under the lock */
  struct vs_description *free;
};

/* The description of `fd` if it is known. */
struct vs_description *vs_io_known(int fd);

/* The same; identifies `fd` if it is not known. `fresh`: set if so. NULL if it is not open, or
 * memory cannot be had. */
struct vs_description *vs_io_description(int fd, bool *fresh);

/* `fd` was just opened by the program, at position 0. */
struct vs_description *vs_io_opened(int fd);

/* `fd` was just made as another descriptor of what `from` leads to. */
void vs_io_duplicated(int from, int fd);

/* `fd` is about to be closed, or now leads elsewhere. Returns its file, or VST_NO_COMMUNICATOR. */
uint32_t vs_io_forget(int fd);

/* All descriptors from `first` to `last`, both included. */
void vs_io_forget_range(unsigned first, unsigned last);

/*
 * Notes an access of `bytes` bytes that is over: at `offset`, or VS_IO_HERE. Returns its pattern
 * (enum vst_access).
 */
int32_t vs_io_access(struct vs_description *description, int fd, int64_t bytes, int64_t offset,
                     bool write, bool fresh);

/* Notes an access whose arguments are not looked at otherwise. Never asks the kernel. */
void vs_io_skip(int fd, int64_t bytes, int64_t offset);

/* Something moved the position to nobody knows where. */
void vs_io_lose_position(int fd);

/* Notes that the position is now `position`; returns the pattern an access there would have. */
int32_t vs_io_moved(struct vs_description *description, int64_t position);

/* The same for streams, whose position is not asked for but added up from the calls that are seen.
 */
int32_t vs_io_stream_access(struct vs_description *description, int64_t bytes, bool fresh);
int32_t vs_io_stream_moved(struct vs_description *description, int64_t offset, int from);

#endif
