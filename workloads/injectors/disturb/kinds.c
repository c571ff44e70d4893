#define _GNU_SOURCE
#include "kinds.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cpu-cap.h"

#define MEGABYTE ((size_t)1 << 20)
#define PAGE 4096
#define LINE 64

static unsigned char *buffer;
static int file = -1;

static bool failed(const char *what, const char *name) {
  fprintf(stderr, "disturb: cannot %s %s: %s\n", what, name, strerror(errno));
  return false;
}

static bool allocate(const struct strength *strength) {
  buffer = malloc(strength->bytes);
  if (!buffer)
    return failed("get", "memory");
  memset(buffer, 1, strength->bytes); /* or all pages would be the one of zeros */
  return true;
}

/* Reads one half and writes the other, far beyond any cache. */
static bool stream(const struct strength *strength, int64_t *amount) {
  const size_t half = strength->bytes / 2;
  static size_t at;
  const size_t piece = half < 4 * MEGABYTE ? half : 4 * MEGABYTE;
  if (at + piece > half)
    at = 0;
  memcpy(buffer + half + at, buffer + at, piece);
  at += piece;
  *amount += (int64_t)(2 * piece);
  return true;
}

/* Writes to lines in an order that no prefetcher follows, within what a cache holds. */
static bool thrash(const struct strength *strength, int64_t *amount) {
  static uint64_t state = 88172645463325252u;
  const size_t lines = strength->bytes / LINE;
  for (int i = 0; i < 100000; i++) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    buffer[state % lines * LINE]++;
  }
  *amount += 100000;
  return true;
}

static bool fault(const struct strength *strength, int64_t *amount) {
  unsigned char *pages =
      mmap(NULL, strength->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED)
    return failed("map", "memory");
  madvise(pages, strength->bytes, MADV_NOHUGEPAGE);
  for (size_t at = 0; at < strength->bytes; at += PAGE)
    *(volatile unsigned char *)(pages + at) = 1;
  *amount += (int64_t)(strength->bytes / PAGE);
  munmap(pages, strength->bytes);
  return true;
}

/* A file without a name, so that nothing is left behind however this ends. */
static bool open_file(const struct strength *strength) {
  file = open(strength->directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  return (file >= 0 || failed("make a file in", strength->directory)) && allocate(strength);
}

static bool write_file(const struct strength *strength, int64_t *amount) {
  const ssize_t written = pwrite(file, buffer, strength->bytes, 0);
  if (written < 0 || fsync(file) != 0)
    return failed("write in", strength->directory);
  *amount += written;
  return true;
}

static bool send_signal(pid_t pid, int number) {
  char text[32];
  snprintf(text, sizeof text, "%d", (int)pid);
  return kill(pid, number) == 0 ||
         failed(number == SIGSTOP ? "stop process" : "resume process", text);
}

static bool stop_process(const struct strength *strength) {
  return send_signal(strength->pid, SIGSTOP);
}

static bool resume_process(const struct strength *strength) {
  return send_signal(strength->pid, SIGCONT);
}

const struct kind kinds[] = {
    {.name = "memory",
     .cause = "memory-bandwidth",
     .amount_name = "bytesMoved",
     .default_bytes = 256 * MEGABYTE,
     .needs_core = true,
     .prepare = allocate,
     .step = stream},
    {.name = "cache",
     .cause = "cache",
     .amount_name = "linesWritten",
     .default_bytes = 8 * MEGABYTE,
     .needs_core = true,
     .prepare = allocate,
     .step = thrash},
    {.name = "faults",
     .cause = "page-faults",
     .amount_name = "pagesTouched",
     .default_bytes = 4 * MEGABYTE,
     .needs_core = true,
     .step = fault},
    {.name = "files",
     .cause = "io-slow",
     .amount_name = "bytesWritten",
     .default_bytes = 4 * MEGABYTE,
     .needs_core = true,
     .needs_directory = true,
     .prepare = open_file,
     .step = write_file},
    {.name = "stop",
     .cause = "stopped",
     .needs_pid = true,
     .begin = stop_process,
     .end = resume_process},
    {.name = "cpu-cap",
     .cause = "throttled-cgroup",
     .needs_directory = true,
     .needs_percent = true,
     .begin = set_cpu_cap,
     .end = restore_cpu_cap},
};
const int kind_count = sizeof kinds / sizeof *kinds;
