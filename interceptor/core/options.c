#define _GNU_SOURCE 1
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_BUDGET 0.01
#define DEFAULT_LOCK_WAIT_NS 10000u
#define MOST_FRAMES 64u

struct vs_options vs_options;

static bool is(const char *name, const char *value) {
  const char *given = getenv(name);
  return given && strcmp(given, value) == 0;
}

/* A plain number of at most `most`, or `otherwise`. */
static double number(const char *name, double most, double otherwise) {
  const char *given = getenv(name);
  if (!given || !*given)
    return otherwise;
  char *end;
  double value = strtod(given, &end);
  return *end == 0 && value >= 0 && value <= most ? value : otherwise;
}

void vs_options_read(void) {
  const char *counters = getenv("VARSCOPE_COUNTERS");
  vs_options.full = is("VARSCOPE_BUDGET", "full");
  vs_options.budget = number("VARSCOPE_BUDGET", 100, DEFAULT_BUDGET * 100) / 100;
  vs_options.call_path_frames = (uint32_t)number("VARSCOPE_CALL_PATHS", MOST_FRAMES, 0);
  vs_options.io = !is("VARSCOPE_IO", "off");
  vs_options.threads = !is("VARSCOPE_THREADS", "off");
  vs_options.probes = !is("VARSCOPE_PROBES", "off") && !is("VARSCOPE_PROBES", "0");
  vs_options.lock_wait_ns =
      (uint64_t)(number("VARSCOPE_LOCK_WAIT", 1e9, DEFAULT_LOCK_WAIT_NS / 1000.0) * 1000);
  vs_options.max_trace_bytes = (uint64_t)number("VARSCOPE_MAX_TRACE", 1e18, 0);
  snprintf(vs_options.counters, sizeof vs_options.counters, "%s", counters ? counters : "default");
}
