#define _GNU_SOURCE 1
#include "file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "clock.h"
#include "crc32c.h"
#include "gate.h"
#include "governor.h"
#include "options.h"
#include "space.h"

/* Allocated and mapped at a time. */
#define WINDOW_BYTES (1u << 20)

/* Longest text of a PROBLEM block. */
#define PROBLEM_BYTES 400u

/* Kept free at a window's end for what must still be said when recording breaks off. */
#define RESERVE_BYTES                                                                              \
  (3 * sizeof(struct vst_block) + PROBLEM_BYTES + 8 + sizeof(struct vst_clock) +                   \
   sizeof(struct vst_staging))

static struct {
  struct vs_space space;
  struct vst_header *header; /* mapped for the life of the process */
  uint8_t *window;
  uint64_t window_offset; /* in the file, of the window's first byte */
  size_t window_bytes;
  uint64_t last_clock; /* tick of the last CLOCK block */
} file;

_Atomic bool vs_file_full;

static uint64_t page_down(uint64_t offset) {
  return offset & ~((uint64_t)sysconf(_SC_PAGESIZE) - 1);
}

static uint64_t page_up(uint64_t offset) {
  return page_down(offset + (uint64_t)sysconf(_SC_PAGESIZE) - 1);
}

static uint64_t padded(uint64_t bytes) {
  return (bytes + VST_ALIGN - 1) / VST_ALIGN * VST_ALIGN;
}

static uint64_t committed(void) {
  return file.header->committed;
}

static void commit(uint64_t end) {
  __atomic_store_n(&file.header->committed, end, __ATOMIC_RELEASE);
}

static void set_state(enum vst_process_state state) {
  __atomic_store_n(&file.header->process_state, (uint32_t)state, __ATOMIC_RELEASE);
}

static bool fits(uint64_t bytes) {
  return committed() + bytes <= file.window_offset + file.window_bytes;
}

/* What of the largest size allowed is kept for definitions, when records have taken the rest. */
#define DEFINITION_BYTES 65536u

/* Kept for the end of the file. */
#define END_BYTES                                                                                  \
  (RESERVE_BYTES + sizeof(struct vst_block) + sizeof(struct vst_clock) +                           \
   2 * sizeof(struct vst_block))

/* Bytes that blocks of a type may fill the file up to; 0: no limit. */
static uint64_t limit_for(uint16_t type) {
  uint64_t most = vs_options.max_trace_bytes, kept = END_BYTES;
  if (most == 0 || type == VST_BLOCK_CLOCK || type == VST_BLOCK_PROBLEM || type == VST_BLOCK_END)
    return 0;
  if (type == VST_BLOCK_FRAGMENTS)
    kept += most / 4 < DEFINITION_BYTES ? most / 4 : DEFINITION_BYTES;
  return most > kept + 1 ? most - kept : 1;
}

/* Moves the window so that `bytes` and the reserve fit behind what is committed. */
static int move_window(uint64_t bytes) {
  uint64_t offset = page_down(committed());
  uint64_t needed = page_up(committed() + bytes + RESERVE_BYTES) - offset;
  size_t length = needed > WINDOW_BYTES ? (size_t)needed : WINDOW_BYTES;
  uint64_t most = page_up(vs_options.max_trace_bytes);
  if (most > 0 && offset + length > most)
    length = (size_t)(offset + needed > most ? needed : most - offset);
  void *window;
  int error = vs_space_allocate(&file.space, offset + length);
  if (error == 0)
    error = vs_space_map(&file.space, offset, length, &window);
  if (error != 0)
    return error;
  if (file.window)
    munmap(file.window, file.window_bytes);
  file.window = window;
  file.window_offset = offset;
  file.window_bytes = length;
  return 0;
}

/* Writes a block that is known to fit. Bytes behind `committed` are still zero, so padding is too.
 */
