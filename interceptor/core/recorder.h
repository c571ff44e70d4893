/*
 * What the wrappers see of the recorder. A wrapper brackets the real call:
 *
 *   struct vs_scope scope;
 *   switch (vs_begin(&scope, call, site)) {
 *   case VS_PASS:                              asleep, or called from inside another recorded call
 *     return real(...);
 *   case VS_LIGHT:                             left out on purpose: counted, arguments not looked
 * at result = real(...); vs_leave(&scope); return result; case VS_RECORD: result = real(...);
 *     vs_stop(&scope);                         exit time, before arguments are looked at
 *     ... fill struct vs_arguments ...
 *     vs_end(&scope, &arguments);
 *   }
 *
 * Nothing here allocates with malloc, prints, or calls MPI. All functions are safe from any thread.
 */
#ifndef VARSCOPE_RECORDER_H
#define VARSCOPE_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "trace_format.h"

struct vs_thread;
struct vs_plan;

enum vs_handling { VS_PASS = 0, VS_LIGHT = 1, VS_RECORD = 2 };

struct vs_scope {
  struct vs_thread *thread;
  uint64_t enter, exit;
  uint32_t state; /* or VS_NOT_FOUND (table.h): the call cannot be recorded and counts as lost */
  struct vs_plan *plan; /* of the state in this thread, or NULL */
  uint64_t probe;       /* entry of vs_begin, in calls whose own cost is measured; else 0 */
};

/* The work of one call, see struct vst_record. */
struct vs_arguments {
  uint64_t bytes;
  uint32_t communicator;
  int32_t peer, tag;
  uint32_t requests, completed;
};

/* Name and category of every call, indexed by call number; generated from interceptor/spec. */
struct vs_call_info {
  const char *name;
  enum vst_category category;
};

/* What is known when MPI_Init returns. */
struct vs_job {
  const struct vs_call_info *calls;
  uint32_t call_count;
  const char *mpi_implementation, *mpi_version;
  uint64_t job_id;
  int32_t world_rank, world_size;
  uint64_t init_exit_tick; /* vs_now() when MPI_Init returned; 0: when vs_start is called */
};

/* Opens the trace file and starts recording; VARSCOPE_TRACE_DIR names the folder. False if it
 * cannot: then `problem` (one line) says why, and every vs_begin returns false. */
bool vs_start(const struct vs_job *job, char *problem, unsigned problem_bytes);

/* True while calls are recorded. */
bool vs_recording(void);

/* `site` is the return address of the wrapper, in the code that made the call. */
enum vs_handling vs_begin(struct vs_scope *scope, uint32_t call, const void *site);
void vs_leave(struct vs_scope *scope);
void vs_stop(struct vs_scope *scope);
void vs_end(struct vs_scope *scope, const struct vs_arguments *arguments);

/*
 * What a call started or completed is told between vs_stop and vs_end; see struct vst_transfer, and
 * transfer_room.h for the number that the record of the call will have.
 *
 * vs_open_transfers: room for `count` transfers, at most VS_TRANSFERS_AT_ONCE, that this call
 * completed, with its number as end_record. The caller writes all their fields, calling nothing
 * that could call back, and closes them. NULL if there is none, and nothing to close then.
 *
 * vs_count_unmatched: requests that this call completed, and of which no start is known.
 */
#define VS_TRANSFERS_AT_ONCE 16u /* every staging area has as many slots */
struct vst_transfer *vs_open_transfers(const struct vs_scope *scope, uint32_t count);
void vs_close_transfers(const struct vs_scope *scope, uint32_t count);
void vs_count_unmatched(const struct vs_scope *scope, uint32_t count);

/* How many calls of a thread have no record so far: left out on purpose, or lost. Of the thread
 * whose call is on record exactly; of others, calls left out lately may be missing, but 0 is
 * certain. */
uint64_t vs_unrecorded(const struct vs_thread *thread);

/* Marks the time of MPI_Init's entry before vs_start can run, so that the call itself is recorded.
 */
uint64_t vs_now(void);

/* Writes the definition of a communicator; members are world ranks. */
void vs_define_communicator(const struct vst_communicator *definition,
                            const struct vst_rank_run *runs);

/* Adds one line to the trace about something that was lost or refused. */
void vs_report_problem(const char *text);

/* While paused, all calls that may be left out are: counted and timed, not recorded. */
void vs_pause(bool paused);

/* Seals all threads' records and closes the file as complete; called after MPI_Finalize returned.
 */
void vs_finish(void);

#endif
