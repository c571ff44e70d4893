/*
 * Probes of this core's speed (include/trace_probe.h): tiny works that never change, timed by the
 * process's first thread. They tell a rank that is slow from start to end from one that has more
 * work.
 *
 * A round of them takes some 50 microseconds. It is made inside a call as that is recorded, where
 * the call waits for longer than this on average: there it costs the program nothing. A rank that
 * never waits is probed in any call that may wait, but less often. Rounds are as far apart as keeps
 * them within SHARE_OF_BUDGET of the budget; their time is counted as the tool's own.
 *
 * Never in a signal handler: only calls of MPI are used, and not while another call is on record.
 */
#ifndef VARSCOPE_SPEED_H
#define VARSCOPE_SPEED_H

#include <stdbool.h>
#include <stdint.h>

struct vs_thread;
struct vs_plan;

/* Makes the first rounds, by the thread that starts recording; before calls are recorded. */
void vs_speed_start(void);

/* Has the thread's next call looked at if a round is due at tick `now`. */
void vs_speed_remind(struct vs_thread *thread, uint64_t now);

/* The same at the start of a burst of recorded calls: most calls are left out, and only recorded
 * ones have rounds. */
void vs_speed_remind_again(struct vs_thread *thread);

/* Whether the call that began at tick `now` is one to make a round in. */
bool vs_speed_wanted(struct vs_thread *thread, const struct vs_plan *plan, uint32_t category,
                     uint64_t now);

/* Makes a round. Keeps errno; signals wait meanwhile. */
void vs_speed_probe(void);

/* The last rounds, when MPI_Finalize has returned. */
void vs_speed_finish(void);

#endif
