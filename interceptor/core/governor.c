#define _GNU_SOURCE 1
#include "governor.h"

#include <string.h>
#include <sys/mman.h>

#include "clock.h"
#include "file.h"
#include "gate.h"
#include "options.h"
#include "speed.h"
#include "thread.h"

/* One call in so many is measured: a prime, so that loops do not fall into step with it. Where
 * nearly all calls are left out untimed, even that would be felt. */
#define PROBE_EVERY 61u
#define PROBE_SELDOM 251u

/*
 * What no measurement between two readings of the clock can hold: entry and exit of the wrapper,
 * what it looks up before the real call, and caches and predictions that the program finds changed.
 * Both are estimates from the development machine:
 * - of a call left out, from such calls, which cost 10 to 14 ns in all (call-rate as fast as it
 * can, with and without);
 * - of a recorded call, as a share of what one takes in the loop at the start, which is 40 to 50
 * ns: measured costs of calls to oneself lay 25 to 31 ns below the paired difference.
 */
#define UNSEEN_SECONDS 6e-9
#define UNSEEN_SHARE 0.6
#define QUICK_UNSEEN_SECONDS 2e-9

/* Seconds of budget that a thread starts with, can save up, and can owe. */
#define CREDIT 0.25
#define MOST_CREDIT 1.0
#define MOST_DEBT 10.0

/* Where calls are counted only (budget 0): share of the time beyond which fewer of them are timed.
 */
#define COUNTING_BUDGET 0.01

/* Share of the budget that pays for the start of recording until that is paid: a program that is
 * over within seconds must feel it, but keep most of its calls. */
#define START_SHARE 0.25

#define TURN_SECONDS 0.02
#define LEAST_RECORDS 256.0
#define MOST_PAUSE (4095 * VS_BURST)
#define FIRST_PLANS 64u

/* Measurements in which the system ran something else must not count for a hundred calls: none
 * counts for more than so many times the mean, which follows soon where calls do cost more. */
#define MOST_OF_MEAN 8.0

/* Weight of older measurements: calls after which it is halved. */
#define MEMORY 1024.0

/* Classes of mean time, two per factor of 2. */
#define CLASSES 128

_Atomic uint32_t vs_left_out;
_Atomic uint32_t vs_light_epoch;

static struct {
  double record, clock, quick; /* ticks */
  double second;               /* ticks */
} first;

void vs_governor_set_costs(double record, double clock, double quick) {
  first.record = record;
  first.clock = clock;
  first.quick = quick;
}

static double mean(const struct vs_cost *cost) {
  return cost->sum / cost->calls;
}

static struct vs_cost costing(double ticks) {
  return (struct vs_cost){8 * ticks, 8};
}

/* Ticks of one call that no measurement sees. */
static double unseen(bool recorded) {
  return recorded ? UNSEEN_SHARE * first.record : UNSEEN_SECONDS * first.second;
}

void vs_governor_start(struct vs_thread *thread, uint64_t now) {
  struct vs_governor *governor = &thread->governor;
  if (first.second <= 0)
    first.second = (double)vs_file_ticks_per_second();
  governor->record = costing(first.record + unseen(true));
  governor->light = costing(2 * first.clock + first.record / 4);
  governor->lightest = costing(first.record / 4);
  governor->probe_every = governor->until_probe = PROBE_EVERY;
  governor->last_turn = now;
  governor->balance = vs_options.budget * first.second * CREDIT;
  governor->start_owed = thread->number == 0 ? (double)vs_file_tool_ticks() : 0;
  governor->left_out = !vs_options.full && vs_options.budget <= 0 ? VS_THINNABLE : 0;
  governor->next_turn = now + (uint64_t)(first.second * TURN_SECONDS);
  governor->record_limit = (uint64_t)LEAST_RECORDS;
}

