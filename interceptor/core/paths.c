#define _GNU_SOURCE 1
#include "paths.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "file.h"
#include "gate.h"
#include "lock.h"
#include "modules.h"
#include "options.h"
#include "unwind.h"

/* Programs that recurse in ever new ways have paths without end: so many are told apart. */
#define MOST_PATHS 16384u

/* Ways of addresses that lead to them; more, as libraries come and go. */
#define MOST_CHAINS (4 * MOST_PATHS)

#define RANGES 4u
#define MOST_RANGE_SEARCHES 16384u
#define WALK_SLOTS 64u

/* Calls that a signal handler may make before the walk it broke into counts as left. */
#define MOST_INSIDE 64u

/* A walk made before. Followed by its vs_seen: as many as can be seen at the frames asked for. */
struct known {
  uintptr_t site, sp, fp; /* site 0: free */
  uint32_t generation, path, seen_count;
  bool used_fp;
  struct vs_seen seen[];
};

struct vs_path_cache {
  pthread_t owner;     /* threads take over the records of earlier ones */
  uintptr_t walking;   /* stack pointer of the walk that is going on, or 0 */
  uint32_t inside;     /* calls made while it goes on */
  uint32_t generation; /* that `rules` are of */
  uint32_t searches, next_range;
  size_t bytes, known_bytes; /* of the whole, of one struct known */
  struct vs_stack_range range[RANGES];
  struct vs_rules rules;
  uint64_t known[]; /* WALK_SLOTS struct known */
};

/* Raised when a library goes: another one may come to the same addresses. */
static _Atomic uint32_t generation = 1;
static struct vs_table chains; /* hash of generation and addresses -> path */
static struct vs_table paths;  /* hash of modules and offsets -> path */
static uint32_t path_count;
static bool limit_told;

void vs_paths_forget(void) {
  atomic_fetch_add(&generation, 1);
}

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

static size_t known_bytes(uint32_t frames) {
  return offsetof(struct known, seen) +
         2 * (size_t)(frames + VS_MOST_OWN_FRAMES) * sizeof(struct vs_seen);
}

static struct vs_path_cache *make_cache(struct vs_thread *thread) {
  const size_t slot = known_bytes(vs_options.call_path_frames);
  const size_t bytes = offsetof(struct vs_path_cache, known) + WALK_SLOTS * slot;
  struct vs_path_cache *cache =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (cache == MAP_FAILED)
    return NULL;
  cache->bytes = bytes;
  cache->known_bytes = slot;
  thread->paths = cache;
  return cache;
}

void vs_path_cache_free(struct vs_thread *thread) {
  struct vs_path_cache *cache = thread->paths;
  thread->paths = NULL;
  if (cache)
    munmap(cache, cache->bytes);
}

static struct known *slot_of(struct vs_path_cache *cache, uintptr_t site, uintptr_t sp) {
  const uint64_t hash = (site ^ sp << 16) * 0x9e3779b97f4a7c15u;
  return (void *)((char *)cache->known + (hash >> 58) * cache->known_bytes);
}
_Static_assert(WALK_SLOTS == 1u << (64 - 58), "slot_of takes that many bits of the hash");

static inline bool is_of(const struct known *known, uintptr_t site, const struct vs_frame *start) {
  return known->site == site && known->sp == start->sp &&
         (!known->used_fp || known->fp == start->fp) &&
         known->generation == atomic_load_explicit(&generation, memory_order_acquire);
}

/* From the innermost on: as long as all is as it was, the next place is one that a frame has. */
static __attribute__((no_sanitize("address"))) bool holds(const struct known *known) {
  for (uint32_t i = 0; i < known->seen_count; i++)
    if (*known->seen[i].place != known->seen[i].value)
      return false;
  return true;
}

