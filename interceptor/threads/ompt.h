/*
 * The part of OpenMP's tool interface that is used here, written from the OpenMP API Specification
 * 5.0 (November 2018), chapter 4; section numbers stand beside each declaration.
 */
#ifndef VARSCOPE_OMPT_H
#define VARSCOPE_OMPT_H

#include <stdbool.h>
#include <stdint.h>

/* 4.4.4.1 */
typedef union vs_ompt_data {
  uint64_t value;
  void *ptr;
} ompt_data_t;

/* 4.4.1: entry points are looked up by name. */
typedef void (*ompt_interface_fn_t)(void);
typedef ompt_interface_fn_t (*ompt_function_lookup_t)(const char *name);

/* 4.2.1 and 4.4.1: what ompt_start_tool returns. */
typedef struct vs_ompt_start_tool_result {
  int (*initialize)(ompt_function_lookup_t lookup, int initial_device_num, ompt_data_t *tool_data);
  void (*finalize)(ompt_data_t *tool_data);
  ompt_data_t tool_data;
} ompt_start_tool_result_t;

/* 4.4.2: numbers of the events. */
enum vs_ompt_callback {
  VS_OMPT_THREAD_BEGIN = 1,
  VS_OMPT_PARALLEL_BEGIN = 3,
  VS_OMPT_PARALLEL_END = 4,
  VS_OMPT_IMPLICIT_TASK = 7,
  VS_OMPT_SYNC_REGION = 23
};

/* 4.4.4.11 */
enum { VS_OMPT_SCOPE_BEGIN = 1, VS_OMPT_SCOPE_END = 2 };

/* 4.4.4.10: kinds of threads. */
enum { VS_OMPT_THREAD_WORKER = 2 };

/* 4.4.4.13: kinds of synchronisation; those from 7 on: reductions, and the finer kinds of implicit
 * barriers that version 5.1 adds. */
enum {
  VS_OMPT_BARRIER = 1,
  VS_OMPT_BARRIER_IMPLICIT = 2,
  VS_OMPT_BARRIER_EXPLICIT = 3,
  VS_OMPT_BARRIER_IMPLICIT_WORKSHARE = 8,
  VS_OMPT_BARRIER_IMPLICIT_PARALLEL = 9
};

/* 4.4.4.18: flags of a task. */
enum { VS_OMPT_TASK_INITIAL = 0x1 };

/* 4.6.2.4 */
typedef int (*ompt_set_callback_t)(int event, ompt_interface_fn_t callback);

/* Whether a runtime with this interface tells of its regions. */
bool vs_ompt_tells(void);

#endif
