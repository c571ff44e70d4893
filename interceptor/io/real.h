/*
 * The functions that the program would have called without varscope: the next definition behind
 * this library, the C library's or another tool's. They are looked up once, when this library is
 * loaded: dlsym from inside an allocator's first call can dead-lock (darshan-hpc/darshan#223).
 * Calls that come even earlier, from constructors that run before ours, look up theirs then, or,
 * where allocators are known to use them, ask the kernel.
 */
#ifndef VARSCOPE_IO_REAL_H
#define VARSCOPE_IO_REAL_H

#include <stdatomic.h>

/* Every symbol that io/ exports or needs. */
#define VS_IO_SYMBOLS(X)                                                                           \
  X(open)                                                                                          \
  X(open64)                                                                                        \
  X(openat)                                                                                        \
  X(openat64)                                                                                      \
  X(creat)                                                                                         \
  X(creat64)                                                                                       \
  X(__open_2)                                                                                      \
  X(__open64_2)                                                                                    \
  X(__openat_2)                                                                                    \
  X(__openat64_2)                                                                                  \
  X(close)                                                                                         \
  X(close_range)                                                                                   \
  X(closefrom)                                                                                     \
  X(dup)                                                                                           \
  X(dup2)                                                                                          \
  X(dup3)                                                                                          \
  X(read)                                                                                          \
  X(__read_chk)                                                                                    \
  X(pread)                                                                                         \
  X(pread64)                                                                                       \
  X(__pread_chk)                                                                                   \
  X(__pread64_chk)                                                                                 \
  X(readv)                                                                                         \
  X(preadv)                                                                                        \
  X(preadv64)                                                                                      \
  X(preadv2)                                                                                       \
  X(preadv64v2)                                                                                    \
  X(write)                                                                                         \
  X(pwrite)                                                                                        \
  X(pwrite64)                                                                                      \
  X(writev)                                                                                        \
  X(pwritev)                                                                                       \
  X(pwritev64)                                                                                     \
  X(pwritev2)                                                                                      \
  X(pwritev64v2)                                                                                   \
  X(sendfile)                                                                                      \
  X(sendfile64)                                                                                    \
  X(copy_file_range)                                                                               \
  X(lseek)                                                                                         \
  X(lseek64)                                                                                       \
  X(fsync)                                                                                         \
  X(fdatasync)                                                                                     \
  X(sync_file_range)                                                                               \
  X(syncfs)                                                                                        \
  X(msync)                                                                                         \
  X(ftruncate)                                                                                     \
  X(ftruncate64)                                                                                   \
  X(truncate)                                                                                      \
  X(truncate64)                                                                                    \
  X(fallocate)                                                                                     \
  X(fallocate64)                                                                                   \
  X(posix_fallocate)                                                                               \
  X(posix_fallocate64)                                                                             \
  X(mmap)                                                                                          \
  X(mmap64)                                                                                        \
  X(stat)                                                                                          \
  X(stat64)                                                                                        \
  X(fstat)                                                                                         \
  X(fstat64)                                                                                       \
  X(lstat)                                                                                         \
  X(lstat64)                                                                                       \
  X(fstatat)                                                                                       \
  X(fstatat64)                                                                                     \
  X(statx)                                                                                         \
  X(__xstat)                                                                                       \
  X(__xstat64)                                                                                     \
  X(__fxstat)                                                                                      \
  X(__fxstat64)                                                                                    \
  X(__lxstat)                                                                                      \
  X(__lxstat64)                                                                                    \
  X(__fxstatat)                                                                                    \
  X(__fxstatat64)                                                                                  \
  X(access)                                                                                        \
  X(faccessat)                                                                                     \
  X(rename)                                                                                        \
  X(renameat)                                                                                      \
  X(unlink)                                                                                        \
  X(unlinkat)                                                                                      \
  X(remove)                                                                                        \
  X(mkdir)                                                                                         \
  X(mkdirat)                                                                                       \
  X(rmdir)                                                                                         \
  X(opendir)                                                                                       \
  X(fdopendir)                                                                                     \
  X(readdir)                                                                                       \
  X(readdir64)                                                                                     \
  X(closedir)                                                                                      \
  X(fopen)                                                                                         \
  X(fopen64)                                                                                       \
  X(fdopen)                                                                                        \
  X(freopen)                                                                                       \
  X(freopen64)                                                                                     \
  X(pclose)                                                                                        \
  X(fclose)                                                                                        \
  X(fread)                                                                                         \
  X(fread_unlocked)                                                                                \
  X(__fread_chk)                                                                                   \
  X(__fread_unlocked_chk)                                                                          \
  X(fgets)                                                                                         \
  X(fgets_unlocked)                                                                                \
  X(__fgets_chk)                                                                                   \
  X(__fgets_unlocked_chk)                                                                          \
  X(getline)                                                                                       \
  X(getdelim)                                                                                      \
  X(__getdelim)                                                                                    \
  X(fwrite)                                                                                        \
  X(fwrite_unlocked)                                                                               \
  X(fputs)                                                                                         \
  X(fputs_unlocked)                                                                                \
  X(puts)                                                                                          \
  X(fflush)                                                                                        \
  X(fflush_unlocked)                                                                               \
  X(fseek)                                                                                         \
  X(fseeko)                                                                                        \
  X(fseeko64)                                                                                      \
  X(rewind)                                                                                        \
  X(fsetpos)                                                                                       \
  X(fsetpos64)                                                                                     \
  X(vfprintf)                                                                                      \
  X(vprintf)                                                                                       \
  X(vdprintf)                                                                                      \
  X(__vfprintf_chk)                                                                                \
  X(__vprintf_chk)                                                                                 \
  X(__vdprintf_chk)

enum vs_io_symbol {
#define VS_NUMBER(name) VS_IO_##name,
  VS_IO_SYMBOLS(VS_NUMBER)
#undef VS_NUMBER
      VS_IO_SYMBOL_COUNT
};

extern void *_Atomic vs_io_reals[VS_IO_SYMBOL_COUNT];

/* Looks the function up; never NULL: where no library has it, one that fails with ENOSYS. Keeps
 * errno. */
void *vs_io_look_up(enum vs_io_symbol symbol);

static inline void *vs_io_real(enum vs_io_symbol symbol) {
  void *real = atomic_load_explicit(&vs_io_reals[symbol], memory_order_relaxed);
  return __builtin_expect(real != 0, 1) ? real : vs_io_look_up(symbol);
}

/* The function as its header declares it. */
#define VS_REAL(name) ((__typeof__(&name))vs_io_real(VS_IO_##name))

#endif
