#define _GNU_SOURCE
#include "cpu-cap.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PERIOD_US 100000

/* The file, and what it held before. */
static char path[PATH_MAX], before[64];

static bool put(const char *text) {
  const int file = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
  const bool done = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);
  if (!done)
    fprintf(stderr, "disturb: cannot write %s: %s\n", path, strerror(errno));
  if (file >= 0)
    close(file);
  return done;
}

static bool read_before(void) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  const ssize_t length = file >= 0 ? read(file, before, sizeof before - 1) : -1;
  if (file >= 0)
    close(file);
  before[length > 0 ? length : 0] = '\0';
  before[strcspn(before, "\n")] = '\0';
  return length > 0;
}

bool set_cpu_cap(const struct strength *strength) {
  char text[64];
  const int quota = PERIOD_US / 100 * strength->percent;
  snprintf(path, sizeof path, "%s/cpu.max", strength->directory);
  if (access(path, F_OK) == 0) {
    snprintf(text, sizeof text, "%d %d", quota, PERIOD_US);
  } else {
    /* Version 1 has quota and period in two files; its period is this one unless somebody changed
     * it. */
    snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", strength->directory);
    snprintf(text, sizeof text, "%d", quota);
  }
  if (!read_before()) {
    fprintf(stderr, "disturb: %s is no control group with a limit of CPU time\n",
            strength->directory);
    return false;
  }
  return put(text);
}

bool restore_cpu_cap(const struct strength *strength) {
  (void)strength;
  return put(before);
}
