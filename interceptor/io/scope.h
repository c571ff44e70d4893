/*
 * What all wrappers of I/O calls have in common:
 *
 *   struct vs_io io;
 *   const bool seen = VS_IO_BEGIN(&io, read);
 *   result = VS_REAL(read)(...);
 *   if (seen)
 *     vs_io_transfer(&io, ...);                  or another ending
 *
 * errno is after a wrapper what the real function left. The endings look at descriptors after the
 * time of the call was taken. Where a call is left out on purpose (VS_LIGHT) they only keep
 * positions up to date.
 */
#ifndef VARSCOPE_IO_SCOPE_H
#define VARSCOPE_IO_SCOPE_H

#include <stdint.h>
#include <stdio.h>

#include "calls.h"
#include "gate.h"
#include "recorder.h"

#define VS_EXPORT __attribute__((visibility("default")))

struct vs_io {
  struct vs_scope scope; /* first: its address tells which call is inside which, see recorder.c */
  bool light;
  int error; /* errno of the real function */
};

/* Called once when recording starts, by the process that is recorded. */
void vs_io_start(void);

/* True if the call is to be recorded or counted. `site` is in the code that called the wrapper. */
bool vs_io_begin(struct vs_io *io, uint32_t call, const void *site);

/* True in a child of vfork, which still runs in its parent's memory: its descriptors are its own.
 */
bool vs_io_in_child(void);

static inline bool vs_io_awake(void) {
  return __builtin_expect(vs_mode() != VS_ASLEEP, 0);
}

#define VS_IO_BEGIN(io, name)                                                                      \
  (vs_io_awake() && vs_io_begin(io, VS_CALL_##name, __builtin_return_address(0)))

/* The same for calls that change what descriptors mean. */
#define VS_IO_BEGIN_OPEN(io, name)                                                                 \
  (vs_io_awake() && !vs_io_in_child() &&                                                           \
   vs_io_begin(io, VS_CALL_##name, __builtin_return_address(0)))

/* Endings. `result` is the real function's; failures are below 0. */

/* A read or write of `result` bytes at `offset` or VS_IO_HERE. */
void vs_io_transfer(struct vs_io *io, int fd, int64_t result, int64_t offset, bool write);

/* A read or write of a stream. */
void vs_io_stream_transfer(struct vs_io *io, FILE *stream, int64_t result);

void vs_io_seek(struct vs_io *io, int fd, int64_t result);
void vs_io_stream_seek(struct vs_io *io, FILE *stream, bool done, int64_t offset, int from);

/* A call that has a descriptor, and `bytes` for maps and what is moved without offset. */
void vs_io_descriptor(struct vs_io *io, int fd, int64_t bytes);

/* A call that has none. */
void vs_io_plain(struct vs_io *io);

/* A call that made `fd`, as another descriptor of what `from` leads to, or VS_IO_OPENED. On failure
 * `fd` is below 0. */
#define VS_IO_OPENED (-1)
void vs_io_made(struct vs_io *io, int from, int fd);

/* A call that closed `file`, a result of vs_io_forget. */
void vs_io_closed(struct vs_io *io, uint32_t file);

/* A descriptor was made by a call that is not looked at: what was known of this number is void. */
void vs_io_unseen(int fd);

#endif
