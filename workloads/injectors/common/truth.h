/* Writes what an injector did; the format is in ../README.md. */
#ifndef VARSCOPE_INJECTOR_TRUTH_H
#define VARSCOPE_INJECTOR_TRUTH_H

#include <stdbool.h>
#include <stdint.h>

#define SECOND INT64_C(1000000000)

/* What was done in one interval; `monotonic` and `realtime` are nanoseconds: start, end. */
struct done_interval {
  int64_t monotonic[2], realtime[2];
  int64_t cpu_ns;
  int64_t amount; /* in what truth.amount_name says */
};

struct truth {
  const char *injector, *cause;
  const char *target;      /* members of a JSON object without braces: what beside the host */
  const char *settings;    /* the same */
  const char *amount_name; /* member of each interval; NULL: none */
  bool complete;
};

/* False with errno if the file cannot be written. */
bool write_truth(const char *path, const struct truth *truth, const struct done_interval *done,
                 int count);

#endif