/* Only these may be left out: others are needed to understand what is recorded. */
static bool thinnable(uint32_t category) {
  switch ((enum vst_category)category) {
  case VST_CATEGORY_SEND:
  case VST_CATEGORY_RECEIVE:
  case VST_CATEGORY_SENDRECV:
  case VST_CATEGORY_ISEND:
  case VST_CATEGORY_IRECEIVE:
  case VST_CATEGORY_WAIT:
  case VST_CATEGORY_TEST:
  case VST_CATEGORY_PROBE:
  case VST_CATEGORY_IPROBE:
  case VST_CATEGORY_COLLECTIVE:
  case VST_CATEGORY_ICOLLECTIVE:
  case VST_CATEGORY_START:
  case VST_CATEGORY_RMA:
  case VST_CATEGORY_WINDOW_SYNC:
  case VST_CATEGORY_FILE:
  case VST_CATEGORY_IO_READ:
  case VST_CATEGORY_IO_WRITE:
  case VST_CATEGORY_IO_SEEK:
  case VST_CATEGORY_IO_SYNC:
  case VST_CATEGORY_LOCK:
  case VST_CATEGORY_OPENMP:
    return true;
  case VST_CATEGORY_LIFETIME:
  case VST_CATEGORY_COMMUNICATOR:
  case VST_CATEGORY_REQUEST:
  case VST_CATEGORY_WINDOW:
  case VST_CATEGORY_FILE_META:
  case VST_CATEGORY_IO_OPEN:
  case VST_CATEGORY_IO_META:
  case VST_CATEGORY_IO_MAP:
  case VST_CATEGORY_THREAD:
  case VST_CATEGORY_PHASE:
    break;
  }
  return false;
}

static bool uses_requests(uint32_t category) {
  return category == VST_CATEGORY_ISEND || category == VST_CATEGORY_IRECEIVE ||
         category == VST_CATEGORY_ICOLLECTIVE || category == VST_CATEGORY_START ||
         category == VST_CATEGORY_WAIT || category == VST_CATEGORY_TEST ||
         category == VST_CATEGORY_RMA || category == VST_CATEGORY_FILE;
}

static size_t plan_bytes(uint32_t count) {
  return count * sizeof(struct vs_plan);
}

