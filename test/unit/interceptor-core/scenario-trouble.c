/* What a file system can do to the recorder: the program goes on, and the loss is counted. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver.h"

#define NOT_POSSIBLE_HERE 77

static void *one_late_thread(void *data) {
  require(record_pattern(1, 0), "a late thread's call is counted");
  require(record_pattern(1, 1), "a late thread's call is counted");
  return data;
}

/* Makes `calls` calls, then two in a thread that comes when there may be no room for it. */
static void call_and_finish(long calls) {
  pthread_t late;
  for (long i = 0; i < calls; i++)
    require(record_pattern(0, (uint64_t)i), "calls are counted");
  pthread_create(&late, NULL, one_late_thread, NULL);
  pthread_join(late, NULL);
  vs_finish();
}

static void copy(const char *from, const char *to) {
  char buffer[65536];
  int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  ssize_t got;
  require(in >= 0 && out >= 0, "the trace can be copied");
  while ((got = read(in, buffer, sizeof buffer)) > 0)
    require(write(out, buffer, (size_t)got) == got, "the trace can be copied");
  close(in);
  close(out);
}

/* A disk of 2 MiB, half full, in a mount namespace of this process; the trace is copied to OUT. */
void run_full_disk(long calls) {
  char directory[] = "/tmp/varscope-full-XXXXXX", trace[64];
  require(mkdtemp(directory) != NULL, "a folder can be made");
  bool apart = unshare(CLONE_NEWNS) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0;
  if (!apart || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
      mount("tmpfs", directory, "tmpfs", 0, "size=2m") != 0) {
    rmdir(directory);
    exit(NOT_POSSIBLE_HERE);
  }
  setenv("VARSCOPE_TRACE_DIR", directory, 1);
  start();
  call_and_finish(calls);
  snprintf(trace, sizeof trace, "%s/3.vst", directory);
  copy(trace, out_path);
  umount(directory);
  rmdir(directory);
}

/* SIGXFSZ at its default, which is to kill. */
void run_size_limit(long calls) {
  struct rlimit limit = {3u << 19, 3u << 19};
  require(setrlimit(RLIMIT_FSIZE, &limit) == 0, "a limit can be set");
  start();
  call_and_finish(calls);
}

/* Fills the file to the last byte it may use with PROBLEM blocks of `bytes` bytes each. */
void run_fill_up(long bytes) {
  struct rlimit limit = {3u << 19, 3u << 19};
  char text[400];
  require(setrlimit(RLIMIT_FSIZE, &limit) == 0, "a limit can be set");
  require(bytes < (long)sizeof text, "the text fits");
  memset(text, 'x', sizeof text);
  text[bytes] = 0;
  start();
  while (vs_recording())
    vs_report_problem(text);
  call_and_finish(5);
}

void run_few_descriptors(long calls) {
  struct rlimit limit = {3, 3};
  start();
  record_pattern(0, 0);
  require(setrlimit(RLIMIT_NOFILE, &limit) == 0, "a limit can be set");
  for (long i = 1; i < calls; i++)
    require(record_pattern(0, (uint64_t)i), "calls are counted");
  vs_finish();
}

void run_close_all(long calls) {
  start();
  for (long i = 0; i < calls; i++) {
    require(record_pattern(0, (uint64_t)i), "calls are recorded");
    if (i % 1000 == 0)
      for (int fd = 3; fd < 256; fd++)
        close(fd);
  }
  vs_finish();
}

/* OUT is moved over the trace by this program; not one byte of it may change. */
void run_replaced(long calls) {
  char trace[4096], kept[4096];
  const char *directory = getenv("VARSCOPE_TRACE_DIR");
  snprintf(trace, sizeof trace, "%s/3.vst", directory);
  snprintf(kept, sizeof kept, "%s/kept", directory);
  start();
  record_pattern(0, 0);
  require(rename(trace, kept) == 0 && rename(out_path, trace) == 0, "the trace can be replaced");
  for (long i = 1; i < calls; i++)
    record_pattern(0, (uint64_t)i);
  vs_finish();
}

static long resident_kilobytes(const char *key) {
  char line[256];
  long value = -1;
  FILE *file = fopen("/proc/self/status", "r");
  while (file && fgets(line, sizeof line, file)) {
    if (strncmp(line, key, strlen(key)) == 0)
      value = strtol(line + strlen(key), NULL, 10);
  }
  if (file)
    fclose(file);
  return value;
}

/* Prints the kilobytes of resident memory before the start and the most there ever were. */
void run_memory(long calls) {
  long before = resident_kilobytes("VmRSS:");
  start();
  for (long i = 0; i < calls; i++)
    record_pattern(0, (uint64_t)i);
  printf("memory %ld %ld\n", before, resident_kilobytes("VmHWM:"));
  vs_finish();
}

/* Two calls more than a second apart; then the process ends without finishing. */
void run_old_records(long argument) {
  (void)argument;
  start();
  record_pattern(0, 0);
  usleep(1300000);
  record_pattern(0, 1);
  record_pattern(0, 2);
  _exit(0);
}
