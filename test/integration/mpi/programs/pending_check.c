/* Compares interceptor/mpi/pending.c with plain lists over many random starts and completions: of
 * one thread, then of three; handles that stand for several starts at a time, in crowded tables,
 * with calls left out in between (epochs), cancelled ones, and persistent ones. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate.h"
#include "pending_table.h"

#define HANDLES 700
#define MOST 12 /* starts of a handle at a time */
#define STEPS 300000

struct start {
  uint64_t number;
  uint32_t thread, epoch, flags;
  int waits;
};

static struct list {
  struct start starts[MOST];
  int count;
} lists[HANDLES];

static uint32_t epoch = 1;
static uint64_t numbers;
static long quick, slow, empty;

/* Some like addresses of objects of one size, some like small numbers. */
static uintptr_t handle_of(int i) {
  return i % 3 == 0 ? 0x98000000u + (uintptr_t)i : 0x7f0000001000u + (uintptr_t)i * 336;
}

/* Only addresses matter. */
static const struct vs_thread *thread_of(uint32_t number) {
  static const char threads[3];
  return (const struct vs_thread *)(const void *)&threads[number];
}

static void drop(struct list *list, int at) {
  memmove(&list->starts[at], &list->starts[at + 1],
          (size_t)(list->count - at - 1) * sizeof *list->starts);
  list->count--;
}

static void drop_outdated(struct list *list) {
  while (list->count > 0 && list->starts[0].epoch != epoch)
    drop(list, 0);
}

static void put(int i, uint32_t thread) {
  struct list *list = &lists[i];
  const int kind = rand() % 16;
  const uint32_t flags =
      (kind == 1 ? VS_PENDING_PERSISTENT : 0u) | (kind & 1 ? VS_PENDING_RECEIVE : 0u);
  drop_outdated(list);
  if (flags & VS_PENDING_PERSISTENT)
    list->count = 0;
  if (list->count == MOST)
    return;
  struct vs_pending *start = vs_pending_open(thread_of(thread), handle_of(i), epoch, flags);
  if (!start)
    return (void)printf("no room\n"), exit(1);
  start->start_record = numbers;
  start->start_thread = thread;
  start->bytes = numbers * 3;
  start->peer = kind == 3 ? VST_ANY_PEER : i;
  start->tag = kind == 5 ? VST_ANY_TAG : 7;
  start->communicator = thread + 10;
  start->group = NULL;
  vs_pending_close(thread_of(thread), start);
  list->starts[list->count++] =
      (struct start){numbers++, thread, epoch, flags, kind == 3 || kind == 5};
}

/* The oldest start of the thread, else the oldest: which one a completion must get; -1: none. */
static int expected(struct list *list, uint32_t thread) {
  drop_outdated(list);
  for (int at = 0; at < list->count; at++)
    if (list->starts[at].thread == thread)
      return at;
  return list->count > 0 ? 0 : -1;
}

static int same(const struct vs_pending *found, const struct start *start) {
  return found->start_record == start->number && found->bytes == start->number * 3 &&
         found->start_thread == start->thread && found->communicator == start->thread + 10 &&
         (found->flags & (VS_PENDING_RECEIVE | VS_PENDING_PERSISTENT)) == start->flags;
}

static int take(int i, uint32_t thread) {
  struct list *list = &lists[i];
  const int at = expected(list, thread);
  const uint32_t refused = rand() % 2 ? VS_PENDING_RECEIVE : 0;
  const uintptr_t handle = handle_of(i);
  if (!vs_owned_lock(&vs_pending_table.lock, thread_of(thread)))
    return 0;
  const struct vs_pending *only = vs_pending_take_only(handle, epoch, refused);
  const int well = !only || (at >= 0 && list->count == 1 && same(only, &list->starts[at]) &&
                             !(only->flags & refused) && !list->starts[at].waits);
  vs_owned_unlock(&vs_pending_table.lock, thread_of(thread));
  if (only) {
    quick++;
    list->count = 0;
    return well;
  }
  const struct vs_completer completer = {thread_of(thread), thread, epoch};
  struct vs_pending start;
  bool found;
  vs_pending_take(&completer, &handle, 1, &start, &found);
  if (at < 0) {
    empty++;
    return !found;
  }
  slow++;
  const int right = found && same(&start, &list->starts[at]);
  drop(list, at);
  return right;
}

static void cancel(int i, uint32_t thread) {
  drop_outdated(&lists[i]);
  if (lists[i].count == 0)
    return;
  vs_pending_cancel(thread_of(thread), handle_of(i));
  if (epoch == 1)
    lists[i].starts[0].waits = 1;
}

/* Starts that calls left out have made outdated may still count, until their place is used. */
static int agrees_on_waiting(void) {
  int waits = 0;
  for (int i = 0; i < HANDLES; i++)
    for (int at = 0; at < lists[i].count; at++)
      waits |= lists[i].starts[at].waits && lists[i].starts[at].epoch == epoch;
  return epoch == 1 ? vs_pending_needs_status() == waits : vs_pending_needs_status() || !waits;
}

int main(void) {
  vs_owned_barrier = vs_all_threads_see;
  if (!vs_gate_prepare())
    return 1;
  srand(1);
  for (int step = 0; step < STEPS; step++) {
    /* Few handles, so that the table is empty at times; then many. */
    const int phase = step / (STEPS / 6);
    const int i = rand() % (phase % 2 ? HANDLES : 4);
    const uint32_t thread = phase < 3 ? 0 : (uint32_t)rand() % 3;
    const int what = rand() % 1000;
    if (what < 480)
      put(i, thread);
    else if (what < 995 && !take(i, thread))
      return printf("wrong at step %d\n", step), 1;
    else if (what == 995)
      cancel(i, thread);
    else if (what == 996 && phase > 1)
      epoch += rand() % 10 == 0;
    if (step % 64 == 0 && !agrees_on_waiting())
      return printf("wrong wait for a status at step %d\n", step), 1;
  }
  for (int i = 0; i < HANDLES; i++)
    while (expected(&lists[i], 0) >= 0)
      if (!take(i, 0))
        return printf("wrong at the end\n"), 1;
  printf("agrees: %s, %s, %s\n", quick > 1000 ? "quick" : "-", slow > 1000 ? "slow" : "-",
         empty > 1000 ? "empty" : "-");
  return 0;
}