/* A signal handler that breaks in uses no plan: a call is on record. */
static bool grow(struct vs_governor *governor, uint32_t state) {
  uint32_t count = governor->plan_count ? governor->plan_count : FIRST_PLANS;
  while (count <= state)
    count *= 2;
  struct vs_plan *plans =
      mmap(NULL, plan_bytes(count), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (plans == MAP_FAILED)
    return false;
  if (governor->plans) {
    memcpy(plans, governor->plans, plan_bytes(governor->plan_count));
    munmap(governor->plans, plan_bytes(governor->plan_count));
  }
  governor->plans = plans;
  governor->plan_count = count;
  return true;
}

#define PLANNED 0x80000000u /* in `classes`: the plan is made */

struct vs_plan *vs_governor_plan(struct vs_thread *thread, uint32_t state, uint32_t category) {
  struct vs_governor *governor = &thread->governor;
  if (state >= governor->plan_count && !grow(governor, state))
    return NULL;
  struct vs_plan *plan = &governor->plans[state];
  if (!(plan->classes & PLANNED)) {
    plan->classes = PLANNED | (thinnable(category) ? VS_THINNABLE : 0u);
    plan->requests = uses_requests(category);
  }
  return plan;
}

void vs_governor_release(struct vs_thread *thread) {
  if (thread->governor.plans)
    munmap(thread->governor.plans, plan_bytes(thread->governor.plan_count));
}

void vs_governor_measured(struct vs_governor *governor, struct vs_cost *cost, uint64_t ticks,
                          unsigned extra) {
  double own = (double)ticks - extra * first.clock + unseen(cost == &governor->record);
  double most = MOST_OF_MEAN * (mean(cost) > 1 ? mean(cost) : 1);
  if (own > most)
    own = most;
  if (cost->calls >= MEMORY) {
    cost->sum /= 2;
    cost->calls /= 2;
  }
  cost->sum += own;
  cost->calls += 1;
}

static double quick_cost(void) {
  return first.quick + QUICK_UNSEEN_SECONDS * first.second;
}

double vs_governor_account(struct vs_thread *thread) {
  struct vs_governor *governor = &thread->governor;
  const struct vst_staging *staging = thread->staging;
  if (!staging)
    return 0;
  double recorded = (double)(staging->written - governor->written_told);
  uint64_t out = staging->sampled_out - governor->sampled_told;
  double timed = (double)(governor->timed < out ? governor->timed : out);
  double untimed = (double)out - timed;
  double quick = (double)governor->quick_calls < untimed ? (double)governor->quick_calls : untimed;
  double cost = recorded * mean(&governor->record) + timed * mean(&governor->light) +
                quick * quick_cost() + (untimed - quick) * mean(&governor->lightest);
  if (untimed > 0)
    governor->quick_share = quick / untimed;
  governor->quick_calls = 0;
  governor->written_told = staging->written;
  governor->sampled_told = staging->sampled_out;
  governor->timed = 0;
  if (cost < 0)
    cost = 0;
  vs_file_add_call_ticks((uint64_t)cost);
  return cost;
}

static unsigned class_of(double ticks) {
  if (ticks < 1)
    return 0;
  uint64_t whole = ticks < 1e18 ? (uint64_t)ticks : (uint64_t)1e18;
  unsigned power = 63 - (unsigned)__builtin_clzll(whole);
  bool upper = power > 0 && (whole >> (power - 1) & 1);
  return 2 * power + upper;
}

/* Calls of the time since the last turn, by the class of their state. */
struct demand {
  double calls[CLASSES]; /* that may be left out */
  double all;            /* of these */
  double needed;         /* that may not */
};

static void ask(struct vs_governor *governor, struct demand *demand) {
  memset(demand, 0, sizeof *demand);
  for (uint32_t state = 0; state < governor->plan_count; state++) {
    struct vs_plan *plan = &governor->plans[state];
    uint64_t out = plan->count ? plan->count->calls - plan->calls_told : 0;
    double calls = (double)(plan->recorded + out);
    if (plan->recorded > 0) {
      double now = ((double)plan->ticks + 0.5) / plan->recorded; /* ticks are coarse, never 0 */
      plan->mean = plan->mean > 0 ? (3 * plan->mean + now) / 4 : now;
    }
    plan->calls_told += out;
    plan->recorded = 0;
    plan->ticks = 0;
    if (calls <= 0)
      continue;
    if (!(plan->classes & VS_THINNABLE)) {
      demand->needed += calls;
      continue;
    }
    demand->calls[class_of(plan->mean)] += calls;
    demand->all += calls;
  }
}

/* Thins the states up to this class of mean time; -1: none. */
static void thin(struct vs_thread *thread, int most) {
  struct vs_governor *governor = &thread->governor;
  memset(thread->quick_entries, 0, sizeof thread->quick_entries);
  for (uint32_t state = 0; state < governor->plan_count; state++) {
    struct vs_plan *plan = &governor->plans[state];
    bool thinned =
        plan->classes & VS_THINNABLE && plan->mean > 0 && (int)class_of(plan->mean) <= most;
    plan->classes = thinned ? plan->classes | VS_THINNED : plan->classes & ~(uint32_t)VS_THINNED;
  }
}

static void keep_all(struct vs_thread *thread) {
  struct vs_governor *governor = &thread->governor;
  if (governor->pause > 0)
    thin(thread, -1);
  governor->pause = 0;
  governor->left_out = 0;
  thread->quick.timed_mask = 0;
  governor->probe_every = PROBE_EVERY;
}

static void set_pause(struct vs_governor *governor, double kept) {
  double pause = kept > 0 ? VS_BURST * (1 / kept - 1) : MOST_PAUSE;
  bool before = governor->pause > 0;
  governor->pause = pause < VS_BURST ? VS_BURST : pause > MOST_PAUSE ? MOST_PAUSE : (uint32_t)pause;
  if (!before || (governor->left_out && governor->turn > governor->pause)) {
    governor->left_out = VS_THINNED;
    governor->turn = governor->pause;
  }
}

/* Which share of the calls left out is timed: so that the cost of so many calls leaves half of what
 * is allowed, or else the least. Returns what one costs then. */
static double choose_timing(struct vs_thread *thread, double calls, double allowed) {
  struct vs_governor *governor = &thread->governor;
  double timed = mean(&governor->light), slow = mean(&governor->lightest);
  double untimed = slow + governor->quick_share * (quick_cost() - slow);
  double cost = timed;
  thread->quick.timed_mask = 0;
  governor->probe_every = PROBE_EVERY;
  for (uint32_t every = VS_TIMED_LEAST; calls * cost > allowed / 2 && every <= VS_TIMED_MOST;
       every *= 4) {
    thread->quick.timed_mask = every - 1;
    governor->probe_every = PROBE_SELDOM;
    cost = untimed + (timed - untimed) / every;
  }
  return cost;
}

/* Decides for calls like those of the demand, which may cost `allowed` ticks together. */
static void decide(struct vs_thread *thread, const struct demand *demand, double allowed) {
  struct vs_governor *governor = &thread->governor;
  uint64_t written = thread->staging->written;
  double record =
      mean(&governor->record) + (written ? (double)governor->sealing / (double)written : 0);
  if ((demand->needed + demand->all) * record <= allowed) {
    keep_all(thread);
    return;
  }
  double light = choose_timing(thread, demand->all, allowed - demand->needed * record);
  double left = allowed - demand->needed * record - demand->all * light;
  double more = record > light ? record - light : 0; /* that keeping a call costs */
  double thinned = demand->all;
  int class = CLASSES - 1;
  for (; class > 0 && demand->calls[class] * more <= left; class --) {
    left -= demand->calls[class] * more;
    thinned -= demand->calls[class];
  }
  thin(thread, class);
  set_pause(governor, left > 0 && thinned * more > 0 ? left / (thinned * more) : 0);
}

static double clamp(double value, double least, double most) {
  return value < least ? least : value > most ? most : value;
}

void vs_governor_turn(struct vs_thread *thread, uint64_t now) {
  struct vs_governor *governor = &thread->governor;
  double passed = (double)(now - governor->last_turn);
  uint64_t out = thread->staging ? thread->staging->sampled_out - governor->sampled_told : 0;
  double cost = vs_governor_account(thread);
  double budget = vs_options.budget;
  double wait = TURN_SECONDS * first.second;
  if (!vs_options.full && budget > 0 && thread->staging) {
    struct demand demand;
    double earned = budget * passed;
    double for_start = clamp(governor->start_owed, 0, START_SHARE * earned);
    governor->start_owed -= for_start;
    earned -= for_start;
    governor->balance =
        clamp(governor->balance + earned - cost - (double)governor->tool,
              -budget * first.second * MOST_DEBT, budget * first.second * MOST_CREDIT);
    ask(governor, &demand);
    decide(thread, &demand,
           earned + (governor->balance > 0 ? governor->balance / 2 : governor->balance / 4));
    double saved = governor->balance > 0 ? governor->balance / 2 : 0;
    double records = (saved + 2 * budget * wait) / mean(&governor->record);
    governor->record_limit =
        thread->staging->written + (uint64_t)clamp(records, LEAST_RECORDS, 1e15);
    uint64_t own = vs_tick() - now;
    vs_file_add_tool_ticks(own);
    governor->tool = own;
    /* Programs with very many states must not pay for the looking itself. */
    if (wait < 10 * (double)own / budget)
      wait = 10 * (double)own / budget;
  } else {
    governor->tool = 0;
    governor->record_limit = UINT64_MAX;
    if (!vs_options.full && budget <= 0)
      choose_timing(thread, (double)out, COUNTING_BUDGET * passed);
  }
  governor->last_turn = now;
  governor->next_turn = now + (uint64_t)clamp(wait, 1, first.second);
  vs_speed_remind(thread, now);
}

void vs_governor_flip(struct vs_thread *thread) {
  struct vs_governor *governor = &thread->governor;
  if (governor->pause == 0)
    return;
  governor->left_out ^= VS_THINNED;
  governor->turn = governor->left_out & VS_THINNED ? governor->pause : VS_BURST;
  if (!(governor->left_out & VS_THINNED))
    vs_speed_remind_again(thread);
}