static void put_block(struct vst_block *block, const struct vs_part *parts, unsigned part_count) {
  uint8_t *start = file.window + (committed() - file.window_offset);
  uint8_t *at = start + sizeof *block;
  block->magic = VST_BLOCK_MAGIC;
  block->reserved = 0;
  block->checksum = 0;
  block->payload_bytes = 0;
  for (unsigned i = 0; i < part_count; i++) {
    if (parts[i].bytes > 0)
      memcpy(at, parts[i].data, parts[i].bytes);
    at += parts[i].bytes;
    block->payload_bytes += (uint32_t)parts[i].bytes;
  }
  block->checksum = vst_block_checksum(block, start + sizeof *block);
  memcpy(start, block, sizeof *block);
  commit(committed() + padded(sizeof *block + block->payload_bytes));
}

static void put_clock(void) {
  struct vst_block block = {.type = VST_BLOCK_CLOCK};
  struct vst_clock reading;
  struct vs_part part = {&reading, sizeof reading};
  vs_clock_read(&reading);
  put_block(&block, &part, 1);
  file.last_clock = reading.tick;
}

/* The reserve belongs to this and to vs_file_add_counters. */
static void break_off(const char *what, int error) {
  struct vst_block block = {.type = VST_BLOCK_PROBLEM};
  char text[PROBLEM_BYTES];
  vs_set_mode(VS_COUNTING);
  set_state(VST_STOPPED);
  const char *reason = error == ESTALE ? "another file took its place" : strerror(error);
  snprintf(text, sizeof text, "recording stopped: cannot %s the trace file: %s", what, reason);
  struct vs_part part = {text, strlen(text) + 1};
  put_block(&block, &part, 1);
  put_clock();
}

/* From now on calls are counted and not recorded. Nothing is lost: the user wanted it so. */
static void reach_limit(void) {
  if (vs_file_limited())
    return;
  atomic_store_explicit(&vs_file_full, true, memory_order_relaxed);
  atomic_fetch_or(&vs_left_out, VS_THINNABLE);
  vs_file_append_problem("the trace file reached its largest size (--max-trace): later calls are "
                         "counted, not recorded");
}

/* Sees to it that a block with this payload and the reserve fit; false when recording is over. */
static bool make_room(uint16_t type, uint64_t payload_bytes) {
  uint64_t bytes = padded(sizeof(struct vst_block) + payload_bytes);
  if (file.header->process_state != VST_RUNNING)
    return false;
  if (limit_for(type) > 0 && committed() + bytes > limit_for(type)) {
    reach_limit();
    return false;
  }
  if (payload_bytes > UINT32_MAX - 2 * sizeof(struct vst_block))
    return false;
  if (fits(bytes + RESERVE_BYTES))
    return true;
  int error = move_window(bytes);
  if (error != 0)
    break_off("enlarge", error);
  return error == 0;
}

bool vs_file_append(struct vst_block *block, const struct vs_part *parts, unsigned part_count) {
  uint64_t bytes = 0;
  for (unsigned i = 0; i < part_count; i++)
    bytes += parts[i].bytes;
  if (!make_room(block->type, bytes))
    return false;
  put_block(block, parts, part_count);
  return true;
}

bool vs_file_append_clock(uint64_t interval) {
  if (interval > 0 && vs_tick() - file.last_clock < interval)
    return true;
  if (vs_file_limited() && interval > 0)
    return true; /* the file must not grow by these */
  if (!make_room(VST_BLOCK_CLOCK, sizeof(struct vst_clock)))
    return false;
  put_clock();
  return true;
}

bool vs_file_append_problem(const char *text) {
  struct vst_block block = {.type = VST_BLOCK_PROBLEM};
  size_t length = strcspn(text, "\r\n");
  if (length >= PROBLEM_BYTES)
    length = PROBLEM_BYTES - 1;
  struct vs_part parts[] = {{text, length}, {"", 1}};
  return vs_file_append(&block, parts, 2);
}

