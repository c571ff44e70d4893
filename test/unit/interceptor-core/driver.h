/* Programs that use the recorder like a wrapper library would; see driver.c for how a scenario is
 * run. */
#ifndef DRIVER_H
#define DRIVER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "recorder.h"

#define CALLS 4
#define ALL_CALLS 6 /* with those that are never left out */

/* What the driver says that it recorded: the truth a trace is compared with. 64 bytes. */
struct truth {
  uint32_t program_thread, call;
  uint64_t site, enter, exit, bytes;
  uint32_t communicator;
  int32_t peer, tag;
  uint32_t requests, completed, unused;
};

/* Starts recording in VARSCOPE_TRACE_DIR; says why not and exits with 3 if that fails. */
void start(void);

/* Records one call; false if the recorder let it pass. `truth` may be NULL. */
bool record(uint32_t call, const void *site, const struct vs_arguments *arguments,
            struct truth *truth);

/* Records call number `i` of a program thread: a fixed pattern that tests know too. */
bool record_pattern(uint32_t program_thread, uint64_t i);

/* Writes truth records to the file OUT (second argument of the driver). */
void write_truth(const struct truth *truth, size_t count);

/* Path of the second argument. */
extern const char *out_path;

uint64_t next_random(void);
void seed_random(uint64_t seed);

/* Exits with 1 and a message unless `condition` holds. */
void require(bool condition, const char *what);

typedef void scenario(long argument);
scenario run_pack, run_calls, run_unmapped, run_threads, run_short_threads, run_kill, run_full_disk,
    run_size_limit, run_fill_up, run_few_descriptors, run_close_all, run_replaced, run_fork,
    run_signals, run_leave, run_busy_finish, run_old_records, run_memory, run_second_start,
    run_counters, run_counter_threads, run_counter_descriptors, run_no_memory,
    run_no_memory_at_start, run_no_mapping, run_no_inodes, run_read_only, run_many_states,
    run_govern, run_govern_threads, run_govern_kill, run_govern_left, run_govern_fork, run_pause,
    run_successors, run_counter_crowd, run_errno, run_govern_often, run_govern_uneven, run_speed,
    run_fork_locked;

#endif