static const struct vs_stack_range *range_of(struct vs_path_cache *cache, uintptr_t sp) {
  for (unsigned i = 0; i < RANGES; i++)
    if (sp >= cache->range[i].low && sp < cache->range[i].high)
      return &cache->range[i];
  struct vs_stack_range found;
  if (cache->searches >= MOST_RANGE_SEARCHES)
    return NULL;
  cache->searches++;
  if (!vs_stack_range_find(sp, &found))
    return NULL;
  struct vs_stack_range *range = &cache->range[cache->next_range++ % RANGES];
  *range = found;
  return range;
}

/* Once: the lock is taken by every caller, so that this needs no more. Under the lock. */
static void tell_limit(void) {
  char text[120];
  if (limit_told)
    return;
  limit_told = true;
  snprintf(text, sizeof text,
           "more than %u call paths: calls on later ones are known by their site alone",
           path_count);
  vs_file_append_problem(text);
}

/* Module and offset of each frame. Takes both the linker's lock and ours, one after the other. */
static bool name_frames(const struct vs_walk *walk, struct vst_frame *frames) {
  for (uint32_t i = 0; i < walk->frames; i++) {
    struct vs_module module = {.path = "[no module]"};
    struct vs_lock lock;
    const uintptr_t address = walk->address[i];
    const bool known = vs_module_find((const void *)address, &module);
    vs_lock(&lock);
    frames[i].module = vs_module_number(&module);
    frames[i].reserved = 0;
    frames[i].offset = known ? address - module.base : 0;
    vs_unlock(&lock);
    if (frames[i].module == VS_NOT_FOUND)
      return false;
  }
  return true;
}

/* Number of a path; new ones are written. Under the lock. */
static uint32_t number(const struct vst_frame *frames, uint32_t count) {
  struct vs_key key = {.call = count};
  for (uint32_t i = 0; i < count; i++)
    key.address = mix(mix(key.address, frames[i].module), frames[i].offset);
  uint32_t found = vs_table_find(&paths, key);
  if (found != VS_NOT_FOUND)
    return found;
  if (path_count == MOST_PATHS) {
    tell_limit();
    return VS_NOT_FOUND;
  }
  struct vst_path head = {.path = path_count, .frames = count};
  struct vst_block block = {.type = VST_BLOCK_PATH};
  struct vs_part parts[] = {{&head, sizeof head}, {frames, count * sizeof *frames}};
  if (!vs_file_append(&block, parts, 2) || !vs_table_insert(&paths, key, path_count))
    return VS_NOT_FOUND;
  return path_count++;
}

static struct vs_key chain_key(const struct vs_walk *walk, uint32_t since) {
  struct vs_key key = {.call = walk->frames, .scope = since};
  for (uint32_t i = 0; i < walk->frames; i++)
    key.address = mix(key.address, walk->address[i]);
  return key;
}

static __attribute__((noinline)) uint32_t define(const struct vs_walk *walk, struct vs_key key) {
  struct vst_frame frames[VS_MOST_FRAMES];
  struct vs_lock lock;
  if (vs_mode() != VS_RECORDING || !name_frames(walk, frames))
    return VS_NOT_FOUND;
  vs_lock(&lock);
  uint32_t path = VS_NOT_FOUND;
  if (chains.used < MOST_CHAINS)
    path = number(frames, walk->frames);
  else
    tell_limit();
  if (path != VS_NOT_FOUND && vs_table_find(&chains, key) == VS_NOT_FOUND)
    vs_table_insert(&chains, key, path);
  vs_unlock(&lock);
  return path;
}