static struct vst_block staging_block(uint32_t thread, uint32_t capacity) {
  return (struct vst_block){
      .magic = VST_BLOCK_MAGIC,
      .type = VST_BLOCK_STAGING,
      .payload_bytes =
          (uint32_t)(sizeof(struct vst_staging) + capacity * sizeof(struct vst_record)),
      .thread = thread,
  };
}

void *vs_file_add_mapped(struct vst_block *block, const struct vs_part *head) {
  void *memory;
  if (!make_room(block->type, block->payload_bytes))
    return NULL;
  uint64_t end = committed() + padded(sizeof *block + block->payload_bytes);
  uint64_t from = page_down(committed());
  int error = vs_space_map(&file.space, from, (size_t)(page_up(end) - from), &memory);
  if (error != 0) {
    break_off("map", error);
    return NULL;
  }
  uint8_t *start = (uint8_t *)memory + (committed() - from);
  memcpy(start, block, sizeof *block);
  memcpy(start + sizeof *block, head->data, head->bytes);
  commit(end);
  return start + sizeof *block;
}

/* Slots of a thread may take a quarter of what the size limit leaves. */
static uint32_t affordable(uint32_t capacity) {
  uint64_t most = limit_for(VST_BLOCK_STAGING);
  if (most == 0)
    return capacity;
  uint64_t left = most > committed() ? (most - committed()) / 4 : 0;
  while (capacity > 0 && capacity * sizeof(struct vst_record) > left)
    capacity /= 2;
  return capacity;
}

struct vst_staging *vs_file_add_staging(uint32_t thread, uint32_t capacity) {
  capacity = affordable(capacity);
  struct vst_block block = staging_block(thread, capacity);
  struct vst_staging staging = {.capacity = capacity};
  return vs_file_add_mapped(&block, &(struct vs_part){&staging, sizeof staging});
}

struct vst_transfer_staging *vs_file_add_transfers(uint32_t thread, uint32_t capacity) {
  struct vst_block block = {
      .magic = VST_BLOCK_MAGIC,
      .type = VST_BLOCK_TRANSFER_STAGING,
      .payload_bytes =
          (uint32_t)(sizeof(struct vst_transfer_staging) + capacity * sizeof(struct vst_transfer)),
      .thread = thread,
  };
  struct vst_transfer_staging staging = {.capacity = capacity};
  return vs_file_add_mapped(&block, &(struct vs_part){&staging, sizeof staging});
}

struct vst_counts *vs_file_add_counts(uint32_t thread, uint32_t capacity) {
  struct vst_block block = {
      .magic = VST_BLOCK_MAGIC,
      .type = VST_BLOCK_COUNTS,
      .payload_bytes = (uint32_t)(sizeof(struct vst_counts) + capacity * sizeof(struct vst_count)),
      .thread = thread,
  };
  struct vst_counts counts = {.capacity = capacity};
  return vs_file_add_mapped(&block, &(struct vs_part){&counts, sizeof counts});
}

struct vst_staging *vs_file_add_counters(uint32_t thread) {
  struct vst_block block = staging_block(thread, 0);
  if (!fits(sizeof block + block.payload_bytes))
    return NULL;
  uint8_t *start = file.window + (committed() - file.window_offset);
  memcpy(start, &block, sizeof block);
  commit(committed() + sizeof block + block.payload_bytes);
  return (void *)(start + sizeof block);
}

void vs_file_add_tool_ticks(uint64_t ticks) {
  if (!file.header)
    return;
  __atomic_fetch_add(&file.header->tool_ticks, ticks, __ATOMIC_RELAXED);
}

uint64_t vs_file_tool_ticks(void) {
  return file.header ? __atomic_load_n(&file.header->tool_ticks, __ATOMIC_RELAXED) : 0;
}

void vs_file_add_call_ticks(uint64_t ticks) {
  __atomic_fetch_add(&file.header->call_ticks, ticks, __ATOMIC_RELAXED);
}

