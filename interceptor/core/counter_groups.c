/*
 * Throttling of CPU time by control groups (the kernel's admin-guide/cgroup-v2 and
 * scheduler/sched-bwc). The limit may be set on any group around this process's own; the innermost
 * one that has a limit when recording starts is the one watched.
 */
#define _GNU_SOURCE 1
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counter_sources.h"

static char watched[512]; /* path of its cpu.stat */

static bool limited(const char *folder) {
  char path[512], text[64];
  int length = snprintf(path, sizeof path, "%s/cpu.max", folder);
  if (length < 0 || (size_t)length + 16 > sizeof path)
    return false;
  if (vs_read_text(path, text, sizeof text))
    return strncmp(text, "max", 3) != 0;
  snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", folder);
  return vs_read_text(path, text, sizeof text) && text[0] != '-';
}

/* From the group `path` under `root` outwards to `root` itself. */
static bool watch(const char *root, const char *path) {
  char folder[400];
  int length = snprintf(folder, sizeof folder, "%s%s", root, path);
  if (length < 0 || (size_t)length >= sizeof folder)
    return false;
  for (;;) {
    if (limited(folder)) {
      snprintf(watched, sizeof watched, "%s/cpu.stat", folder);
      return true;
    }
    char *slash = strrchr(folder, '/');
    if ((size_t)(slash - folder) < strlen(root))
      return false;
    *slash = 0;
  }
}

/* A line of /proc/self/cgroup: number:controllers:path, without controllers in version 2. */
static bool watch_line(char *line) {
  char root[128];
  char *controllers = strchr(line, ':');
  char *path = controllers ? strchr(controllers + 1, ':') : NULL;
  if (!path)
    return false;
  *path++ = 0;
  controllers++;
  if (*controllers == 0)
    return watch("/sys/fs/cgroup", path);
  bool cpu = strcmp(controllers, "cpu") == 0 || strncmp(controllers, "cpu,", 4) == 0 ||
             strstr(controllers, ",cpu,") || strcmp(controllers, "cpuacct,cpu") == 0;
  if (!cpu || strlen(controllers) > 64)
    return false;
  snprintf(root, sizeof root, "/sys/fs/cgroup/%s", controllers);
  return watch(root, path);
}

void vs_look_for_throttling(struct vs_counter_state *state, char (*reason)[VS_REASON_BYTES]) {
  char groups[2048], *rest = NULL;
  uint64_t values[2];
  bool found = false;
  if (vs_read_text("/proc/self/cgroup", groups, sizeof groups)) {
    for (char *line = strtok_r(groups, "\n", &rest); line && !found;
         line = strtok_r(NULL, "\n", &rest))
      found = watch_line(line);
  }
  const char *why = NULL;
  if (!found)
    why = "no control group limits the CPU time of this process";
  else if (!vs_read_throttling(state, values))
    why = "cpu.stat of the control group cannot be read";
  for (int i = 0; why && i < 2; i++)
    snprintf(reason[i], VS_REASON_BYTES, "%s", why);
}

bool vs_read_throttling(struct vs_counter_state *state, uint64_t *values) {
  char text[1024];
  (void)state;
  if (!vs_read_text(watched, text, sizeof text) || !vs_number_of(text, "nr_throttled", &values[0]))
    return false;
  if (vs_number_of(text, "throttled_usec", &values[1])) {
    values[1] *= 1000;
    return true;
  }
  return vs_number_of(text, "throttled_time", &values[1]);
}
