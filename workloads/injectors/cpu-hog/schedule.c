#define _GNU_SOURCE
#include "schedule.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The second way to give intervals: `repeat` times `duration`, one each `every` seconds. */
struct repetition {
  double start, duration, every, repeat;
  bool used;
};

static bool wrong(const char *problem, const char *text) {
  fprintf(stderr, "%s: %s: '%s'; see --help\n", program_invocation_short_name, problem, text);
  return false;
}

static bool parse_number(const char *text, double low, double high, double *number) {
  char *end;
  *number = strtod(text, &end);
  bool valid =
      end != text && *end == '\0' && isfinite(*number) && *number >= low && *number <= high;
  return valid || wrong("not a number in range", text);
}

static bool parse_integer(const char *text, int low, int high, int *number) {
  double value;
  if (!parse_number(text, low, high, &value))
    return false;
  *number = (int)value;
  return value == floor(value) || wrong("not a whole number", text);
}

static bool add_interval(struct schedule *schedule, double from, double to) {
  if (schedule->intervals == MAX_INTERVALS) {
    fprintf(stderr, "%s: more than %d intervals\n", program_invocation_short_name, MAX_INTERVALS);
    return false;
  }
  schedule->interval[schedule->intervals++] = (struct planned_interval){from, to};
  return true;
}

static bool parse_interval(struct schedule *schedule, const char *text) {
  double from, to;
  char rest;
  if (sscanf(text, "%lf:%lf%c", &from, &to, &rest) != 2 || !(from >= 0) || !(to > from) ||
      !isfinite(to))
    return wrong("an interval is FROM:TO in seconds, FROM < TO", text);
  return add_interval(schedule, from, to);
}

static bool add_repetition(struct schedule *schedule, const struct repetition *repetition) {
  for (int i = 0; i < (int)repetition->repeat; i++) {
    double from = repetition->start + i * repetition->every;
    if (!add_interval(schedule, from, from + repetition->duration))
      return false;
  }
  return true;
}

static int by_start(const void *left, const void *right) {
  double a = ((const struct planned_interval *)left)->from;
  double b = ((const struct planned_interval *)right)->from;
  return (a > b) - (a < b);
}

static bool check(struct schedule *schedule) {
  if (schedule->core < 0 || schedule->intervals == 0) {
    fprintf(stderr, "%s: --core and at least one interval are needed; see --help\n",
            program_invocation_short_name);
    return false;
  }
  qsort(schedule->interval, (size_t)schedule->intervals, sizeof *schedule->interval, by_start);
  for (int i = 1; i < schedule->intervals; i++)
    if (schedule->interval[i].from < schedule->interval[i - 1].to) {
      fprintf(stderr, "%s: the intervals that start at %g and %g s overlap\n",
              program_invocation_short_name, schedule->interval[i - 1].from,
              schedule->interval[i].from);
      return false;
    }
  return true;
}

bool parse_schedule(int argc, char **argv, struct schedule *schedule) {
  static const struct option options[] = {
      {"core", required_argument, NULL, 'c'},     {"threads", required_argument, NULL, 'n'},
      {"interval", required_argument, NULL, 'i'}, {"start", required_argument, NULL, 's'},
      {"duration", required_argument, NULL, 'd'}, {"repeat", required_argument, NULL, 'r'},
      {"every", required_argument, NULL, 'e'},    {"truth", required_argument, NULL, 't'},
      {"help", no_argument, NULL, 'h'},           {0},
  };
  struct repetition repetition = {.repeat = 1};
  *schedule = (struct schedule){.core = -1, .threads = 1};
  bool valid = true;
  int option;
  while (valid && (option = getopt_long(argc, argv, "", options, NULL)) != -1) {
    repetition.used |= option == 's' || option == 'd' || option == 'r' || option == 'e';
    switch (option) {
    case 'c':
      valid = parse_integer(optarg, 0, 4095, &schedule->core);
      break;
    case 'n':
      valid = parse_integer(optarg, 1, MAX_THREADS, &schedule->threads);
      break;
    case 'i':
      valid = parse_interval(schedule, optarg);
      break;
    case 's':
      valid = parse_number(optarg, 0, 1e6, &repetition.start);
      break;
    case 'd':
      valid = parse_number(optarg, 1e-3, 1e6, &repetition.duration);
      break;
    case 'r':
      valid = parse_number(optarg, 1, MAX_INTERVALS, &repetition.repeat);
      break;
    case 'e':
      valid = parse_number(optarg, 1e-3, 1e6, &repetition.every);
      break;
    case 't':
      schedule->truth_file = optarg;
      break;
    case 'h':
      schedule->help = true;
      return true;
    default: /* getopt has said what is wrong */
      valid = false;
    }
  }
  if (valid && optind < argc)
    valid = wrong("unexpected word", argv[optind]);
  if (valid && repetition.used && !(repetition.duration > 0))
    valid = wrong("an interval needs a length", "--duration");
  if (valid && repetition.repeat > 1 && !(repetition.every > 0))
    valid = wrong("repeating needs the time from start to start", "--every");
  if (valid && repetition.used)
    valid = add_repetition(schedule, &repetition);
  return valid && check(schedule);
}