uint64_t vs_file_ticks_per_second(void) {
  return file.header->ticks_per_second;
}

void vs_file_set_call_cost(uint64_t picoseconds) {
  file.header->call_cost_picoseconds = picoseconds;
}

/* Checksum of the fixed part as it will be once the magic is in. */
static uint32_t fixed_checksum(const struct vst_header *header) {
  struct vst_header complete = *header;
  memcpy(complete.magic, VST_MAGIC, sizeof complete.magic);
  return vst_crc32c(0, &complete, offsetof(struct vst_header, committed));
}

/* The magic comes last: until then a reader sees a file that is not yet a trace. */
static void write_header(const struct vs_job *job, uint64_t init_exit_tick) {
  struct vst_header *header = file.header;
  header->byte_order = VST_BYTE_ORDER;
  header->major = VST_MAJOR;
  header->minor = VST_MINOR;
  header->header_bytes = VST_HEADER_BYTES;
  header->clock_kind = vs_clock.kind;
  header->tick_shift = vs_clock.tick_shift;
  header->pid = (uint32_t)getpid();
  header->ticks_per_second = vs_clock_ticks_per_second();
  header->job_id = job->job_id;
  header->world_rank = job->world_rank;
  header->world_size = job->world_size;
  header->init_exit_tick = init_exit_tick;
  set_state(VST_RUNNING);
  commit(VST_HEADER_BYTES);
  header->fixed_checksum = fixed_checksum(header);
  uint64_t magic;
  memcpy(&magic, VST_MAGIC, sizeof magic);
  __atomic_store_n((uint64_t *)(void *)header->magic, magic, __ATOMIC_RELEASE);
}

static int create_at(const char *directory, const struct vs_job *job, bool with_job) {
  int length;
  if (with_job) {
    length = snprintf(file.space.path, sizeof file.space.path, "%s/%llx-%d.vst", directory,
                      (unsigned long long)job->job_id, job->world_rank);
  } else {
    length =
        snprintf(file.space.path, sizeof file.space.path, "%s/%d.vst", directory, job->world_rank);
  }
  if (length < 0 || (size_t)length >= sizeof file.space.path)
    return ENAMETOOLONG;
  return vs_space_create(&file.space);
}

static int map_header_and_window(void) {
  void *header;
  int error = vs_space_allocate(&file.space, VST_HEADER_BYTES + WINDOW_BYTES);
  if (error == 0)
    error = vs_space_map(&file.space, 0, VST_HEADER_BYTES, &header);
  if (error != 0)
    return error;
  file.header = header;
  file.header->committed = VST_HEADER_BYTES;
  return move_window(0);
}

bool vs_file_create(const char *directory, const struct vs_job *job, char *problem,
                    size_t problem_bytes) {
  uint64_t init_exit_tick = job->init_exit_tick ? job->init_exit_tick : vs_tick();
  int error = create_at(directory, job, false);
  if (error == EEXIST)
    error = create_at(directory, job, true);
  if (error == 0 && (error = map_header_and_window()) != 0)
    vs_file_abandon();
  if (error != 0) {
    snprintf(problem, problem_bytes, "cannot create the trace file %s: %s", file.space.path,
             strerror(error));
    return false;
  }
  write_header(job, init_exit_tick);
  return true;
}

void vs_file_close(void) {
  struct vst_block block = {.type = VST_BLOCK_END};
  bool complete = vs_file_append_clock(0) && vs_file_append(&block, NULL, 0);
  if (complete)
    set_state(VST_FINALIZED);
  /* Counters in the window may still be in use after recording broke off. */
  if (complete) {
    munmap(file.window, file.window_bytes);
    file.window = NULL;
    file.window_bytes = 0;
  }
  vs_space_trim(&file.space, committed());
}

void vs_file_abandon(void) {
  file.header = NULL;
  unlink(file.space.path);
}
