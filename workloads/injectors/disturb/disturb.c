/*
 * Disturbs a machine in one of several ways during given intervals and writes what it really did to
 * a truth file; see ../README.md for the options and the format.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "../common/run.h"
#include "../common/truth.h"
#include "../cpu-hog/schedule.h"
#include "kinds.h"

/* False if it failed or was stopped; *done tells what was done all the same. */
static bool disturb_until(const struct kind *kind, const struct strength *strength, int64_t until,
                          struct done_interval *done) {
  const int64_t offset = read_clock(CLOCK_REALTIME) - read_clock(CLOCK_MONOTONIC);
  *done = (struct done_interval){0};
  if (kind->begin && !kind->begin(strength))
    return false;
  bool well = true;
  const int64_t cpu = read_clock(CLOCK_PROCESS_CPUTIME_ID);
  done->monotonic[0] = read_clock(CLOCK_MONOTONIC);
  if (!kind->step)
    sleep_until(until);
  while (kind->step && well && !stopped && read_clock(CLOCK_MONOTONIC) < until)
    well = kind->step(strength, &done->amount);
  if (kind->end)
    well = kind->end(strength) && well;
  done->monotonic[1] = read_clock(CLOCK_MONOTONIC);
  done->cpu_ns = read_clock(CLOCK_PROCESS_CPUTIME_ID) - cpu;
  for (int end = 0; end < 2; end++)
    done->realtime[end] = done->monotonic[end] + offset;
  return well && done->monotonic[1] >= until;
}

static bool tell_truth(const struct kind *kind, const struct strength *strength,
                       const struct schedule *schedule, const struct done_interval *done, int count,
                       bool complete) {
  char target[64], settings[64] = "";
  if (kind->needs_pid)
    snprintf(target, sizeof target, "\"pid\": %d", (int)strength->pid);
  else if (kind->needs_percent)
    snprintf(target, sizeof target, "\"cores\": \"all of the group\"");
  else
    snprintf(target, sizeof target, "\"core\": %d", schedule->core);
  if (kind->needs_percent)
    snprintf(settings, sizeof settings, "\"percent\": %d", strength->percent);
  else if (kind->default_bytes)
    snprintf(settings, sizeof settings, "\"bytes\": %zu", strength->bytes);
  char injector[64];
  snprintf(injector, sizeof injector, "disturb %s", kind->name);
  const struct truth truth = {.injector = injector,
                              .cause = kind->cause,
                              .target = target,
                              .settings = settings,
                              .amount_name = kind->amount_name,
                              .complete = complete};
  return !schedule->truth_file || write_truth(schedule->truth_file, &truth, done, count);
}

static const struct kind *find_kind(const char *name) {
  for (int i = 0; name && i < kind_count; i++)
    if (strcmp(kinds[i].name, name) == 0)
      return &kinds[i];
  fprintf(stderr, "disturb: '%s' is not one of", name ? name : "");
  for (int i = 0; i < kind_count; i++)
    fprintf(stderr, "%s %s", i ? "," : "", kinds[i].name);
  fputs("; see --help\n", stderr);
  return NULL;
}

static bool whole_number(const char *option, const char *text, long low, long high, long *number) {
  char *end;
  errno = 0;
  *number = strtol(text, &end, 10);
  if (end != text && *end == '\0' && errno == 0 && *number >= low && *number <= high)
    return true;
  fprintf(stderr, "disturb: %s %s: give a whole number from %ld to %ld\n", option, text, low, high);
  return false;
}