/* The walk itself, and its result kept. Apart, because of the room it needs. */
static __attribute__((noinline)) uint32_t walk(struct vs_thread *thread, struct vs_frame start,
                                               uintptr_t site, struct known *known) {
  struct vs_path_cache *cache = thread->paths;
  const struct vs_stack_range *range = range_of(cache, start.sp);
  const uint32_t since = atomic_load_explicit(&generation, memory_order_acquire);
  struct vs_walk way;
  if (cache->generation != since) {
    memset(&cache->rules, 0, sizeof cache->rules);
    cache->generation = since;
  }
  if (!range || !vs_unwind(&cache->rules, range, start, site, vs_options.call_path_frames, &way))
    return VS_NOT_FOUND;
  const struct vs_key key = chain_key(&way, since);
  uint32_t path =
      thread->number == VS_NO_THREAD ? VS_CALIBRATION_PATH : vs_table_find(&chains, key);
  if (path == VS_NOT_FOUND)
    path = define(&way, key);
  if (path == VS_NOT_FOUND)
    return path;
  known->site = 0; /* a signal handler that breaks in finds it free */
  atomic_signal_fence(memory_order_seq_cst);
  known->sp = start.sp;
  known->fp = start.fp;
  known->generation = since;
  known->path = path;
  known->used_fp = way.used_fp;
  known->seen_count = way.seen_count;
  memcpy(known->seen, way.seen, way.seen_count * sizeof *way.seen);
  atomic_signal_fence(memory_order_seq_cst);
  known->site = site;
  return path;
}

/* A new thread has another stack, though it may have taken over the record of an earlier one. */
static void start_over(struct vs_path_cache *cache) {
  cache->owner = pthread_self();
  cache->walking = 0;
  cache->searches = 0;
  memset(cache->range, 0, sizeof cache->range);
}

/* True if a signal handler broke into a walk of this thread. Unless that walk was left by longjmp:
 * stacks grow downwards, so a call from above it proves that; and so many calls from below are
 * taken to. */
static bool inside_walk(struct vs_path_cache *cache, uintptr_t sp) {
  if (__builtin_expect(cache->walking == 0, 1))
    return false;
  const struct vs_stack_range *range = range_of(cache, sp);
  const bool same_stack = range && cache->walking >= range->low && cache->walking < range->high;
  return (!same_stack || sp < cache->walking) && ++cache->inside < MOST_INSIDE;
}

__attribute__((noinline)) uint32_t vs_path_find(struct vs_thread *thread, const void *site) {
  struct vs_frame start = {0};
  struct vs_path_cache *cache = thread->paths;
#ifdef __x86_64__
  __asm__ volatile("leaq 0f(%%rip), %0\n0:\tmovq %%rsp, %1\n\tmovq %%rbp, %2"
                   : "=&a"(start.pc), "=&c"(start.sp), "=&d"(start.fp));
#else
  return VS_NOT_FOUND;
#endif
  if (__builtin_expect(!cache, 0) && !(cache = make_cache(thread)))
    return VS_NOT_FOUND;
  if (__builtin_expect(cache->owner != pthread_self(), 0))
    start_over(cache);
  struct known *known = slot_of(cache, (uintptr_t)site, start.sp);
  uint32_t path = known->path;
  if (__builtin_expect(is_of(known, (uintptr_t)site, &start) && holds(known), 1)) {
    /* Unless a signal handler has made a walk meanwhile that took the place of this one. */
    atomic_signal_fence(memory_order_seq_cst);
    if (is_of(known, (uintptr_t)site, &start))
      return path;
  }
  if (inside_walk(cache, start.sp))
    return VS_NOT_FOUND;
  const int error = errno;
  cache->walking = start.sp;
  cache->inside = 0;
  atomic_signal_fence(memory_order_seq_cst);
  path = walk(thread, start, (uintptr_t)site, known);
  atomic_signal_fence(memory_order_seq_cst);
  cache->walking = 0;
  errno = error;
  return path;
}

void vs_paths_prepare(void) {
  struct vs_stack_range range;
  const char *problem = NULL;
  if (vs_options.call_path_frames == 0)
    return;
#ifndef __x86_64__
  problem =
      "no call paths: their stacks can be walked on x86-64 only; calls are known by their site";
#endif
  if (!problem && !vs_stack_range_find((uintptr_t)&range, &range))
    problem = "no call paths: /proc/self/maps cannot be read; calls are known by their site";
  if (!problem)
    return;
  vs_options.call_path_frames = 0;
  vs_report_problem(problem);
}
