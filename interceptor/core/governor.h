/*
 * Keeps the cost of recording within the budget. Each thread governs itself: it measures on a
 * sample of its own calls what recording one costs, and about every 20 ms compares what it spent
 * with the budget's share of the time that passed. Where that is too much, the states with the
 * shortest mean time (of the call and the computations before and after it, for both its ends tell
 * how long a computation was) are thinned: recorded in bursts of VS_BURST calls, all thinned states
 * together, and left out between bursts. Calls left out are counted and, unless even that costs too
 * much, timed (counts.h).
 *
 * The budget is a token bucket over the thread's own time. It starts with a small credit, so short
 * programs are kept whole, and what is not spent is saved up to a bound.
 */
#ifndef VARSCOPE_GOVERNOR_H
#define VARSCOPE_GOVERNOR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "trace_format.h"

struct vs_thread;

/* Why a call of a state may be left out. */
enum {
  VS_THINNED = 1,  /* the state is thinned, and its thread is between bursts */
  VS_THINNABLE = 2 /* all that may be left out are: paused, at the size limit, or budget 0 */
};

/* Thinned calls of a thread that are recorded in a row. */
#define VS_BURST 64u

/* In the lightest modes, one call of a state in so many is timed: the first that the budget bears,
 * or the last. Powers of two. */
#define VS_TIMED_LEAST 16u
#define VS_TIMED_MOST 256u

/* What is kept per thread and state. */
struct vs_plan {
  struct vst_count *count; /* of calls left out; NULL before the first */
  uint32_t classes;        /* of VS_THINNED, VS_THINNABLE */
  bool requests;           /* its calls start or complete requests */
  uint32_t recorded;       /* since the last turn */
  uint64_t ticks;          /* these took, with the computations before and after them */
  uint64_t calls_told;     /* count->calls at the last turn */
  uint64_t inside;         /* ticks of a call alone: mean of those measured lately; 0: not known */
  double mean;             /* ticks of the call and what is computed around it; 0: not known yet */
};

/* Ticks per call of one handling, measured. */
struct vs_cost {
  double sum, calls;
};

/* The part of a thread's record that its governor uses. */
struct vs_governor {
  struct vs_plan *plans; /* by state */
  uint32_t plan_count;
  uint32_t last;     /* state recorded last */
  uint32_t left_out; /* classes that this thread leaves out now */
  uint32_t turn;     /* thinned calls until the burst, or the pause, is over */
  uint32_t pause;    /* thinned calls of a pause; 0: nothing is thinned */
  uint32_t until_probe;
  uint32_t probe_every;
  uint64_t next_turn, last_turn; /* ticks */
  uint64_t record_limit;         /* `written` at which the next turn is due whatever the time */
  uint64_t timed;                /* calls left out and timed, since the last account */
  uint64_t quick_calls;          /* calls left out the quick way, since the last account */
  double quick_share;            /* of the untimed ones at the last turn */
  uint64_t written_told, sampled_told; /* counters of the thread at the last account */
  uint64_t tool;                       /* ticks spent under the lock since the last turn */
  uint64_t sealing;                    /* ticks spent packing, in all */
  struct vs_cost record, light, lightest;
  double balance;    /* ticks */
  double start_owed; /* ticks that starting to record took and the budget has not paid yet */
};

/* Classes that all threads leave out now: VS_THINNABLE while paused or at the size limit. */
extern _Atomic uint32_t vs_left_out;

/*
 * Changes with the first call left out that may have started or completed a request, after one
 * that was recorded: requests noted under an older epoch may since have been completed unseen, and
 * their handles used again.
 */
extern _Atomic uint32_t vs_light_epoch;

/* Costs in ticks: of recording a call in a loop, to start from; of reading the clock; and of a call
 * left out the quick way (quick.h), which is too short to be measured in the run. */
void vs_governor_set_costs(double record, double clock, double quick);

/* For a thread that has begun to record. */
void vs_governor_start(struct vs_thread *thread, uint64_t now);

/* The plan of a state that has none yet; NULL if memory cannot be had or there is no `category`. */
struct vs_plan *vs_governor_plan(struct vs_thread *thread, uint32_t state, uint32_t category);

/* Adds what the thread's calls cost since the last time to the header; returns it in ticks. */
double vs_governor_account(struct vs_thread *thread);

/* Compares with the budget and decides how states are handled next. By the thread itself. */
void vs_governor_turn(struct vs_thread *thread, uint64_t now);

/* A burst, or the pause after it, is over. */
void vs_governor_flip(struct vs_thread *thread);

/* A measured call of one handling (`cost` is one of the governor's) took `ticks` of our own;
 * `extra` clock readings were made for the measurement alone and are in it. */
void vs_governor_measured(struct vs_governor *governor, struct vs_cost *cost, uint64_t ticks,
                          unsigned extra);

/* Gives back the memory of the thread's plans. */
void vs_governor_release(struct vs_thread *thread);

#endif
