#define _GNU_SOURCE
#include "truth.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static void print_time(FILE *file, const char *key, int64_t realtime, const char *end) {
  const time_t seconds = (time_t)(realtime / SECOND);
  struct tm parts;
  char text[32];
  gmtime_r(&seconds, &parts);
  strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  fprintf(file, "\"%s\": \"%s.%09" PRId64 "Z\"%s", key, text, realtime % SECOND, end);
}

static void print_interval(FILE *file, const char *amount_name, const struct done_interval *done) {
  fprintf(file, "{ \"startMonotonicNs\": %" PRId64 ", \"endMonotonicNs\": %" PRId64 ",\n      ",
          done->monotonic[0], done->monotonic[1]);
  print_time(file, "startRealtime", done->realtime[0], ", ");
  print_time(file, "endRealtime", done->realtime[1], ",\n      ");
  if (amount_name)
    fprintf(file, "\"%s\": %" PRId64 ", ", amount_name, done->amount);
  fprintf(file, "\"cpuSeconds\": %.6f }", (double)done->cpu_ns / (double)SECOND);
}

bool write_truth(const char *path, const struct truth *truth, const struct done_interval *done,
                 int count) {
  char host[256] = "";
  FILE *file = fopen(path, "w");
  if (!file)
    return false;
  gethostname(host, sizeof host - 1);
  fprintf(file,
          "{\n  \"schema\": \"varscope.truth/1\",\n  \"injector\": \"%s\",\n"
          "  \"cause\": \"%s\",\n"
          "  \"target\": { \"host\": \"%s\", %s },\n"
          "  \"settings\": { %s },\n  \"complete\": %s,\n  \"intervals\": [",
          truth->injector, truth->cause, host, truth->target, truth->settings,
          truth->complete ? "true" : "false");
  for (int i = 0; i < count; i++) {
    fputs(i ? ",\n    " : "\n    ", file);
    print_interval(file, truth->amount_name, &done[i]);
  }
  fprintf(file, "\n  ]\n}\n");
  return fclose(file) == 0;
}
