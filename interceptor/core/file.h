/*
 * The trace file: blocks are appended to a window of it that is mapped into memory. The disk space
 * under a window is allocated before it is mapped, so a full disk is an error here and never a
 * SIGBUS in the job (unless someone else truncates the file, or the file system copies on write).
 * No descriptor stays open: programs that close all they find do no harm.
 *
 * All functions but vs_file_add_staging's result are used under the lock (lock.h). When space runs
 * out, or anything else fails, recording is over: a PROBLEM block goes into the reserve kept in the
 * last window, and the mode becomes VS_COUNTING.
 */
#ifndef VARSCOPE_FILE_H
#define VARSCOPE_FILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "recorder.h"

/* One piece of a payload. */
struct vs_part {
  const void *data;
  size_t bytes;
};

/* Creates DIRECTORY/RANK.vst, or JOBID-RANK.vst where that exists, with its header. On failure
 * nothing stays behind and `problem` says why in one line. */
bool vs_file_create(const char *directory, const struct vs_job *job, char *problem,
                    size_t problem_bytes);

/* Sets what is measured after the file was made. */
void vs_file_set_call_cost(uint64_t picoseconds);

/* Appends a block. The caller fills type, thread, count and ticks; the rest is filled here. False
 * when recording is over. */
bool vs_file_append(struct vst_block *block, const struct vs_part *parts, unsigned part_count);

/* Appends a CLOCK block if `interval` ticks have passed since the last one (0: always). */
bool vs_file_append_clock(uint64_t interval);

/* Appends a PROBLEM block with the first line of `text`. */
bool vs_file_append_problem(const char *text);

/* Appends a STAGING block and maps it for the life of the process; NULL when recording is over.
 * Near the size limit it gets fewer slots than asked for. */
struct vst_staging *vs_file_add_staging(uint32_t thread, uint32_t capacity);

/* Like vs_file_add_staging, for a TRANSFER_STAGING block. */
struct vst_transfer_staging *vs_file_add_transfers(uint32_t thread, uint32_t capacity);

/* Appends a block without checksum whose payload begins with `head`, and maps it for the life of
 * the process. Returns its payload, all zero behind the head, or NULL when recording is over. */
void *vs_file_add_mapped(struct vst_block *block, const struct vs_part *head);

/* After recording broke off: a staging block without slots for threads that have none, to count
 * their lost calls in; NULL if there is no room even for that. */
struct vst_staging *vs_file_add_counters(uint32_t thread);

/* Appends a COUNTS block and maps it for the life of the process; NULL when there is no room. */
struct vst_counts *vs_file_add_counts(uint32_t thread, uint32_t capacity);

/* True once the file reached vs_options.max_trace_bytes: no record is kept any more, but the file
 * stays open for what must still be said. */
extern _Atomic bool vs_file_full;
static inline bool vs_file_limited(void) {
  return atomic_load_explicit(&vs_file_full, memory_order_relaxed);
}

/* Of the clock, as in the header. */
uint64_t vs_file_ticks_per_second(void);

/* Adds to the own cost in the per-call path. Safe from any thread, without the lock. */
void vs_file_add_call_ticks(uint64_t ticks);

void vs_file_add_tool_ticks(uint64_t ticks);

/* Those so far. */
uint64_t vs_file_tool_ticks(void);

/* Marks the file as complete where nothing went wrong, and gives back the space allocated ahead. */
void vs_file_close(void);

/* Removes the file; only before any thread records. */
void vs_file_abandon(void);

#endif
