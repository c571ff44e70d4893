/* Streams of stdio: made, closed, read, written, moved. Their functions reach the kernel inside the
 * C library, unseen; what is recorded is what the program asked for. */
#undef _FORTIFY_SOURCE /* would make inline functions of these names */
#undef _FILE_OFFSET_BITS
#define _GNU_SOURCE 1
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "descriptors.h"
#include "real.h"
#include "scope.h"

/* Macros in some versions of the header. */
#undef fread_unlocked
#undef fwrite_unlocked

/* Called by programs built with _FORTIFY_SOURCE; in no public header. */
size_t __fread_chk(void *data, size_t room, size_t size, size_t count, FILE *stream);
size_t __fread_unlocked_chk(void *data, size_t room, size_t size, size_t count, FILE *stream);
char *__fgets_chk(char *line, size_t room, int bytes, FILE *stream);
char *__fgets_unlocked_chk(char *line, size_t room, int bytes, FILE *stream);

/* Streams in memory have none; asking for it must not show in errno. */
static int descriptor_of(FILE *stream) {
  const int error = errno;
  const int fd = stream ? fileno_unlocked(stream) : -1;
  errno = error;
  return fd;
}

static FILE *opened(struct vs_io *io, bool seen, FILE *stream) {
  if (seen)
    vs_io_made(io, VS_IO_OPENED, descriptor_of(stream));
  else if (stream && vs_io_awake())
    vs_io_unseen(descriptor_of(stream));
  return stream;
}

#define FOPEN(name)                                                                                \
  VS_EXPORT FILE *name(const char *path, const char *mode) {                                       \
    struct vs_io io;                                                                               \
    const bool seen = VS_IO_BEGIN_OPEN(&io, fopen);                                                \
    return opened(&io, seen, VS_REAL(name)(path, mode));                                           \
  }
FOPEN(fopen)
FOPEN(fopen64)

VS_EXPORT FILE *fdopen(int fd, const char *mode) {
  struct vs_io io;
  const bool seen = VS_IO_BEGIN_OPEN(&io, fdopen);
  FILE *const stream = VS_REAL(fdopen)(fd, mode);
  if (seen)
    vs_io_descriptor(&io, fd, 0);
  return stream;
}

/* The descriptor that the stream had is closed, whatever comes of it. */
static uint32_t forget(FILE *stream) {
  if (!vs_io_awake() || vs_io_in_child())
    return VST_NO_COMMUNICATOR;
  return vs_io_forget(descriptor_of(stream));
}

#define FREOPEN(name)                                                                              \
  VS_EXPORT FILE *name(const char *path, const char *mode, FILE *stream) {                         \
    struct vs_io io;                                                                               \
    const bool seen = VS_IO_BEGIN_OPEN(&io, freopen);                                              \
    if (vs_io_awake())                                                                             \
      forget(stream);                                                                              \
    return opened(&io, seen, VS_REAL(name)(path, mode, stream));                                   \
  }
FREOPEN(freopen)
FREOPEN(freopen64)

VS_EXPORT int fclose(FILE *stream) {
  struct vs_io io;
  if (!vs_io_awake())
    return VS_REAL(fclose)(stream);
  const bool seen = VS_IO_BEGIN_OPEN(&io, fclose);
  const uint32_t file = forget(stream);
  const int result = VS_REAL(fclose)(stream);
  if (seen)
    vs_io_closed(&io, file);
  return result;
}

/* Not recorded, as it waits for another program; but its descriptor's number is free again. */
VS_EXPORT int pclose(FILE *stream) {
  forget(stream);
  return VS_REAL(pclose)(stream);
}

#define BLOCKS(name, call, parameters, arguments)                                                  \
  VS_EXPORT size_t name parameters {                                                               \
    struct vs_io io;                                                                               \
    const bool seen = VS_IO_BEGIN(&io, call);                                                      \
    const size_t result = VS_REAL(name) arguments;                                                 \
    if (__builtin_expect(seen, 0))                                                                 \
      vs_io_stream_transfer(&io, stream, (int64_t)(result * size));                                \
    return result;                                                                                 \
  }
BLOCKS(fread, fread, (void *data, size_t size, size_t count, FILE *stream),
       (data, size, count, stream))
BLOCKS(fread_unlocked, fread, (void *data, size_t size, size_t count, FILE *stream),
       (data, size, count, stream))
BLOCKS(__fread_chk, fread, (void *data, size_t room, size_t size, size_t count, FILE *stream),
       (data, room, size, count, stream))
BLOCKS(__fread_unlocked_chk, fread,
       (void *data, size_t room, size_t size, size_t count, FILE *stream),
       (data, room, size, count, stream))
BLOCKS(fwrite, fwrite, (const void *data, size_t size, size_t count, FILE *stream),
       (data, size, count, stream))
BLOCKS(fwrite_unlocked, fwrite, (const void *data, size_t size, size_t count, FILE *stream),
       (data, size, count, stream))

