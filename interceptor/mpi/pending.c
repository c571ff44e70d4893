#define _GNU_SOURCE 1
#include "pending.h"

#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "trace_format.h"

#define NONE UINT32_MAX
#define MOST_ENTRIES 32768u
#define FIRST_ENTRIES 512u

/* Starts of one handle that are looked at for one of the completing thread. */
#define MOST_STEPS 256u

/* Attempts before the lock is given up: tens of milliseconds at least. */
#define ATTEMPTS 100000u

struct entry {
  struct vs_pending start;
  uint32_t next; /* start of the same handle, or free entry */
};

/* Open addressing with linear probing; `first` NONE: free. Twice as many slots as entries. */
struct slot {
  uintptr_t handle;
  uint32_t first, last;
};

static struct {
  struct slot *slots;
  struct entry *entries;
  uint32_t mask;
  uint32_t capacity, used; /* entries; those from `used` on were never in use */
  uint32_t free;
} table = {.free = NONE};

static _Atomic uint32_t locked, abandoned, waiting_for_status;

static __attribute__((noinline)) bool lock_slowly(void) {
  for (uint32_t i = 0; i < ATTEMPTS; i++) {
    if (atomic_load_explicit(&abandoned, memory_order_relaxed))
      return false;
    if (!atomic_load_explicit(&locked, memory_order_relaxed) &&
        !atomic_exchange_explicit(&locked, 1, memory_order_acquire))
      return true;
    if (i >= 100)
      sched_yield();
  }
  atomic_store(&abandoned, 1);
  return false;
}

static inline bool lock(void) {
  if (__builtin_expect(!atomic_exchange_explicit(&locked, 1, memory_order_acquire), 1))
    return true;
  return lock_slowly();
}

static inline void unlock(void) {
  atomic_store_explicit(&locked, 0, memory_order_release);
}

static uint32_t home(uintptr_t handle) {
  return (uint32_t)((uint64_t)handle * 0x9e3779b97f4a7c15u >> 32) & table.mask;
}

/* The slot of a handle, or the free one where it would go. */
static uint32_t locate(uintptr_t handle) {
  uint32_t at = home(handle);
  while (table.slots[at].first != NONE && table.slots[at].handle != handle)
    at = (at + 1) & table.mask;
  return at;
}

/* Frees a slot; those behind it move up, so that no search ends too early. */
static void remove_slot(uint32_t hole) {
  for (uint32_t at = (hole + 1) & table.mask; table.slots[at].first != NONE;
       at = (at + 1) & table.mask) {
    uint32_t wanted = home(table.slots[at].handle);
    if (((at - wanted) & table.mask) < ((at - hole) & table.mask))
      continue;
    table.slots[hole] = table.slots[at];
    hole = at;
  }
  table.slots[hole].first = NONE;
}

static bool needs_status(const struct vs_pending *start) {
  return (start->flags & VS_PENDING_CANCELLED) || start->peer == VST_ANY_PEER ||
         start->tag == VST_ANY_TAG;
}

static void count_waiting(int32_t change) {
  atomic_fetch_add_explicit(&waiting_for_status, (uint32_t)change, memory_order_relaxed);
}

/* Takes the oldest start out of a slot that has one; true if it was the last. */
static bool pop(uint32_t at) {
  struct slot *slot = &table.slots[at];
  uint32_t gone = slot->first;
  struct entry *entry = &table.entries[gone];
  bool last = entry->next == NONE;
  if (needs_status(&entry->start))
    count_waiting(-1);
  if (last)
    remove_slot(at);
  else
    slot->first = entry->next;
  entry->next = table.free;
  table.free = gone;
  return last;
}

