/*
 * The sources of counters: what each one offers, what it costs, and how it is read. Files of /proc
 * are opened anew for each reading, so that no descriptor stays open. All system calls are made
 * directly: functions of the C library may be intercepted, and are places where a thread can be
 * cancelled.
 */
#ifndef VARSCOPE_COUNTER_SOURCES_H
#define VARSCOPE_COUNTER_SOURCES_H

#include <stddef.h>

#include "counters.h"

#define VS_MOST_OF_SOURCE 6u
#define VS_REASON_BYTES sizeof(((struct vst_counter *)0)->reason)

struct vs_counter_name {
  const char *name, *unit, *group;
};

struct vs_counter_source {
  const char *groups; /* names of groups that include it, with commas */
  enum vs_counter_cost cost;
  enum vst_counter_scope scope;
  struct vs_counter_name counters[VS_MOST_OF_SOURCE]; /* up to the first without name */
  /* Looks whether counters can be read and writes why not into reason[counter]; called once, by the
   * thread that starts recording. NULL: they always can. */
  void (*look)(struct vs_counter_state *state, char (*reason)[VS_REASON_BYTES]);
  /* Reads all counters of the calling thread into `values`; false if that fails this time. */
  bool (*read)(struct vs_counter_state *state, uint64_t *values);
};

extern const struct vs_counter_source vs_counter_sources[];
extern const unsigned vs_counter_source_count;

/* Names of groups beside those of counters: default, all, none. */
bool vs_counter_group_known(const char *name, size_t length);

/* counter_files.c: the start of a file as text of `bytes` at most, NUL included; false if it cannot
 * be read or is empty. */
bool vs_read_text(const char *path, char *text, size_t bytes);

/* The number behind `key` and a blank, at the start of a line; false if there is none. */
bool vs_number_of(const char *text, const char *key, uint64_t *number);

/* counter_groups.c: the control group around this process that limits its CPU time. */
void vs_look_for_throttling(struct vs_counter_state *state, char (*reason)[VS_REASON_BYTES]);
bool vs_read_throttling(struct vs_counter_state *state, uint64_t *values);

/* counter_perf.c: events counted by the processor. */
void vs_look_for_events(struct vs_counter_state *state, char (*reason)[VS_REASON_BYTES]);
bool vs_read_events(struct vs_counter_state *state, uint64_t *values);
void vs_close_events(struct vs_counter_state *state);

#endif
