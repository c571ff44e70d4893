/* The ways in which `disturb` disturbs. */
#ifndef VARSCOPE_DISTURB_KINDS_H
#define VARSCOPE_DISTURB_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What the command line says beside when and where. */
struct strength {
  size_t bytes;          /* worked on at a time */
  const char *directory; /* of the file that is written, or the control group */
  pid_t pid;             /* to be stopped */
  int percent;           /* of one core that is left */
};

struct kind {
  const char *name, *cause, *amount_name;
  size_t default_bytes; /* 0: has none */
  bool needs_core, needs_directory, needs_pid, needs_percent;
  /* Each returns false after one line on stderr, and may be NULL. prepare is done once, before the
   * first interval. */
  bool (*prepare)(const struct strength *strength);
  bool (*begin)(const struct strength *strength);
  /* A few milliseconds of disturbance; adds to *amount. NULL: begin does all, and lasts until end.
   */
  bool (*step)(const struct strength *strength, int64_t *amount);
  bool (*end)(const struct strength *strength);
};

extern const struct kind kinds[];
extern const int kind_count;

#endif