static void *map(size_t bytes) {
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

/* Makes room for twice as many entries; they keep their numbers. */
static bool grow(void) {
  uint32_t capacity = table.capacity ? 2 * table.capacity : FIRST_ENTRIES;
  uint32_t size = table.capacity ? table.mask + 1 : 0;
  if (capacity > MOST_ENTRIES)
    return false;
  struct entry *entries = map(capacity * sizeof *entries);
  struct slot *slots = entries ? map(2 * capacity * sizeof *slots) : NULL, *old = table.slots;
  if (!slots) {
    if (entries)
      munmap(entries, capacity * sizeof *entries);
    return false;
  }
  for (uint32_t i = 0; i < table.used; i++)
    entries[i] = table.entries[i];
  if (table.entries)
    munmap(table.entries, table.capacity * sizeof *entries);
  table.entries = entries;
  table.capacity = capacity;
  table.slots = slots;
  table.mask = 2 * capacity - 1;
  for (uint32_t i = 0; i <= table.mask; i++)
    slots[i].first = NONE;
  for (uint32_t i = 0; i < size; i++)
    if (old[i].first != NONE)
      slots[locate(old[i].handle)] = old[i];
  if (old)
    munmap(old, size * sizeof *old);
  return true;
}

/* Forgets starts of other epochs. Removing moves slots, so a place is looked at until it stays. */
static void sweep(uint32_t epoch) {
  for (uint32_t at = 0; at <= table.mask; at++)
    while (table.slots[at].first != NONE &&
           table.entries[table.slots[at].first].start.epoch != epoch)
      pop(at);
}

static uint32_t take_free(uint32_t epoch) {
  if (table.free == NONE && table.used == table.capacity && !grow() && table.capacity)
    sweep(epoch);
  uint32_t taken = table.free;
  if (taken != NONE)
    table.free = table.entries[taken].next;
  else if (table.used < table.capacity)
    taken = table.used++;
  return taken;
}

static void put(uintptr_t handle, const struct vs_pending *start) {
  uint32_t fresh = take_free(start->epoch);
  if (fresh == NONE)
    return;
  uint32_t at = locate(handle);
  while (table.slots[at].first != NONE &&
         ((start->flags & VS_PENDING_PERSISTENT) ||
          table.entries[table.slots[at].first].start.epoch != start->epoch))
    if (pop(at))
      at = locate(handle);
  struct slot *slot = &table.slots[at];
  struct entry *entry = &table.entries[fresh];
  entry->start = *start;
  entry->next = NONE;
  if (slot->first == NONE) {
    slot->handle = handle;
    slot->first = fresh;
  } else {
    table.entries[slot->last].next = fresh;
  }
  slot->last = fresh;
  if (needs_status(start))
    count_waiting(1);
}

void vs_pending_put(uintptr_t handle, const struct vs_pending *start) {
  if (!lock())
    return;
  put(handle, start);
  unlock();
}

/* Takes the oldest start of a thread out from behind the first one of a slot. False if there is
 * none: then the first one is as good as any. */
static __attribute__((noinline)) bool take_behind(struct slot *slot, uint32_t thread,
                                                  uint32_t epoch, struct vs_pending *start) {
  uint32_t before = slot->first;
  for (uint32_t i = 0; i < MOST_STEPS; i++) {
    uint32_t at = table.entries[before].next;
    if (at == NONE)
      return false;
    struct entry *entry = &table.entries[at];
    if (entry->start.start_thread != thread || entry->start.epoch != epoch) {
      before = at;
      continue;
    }
    *start = entry->start;
    if (needs_status(start))
      count_waiting(-1);
    table.entries[before].next = entry->next;
    if (slot->last == at)
      slot->last = before;
    entry->next = table.free;
    table.free = at;
    return true;
  }
  return false;
}

static bool take(uintptr_t handle, uint32_t thread, uint32_t epoch, struct vs_pending *start) {
  for (uint32_t at = locate(handle); table.slots[at].first != NONE;) {
    const struct entry *first = &table.entries[table.slots[at].first];
    if (first->start.epoch == epoch && first->start.start_thread != thread && first->next != NONE &&
        take_behind(&table.slots[at], thread, epoch, start))
      return true;
    *start = first->start;
    bool last = pop(at);
    if (start->epoch == epoch)
      return true;
    if (last)
      break;
  }
  return false;
}

void vs_pending_take(const uintptr_t *handles, uint32_t count, uint32_t thread, uint32_t epoch,
                     struct vs_pending *starts, bool *found) {
  bool there = lock();
  for (uint32_t i = 0; i < count; i++)
    found[i] = there && table.slots && take(handles[i], thread, epoch, &starts[i]);
  if (there)
    unlock();
}

void vs_pending_cancel(uintptr_t handle) {
  if (!lock())
    return;
  uint32_t at = table.slots ? locate(handle) : 0;
  if (table.slots && table.slots[at].first != NONE) {
    struct vs_pending *start = &table.entries[table.slots[at].first].start;
    if (!needs_status(start))
      count_waiting(1);
    start->flags |= VS_PENDING_CANCELLED;
  }
  unlock();
}

bool vs_pending_needs_status(void) {
  return atomic_load_explicit(&waiting_for_status, memory_order_relaxed) != 0;
}