/* Takes the options of the kind out of the words; what is left is the schedule's. */
static bool parse_strength(const struct kind *kind, int *argc, char **argv,
                           struct strength *strength) {
  *strength = (struct strength){.bytes = kind->default_bytes};
  int kept = 0;
  for (int i = 0; i < *argc; i++) {
    const char *word = argv[i], *value = i + 1 < *argc ? argv[i + 1] : NULL;
    long number;
    if (value && kind->default_bytes && strcmp(word, "--megabytes") == 0) {
      if (!whole_number(word, value, 1, 65536, &number))
        return false;
      strength->bytes = (size_t)number << 20;
    } else if (value && kind->needs_pid && strcmp(word, "--pid") == 0) {
      if (!whole_number(word, value, 2, INT32_MAX, &number))
        return false;
      strength->pid = (pid_t)number;
    } else if (value && kind->needs_percent && strcmp(word, "--percent") == 0) {
      if (!whole_number(word, value, 1, 100000, &number))
        return false;
      strength->percent = (int)number;
    } else if (value && kind->needs_directory && strcmp(word, "--directory") == 0) {
      strength->directory = value;
    } else {
      argv[kept++] = argv[i];
      continue;
    }
    i++;
  }
  *argc = kept;
  const char *missing = kind->needs_pid && !strength->pid               ? "--pid"
                        : kind->needs_directory && !strength->directory ? "--directory"
                        : kind->needs_percent && !strength->percent     ? "--percent"
                                                                        : NULL;
  if (missing)
    fprintf(stderr, "disturb: %s needs %s; see --help\n", kind->name, missing);
  return !missing;
}

static void print_help(void) {
  puts("usage: disturb memory|cache|faults --core N [--megabytes M] WHEN\n"
       "       disturb files --directory DIR --core N [--megabytes M] WHEN\n"
       "       disturb stop --pid PID WHEN\n"
       "       disturb cpu-cap --directory CONTROL-GROUP --percent P WHEN\n"
       "WHEN:  (--interval FROM:TO ... | --start S --duration S [--repeat N --every S])\n"
       "       [--truth FILE]\n"
       "Disturbs during the given intervals, in seconds since its start.");
}

/* The schedule wants a core; kinds that have none get one that they do not use. */
static bool parse(int argc, char **argv, const struct kind **kind, struct strength *strength,
                  struct schedule *schedule) {
  static char core[] = "--core", none[] = "0";
  *kind = find_kind(argv[1]);
  if (!*kind)
    return false;
  char **words = calloc((size_t)argc + 3, sizeof *words);
  if (!words)
    return false;
  memcpy(words, argv + 1, ((size_t)argc - 1) * sizeof *words);
  int count = argc - 1;
  if (!parse_strength(*kind, &count, words, strength))
    return false;
  if (!(*kind)->needs_core) {
    words[count++] = core;
    words[count++] = none;
  }
  words[count] = NULL;
  return parse_schedule(count, words, schedule);
}

int main(int argc, char **argv) {
  static struct schedule schedule;
  static struct done_interval done[MAX_INTERVALS];
  const int64_t start = read_clock(CLOCK_MONOTONIC);
  const struct kind *kind;
  struct strength strength;
  if (argc > 1 && strcmp(argv[1], "--help") == 0) {
    print_help();
    return 0;
  }
  if (!parse(argc, argv, &kind, &strength, &schedule))
    return 2;
  if (schedule.help) {
    print_help();
    return 0;
  }
  if (kind->needs_core && !pin_to(schedule.core)) {
    fprintf(stderr, "disturb: cannot run on core %d: %s\n", schedule.core, strerror(errno));
    return 1;
  }
  if (kind->prepare && !kind->prepare(&strength))
    return 1;
  watch_signals();

  int count = 0;
  bool complete = true;
  for (int i = 0; i < schedule.intervals && complete; i++) {
    sleep_until(start + (int64_t)(schedule.interval[i].from * (double)SECOND));
    if (stopped) {
      complete = false;
      break;
    }
    complete = disturb_until(
        kind, &strength, start + (int64_t)(schedule.interval[i].to * (double)SECOND), &done[count]);
    count += done[count].monotonic[0] > 0;
  }
  if (!tell_truth(kind, &strength, &schedule, done, count, complete)) {
    fprintf(stderr, "disturb: cannot write %s: %s\n", schedule.truth_file, strerror(errno));
    return 1;
  }
  return complete || stopped ? 0 : 1;
}
