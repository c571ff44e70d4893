/* What a cpu-hog is to do, and when any injector is to do it: parsed from its command line. */
#ifndef VARSCOPE_CPU_HOG_SCHEDULE_H
#define VARSCOPE_CPU_HOG_SCHEDULE_H

#include <stdbool.h>

#define MAX_INTERVALS 1024
#define MAX_THREADS 64

/* Seconds since the start of the program. */
struct planned_interval {
  double from, to;
};

struct schedule {
  int core, threads;
  const char *truth_file; /* NULL: none */
  bool help;
  int intervals;
  struct planned_interval interval[MAX_INTERVALS];
};

/* False after one line on stderr that says what is wrong. Intervals come out in order of time and
 * do not overlap. */
bool parse_schedule(int argc, char **argv, struct schedule *schedule);

#endif
