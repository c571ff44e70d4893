/* Formatted output. The forms with `...` hand their list to the form with va_list, as the C library
 * does itself. */
#undef _FORTIFY_SOURCE /* would make inline functions of these names */
#undef _FILE_OFFSET_BITS
#define _GNU_SOURCE 1
#include <stdarg.h>
#include <stdio.h>

#include "descriptors.h"
#include "real.h"
#include "scope.h"

/* Called by programs built with _FORTIFY_SOURCE; in no public header. */
int __fprintf_chk(FILE *stream, int flag, const char *format, ...);
int __vfprintf_chk(FILE *stream, int flag, const char *format, va_list list);
int __printf_chk(int flag, const char *format, ...);
int __vprintf_chk(int flag, const char *format, va_list list);
int __dprintf_chk(int fd, int flag, const char *format, ...);
int __vdprintf_chk(int fd, int flag, const char *format, va_list list);

#define ENDING_stream(io, result) vs_io_stream_transfer(io, stream, result)
#define ENDING_stdout(io, result) vs_io_stream_transfer(io, stdout, result)
#define ENDING_fd(io, result) vs_io_transfer(io, fd, result, VS_IO_HERE, true)

#define WITH_LIST(name, call, where, parameters, arguments)                                        \
  VS_EXPORT int name parameters {                                                                  \
    struct vs_io io;                                                                               \
    const bool seen = VS_IO_BEGIN(&io, call);                                                      \
    const int result = VS_REAL(name) arguments;                                                    \
    if (seen)                                                                                      \
      ENDING_##where(&io, result);                                                                 \
    return result;                                                                                 \
  }

#define WITH_REST(name, call, real, where, parameters, arguments)                                  \
  VS_EXPORT int name parameters {                                                                  \
    struct vs_io io;                                                                               \
    va_list list;                                                                                  \
    const bool seen = VS_IO_BEGIN(&io, call);                                                      \
    va_start(list, format);                                                                        \
    const int result = VS_REAL(real) arguments;                                                    \
    va_end(list);                                                                                  \
    if (seen)                                                                                      \
      ENDING_##where(&io, result);                                                                 \
    return result;                                                                                 \
  }

WITH_REST(fprintf, fprintf, vfprintf, stream, (FILE * stream, const char *format, ...),
          (stream, format, list))
WITH_REST(__fprintf_chk, fprintf, __vfprintf_chk, stream,
          (FILE * stream, int flag, const char *format, ...), (stream, flag, format, list))
WITH_REST(printf, printf, vprintf, stdout, (const char *format, ...), (format, list))
WITH_REST(__printf_chk, printf, __vprintf_chk, stdout, (int flag, const char *format, ...),
          (flag, format, list))
WITH_REST(dprintf, dprintf, vdprintf, fd, (int fd, const char *format, ...), (fd, format, list))
WITH_REST(__dprintf_chk, dprintf, __vdprintf_chk, fd, (int fd, int flag, const char *format, ...),
          (fd, flag, format, list))

WITH_LIST(vfprintf, vfprintf, stream, (FILE * stream, const char *format, va_list list),
          (stream, format, list))
WITH_LIST(__vfprintf_chk, vfprintf, stream,
          (FILE * stream, int flag, const char *format, va_list list), (stream, flag, format, list))
WITH_LIST(vprintf, vprintf, stdout, (const char *format, va_list list), (format, list))
WITH_LIST(__vprintf_chk, vprintf, stdout, (int flag, const char *format, va_list list),
          (flag, format, list))
WITH_LIST(vdprintf, vdprintf, fd, (int fd, const char *format, va_list list), (fd, format, list))
WITH_LIST(__vdprintf_chk, vdprintf, fd, (int fd, int flag, const char *format, va_list list),
          (fd, flag, format, list))