/* Bytes up to the terminator: a line that holds NUL bytes counts as shorter. */
#define FGETS(name, parameters, arguments)                                                         \
  VS_EXPORT char *name parameters {                                                                \
    struct vs_io io;                                                                               \
    const bool seen = VS_IO_BEGIN(&io, fgets);                                                     \
    char *const result = VS_REAL(name) arguments;                                                  \
    if (seen)                                                                                      \
      vs_io_stream_transfer(&io, stream, result ? (int64_t)__builtin_strlen(result) : 0);          \
    return result;                                                                                 \
  }
FGETS(fgets, (char *line, int bytes, FILE *stream), (line, bytes, stream))
FGETS(fgets_unlocked, (char *line, int bytes, FILE *stream), (line, bytes, stream))
FGETS(__fgets_chk, (char *line, size_t room, int bytes, FILE *stream), (line, room, bytes, stream))
FGETS(__fgets_unlocked_chk, (char *line, size_t room, int bytes, FILE *stream),
      (line, room, bytes, stream))

#define LINES(name, call, parameters, arguments)                                                   \
  VS_EXPORT __ssize_t name parameters {                                                            \
    struct vs_io io;                                                                               \
    const bool seen = VS_IO_BEGIN(&io, call);                                                      \
    const __ssize_t result = VS_REAL(name) arguments;                                              \
    if (seen)                                                                                      \
      vs_io_stream_transfer(&io, stream, result);                                                  \
    return result;                                                                                 \
  }
LINES(getline, getline, (char **line, size_t *room, FILE *stream), (line, room, stream))
LINES(getdelim, getdelim, (char **line, size_t *room, int end, FILE *stream),
      (line, room, end, stream))
LINES(__getdelim, getdelim, (char **line, size_t *room, int end, FILE *stream),
      (line, room, end, stream))

#define FPUTS(name)                                                                                \
  VS_EXPORT int name(const char *text, FILE *stream) {                                             \
    struct vs_io io;                                                                               \
    const bool seen = VS_IO_BEGIN(&io, fputs);                                                     \
    const int result = VS_REAL(name)(text, stream);                                                \
    if (seen)                                                                                      \
      vs_io_stream_transfer(&io, stream, result < 0 ? 0 : (int64_t)__builtin_strlen(text));        \
    return result;                                                                                 \
  }
FPUTS(fputs)
FPUTS(fputs_unlocked)

VS_EXPORT int puts(const char *text) {
  struct vs_io io;
  const bool seen = VS_IO_BEGIN(&io, puts);
  const int result = VS_REAL(puts)(text);
  if (seen)
    vs_io_stream_transfer(&io, stdout, result < 0 ? 0 : (int64_t)__builtin_strlen(text) + 1);
  return result;
}

/* Of all streams (NULL): no file. */
#define FFLUSH(name)                                                                               \
  VS_EXPORT int name(FILE *stream) {                                                               \
    struct vs_io io;                                                                               \
    const bool seen = VS_IO_BEGIN(&io, fflush);                                                    \
    const int result = VS_REAL(name)(stream);                                                      \
    if (seen && stream)                                                                            \
      vs_io_descriptor(&io, descriptor_of(stream), 0);                                             \
    else if (seen)                                                                                 \
      vs_io_plain(&io);                                                                            \
    return result;                                                                                 \
  }
FFLUSH(fflush)
FFLUSH(fflush_unlocked)

#define FSEEK(name, call, offset)                                                                  \
  VS_EXPORT int name(FILE *stream, offset by, int from) {                                          \
    struct vs_io io;                                                                               \
    const bool seen = VS_IO_BEGIN(&io, call);                                                      \
    const int result = VS_REAL(name)(stream, by, from);                                            \
    if (seen)                                                                                      \
      vs_io_stream_seek(&io, stream, result == 0, by, from);                                       \
    return result;                                                                                 \
  }
FSEEK(fseek, fseek, long)
FSEEK(fseeko, fseeko, off_t)
FSEEK(fseeko64, fseeko, off64_t)

VS_EXPORT void rewind(FILE *stream) {
  struct vs_io io;
  const bool seen = VS_IO_BEGIN(&io, rewind);
  VS_REAL(rewind)(stream);
  if (seen)
    vs_io_stream_seek(&io, stream, true, 0, SEEK_SET);
}

/* Where it leads is the C library's secret: like an offset from the end. */
#define FSETPOS(name, type)                                                                        \
  VS_EXPORT int name(FILE *stream, const type *position) {                                         \
    struct vs_io io;                                                                               \
    const bool seen = VS_IO_BEGIN(&io, fsetpos);                                                   \
    const int result = VS_REAL(name)(stream, position);                                            \
    if (seen)                                                                                      \
      vs_io_stream_seek(&io, stream, result == 0, 0, SEEK_END);                                    \
    return result;                                                                                 \
  }
FSETPOS(fsetpos, fpos_t)
FSETPOS(fsetpos64, fpos64_t)
