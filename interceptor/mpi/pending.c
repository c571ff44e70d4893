#define _GNU_SOURCE 1
#include "pending.h"

#include <stddef.h>
#include <sys/mman.h>

#include "pending_table.h"
#include "trace_format.h"

#define NONE VS_PENDING_NONE
#define MOST_ENTRIES 32768u
#define FIRST_ENTRIES 512u

/* Starts of one handle that are looked at for one of the completing thread. */
#define MOST_STEPS 256u

#define table vs_pending_table

struct vs_pending_table vs_pending_table = {.free = NONE};

/* The slot of a handle, or the free one where it would go. */
static uint32_t locate(uintptr_t handle) {
  uint32_t at = vs_pending_home(handle);
  while (table.slots[at].first != NONE && table.slots[at].handle != handle)
    at = (at + 1) & table.mask;
  return at;
}

/* Frees a slot; those behind it move up, so that no search ends too early. */
static void remove_slot(uint32_t hole) {
  for (uint32_t at = (hole + 1) & table.mask; table.slots[at].first != NONE;
       at = (at + 1) & table.mask) {
    uint32_t wanted = vs_pending_home(table.slots[at].handle);
    if (((at - wanted) & table.mask) < ((at - hole) & table.mask))
      continue;
    table.slots[hole] = table.slots[at];
    hole = at;
  }
  table.slots[hole].first = NONE;
}

/* Takes the oldest start out of a slot that has one; true if it was the last. */
static bool pop(uint32_t at) {
  struct vs_pending_slot *slot = &table.slots[at];
  uint32_t gone = slot->first;
  struct vs_pending_entry *entry = &table.entries[gone];
  bool last = entry->next == NONE;
  if (entry->start.flags & VS_PENDING_WAITS)
    vs_pending_count_waiting(-1);
  if (last)
    remove_slot(at);
  else
    slot->first = entry->next;
  vs_pending_give_back(gone);
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
  struct vs_pending_entry *entries = map(capacity * sizeof *entries);
  struct vs_pending_slot *slots = entries ? map(2 * capacity * sizeof *slots) : NULL,
                         *old = table.slots;
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

/* Nothing that a start of this handle is to stand behind: of another epoch, or of a persistent
 * request, which has one start at a time. */
static __attribute__((noinline)) uint32_t pop_outdated(uintptr_t handle, uint32_t at,
                                                       uint32_t epoch, uint32_t flags) {
  while (table.slots[at].first != NONE &&
         ((flags & VS_PENDING_PERSISTENT) ||
          table.entries[table.slots[at].first].start.epoch != epoch))
    if (pop(at))
      at = locate(handle);
  return at;
}

static struct vs_pending *put(uintptr_t handle, uint32_t epoch, uint32_t flags) {
  uint32_t fresh = take_free(epoch);
  if (fresh == NONE)
    return NULL;
  uint32_t at = locate(handle);
  if (table.slots[at].first != NONE)
    at = pop_outdated(handle, at, epoch, flags);
  struct vs_pending_slot *slot = &table.slots[at];
  struct vs_pending_entry *entry = &table.entries[fresh];
  entry->start.epoch = epoch;
  entry->start.flags = flags;
  entry->next = NONE;
  if (slot->first == NONE) {
    slot->handle = handle;
    slot->first = fresh;
  } else {
    table.entries[slot->last].next = fresh;
  }
  slot->last = fresh;
  return &entry->start;
}

struct vs_pending *vs_pending_open_slowly(const struct vs_thread *thread, uintptr_t handle,
                                          uint32_t epoch, uint32_t flags) {
  struct vs_pending *start = put(handle, epoch, flags);
  if (!start)
    vs_owned_unlock(&table.lock, thread);
  return start;
}

/* Takes the oldest start of a thread out from behind the first one of a slot. False if there is
 * none: then the first one is as good as any. */
static __attribute__((noinline)) bool take_behind(struct vs_pending_slot *slot, uint32_t thread,
                                                  uint32_t epoch, struct vs_pending *start) {
  uint32_t before = slot->first;
  for (uint32_t i = 0; i < MOST_STEPS; i++) {
    uint32_t at = table.entries[before].next;
    if (at == NONE)
      return false;
    struct vs_pending_entry *entry = &table.entries[at];
    if (entry->start.start_thread != thread || entry->start.epoch != epoch) {
      before = at;
      continue;
    }
    *start = entry->start;
    if (start->flags & VS_PENDING_WAITS)
      vs_pending_count_waiting(-1);
    table.entries[before].next = entry->next;
    if (slot->last == at)
      slot->last = before;
    vs_pending_give_back(at);
    return true;
  }
  return false;
}

static bool take(uintptr_t handle, uint32_t thread, uint32_t epoch, struct vs_pending *start) {
  for (uint32_t at = locate(handle); table.slots[at].first != NONE;) {
    const struct vs_pending_entry *first = &table.entries[table.slots[at].first];
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

uint32_t vs_pending_take(const struct vs_completer *completer, const uintptr_t *handles,
                         uint32_t count, struct vs_pending *starts, bool *found) {
  uint32_t taken = 0;
  bool there = vs_owned_lock(&table.lock, completer->thread);
  for (uint32_t i = 0; i < count; i++) {
    found[i] =
        there && table.slots && take(handles[i], completer->number, completer->epoch, &starts[i]);
    taken += found[i];
  }
  if (there)
    vs_owned_unlock(&table.lock, completer->thread);
  return taken;
}

void vs_pending_cancel(const struct vs_thread *thread, uintptr_t handle) {
  if (!vs_owned_lock(&table.lock, thread))
    return;
  uint32_t at = table.slots ? locate(handle) : 0;
  if (table.slots && table.slots[at].first != NONE) {
    struct vs_pending *start = &table.entries[table.slots[at].first].start;
    if (!(start->flags & VS_PENDING_WAITS))
      vs_pending_count_waiting(1);
    start->flags |= VS_PENDING_CANCELLED | VS_PENDING_WAITS;
  }
  vs_owned_unlock(&table.lock, thread);
}
