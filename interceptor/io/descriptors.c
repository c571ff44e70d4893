#define _GNU_SOURCE 1
#include "descriptors.h"

#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "files.h"
#include "lock.h"

/* Descriptors in tables of two levels; no system allows more. */
#define CHUNK 1024u
#define CHUNKS 1024u
#define SLAB_BYTES 65536u

typedef struct vs_description *_Atomic slot;

static slot *_Atomic chunks[CHUNKS];
static struct vs_description *unused;

static slot *slot_of(int fd) {
  if (fd < 0 || (unsigned)fd >= CHUNK * CHUNKS)
    return NULL;
  slot *chunk = atomic_load_explicit(&chunks[(unsigned)fd / CHUNK], memory_order_acquire);
  return chunk ? &chunk[(unsigned)fd % CHUNK] : NULL;
}

static void *memory(size_t bytes) {
  void *got = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return got == MAP_FAILED ? NULL : got;
}

/* Under the lock. */
static slot *make_slot(int fd) {
  if (fd < 0 || (unsigned)fd >= CHUNK * CHUNKS)
    return NULL;
  if (!slot_of(fd)) {
    slot *chunk = memory(CHUNK * sizeof *chunk);
    if (!chunk)
      return NULL;
    atomic_store_explicit(&chunks[(unsigned)fd / CHUNK], chunk, memory_order_release);
  }
  return slot_of(fd);
}

/* Under the lock. Memory never goes back: another thread may still look at it. */
static struct vs_description *make_description(void) {
  if (!unused) {
    struct vs_description *slab = memory(SLAB_BYTES);
    for (size_t i = 0; slab && i < SLAB_BYTES / sizeof *slab; i++) {
      slab[i].free = unused;
      unused = &slab[i];
    }
  }
  struct vs_description *made = unused;
  if (made)
    unused = made->free;
  return made;
}

/* Under the lock. */
static void release(struct vs_description *description) {
  if (!description || --description->descriptors > 0)
    return;
  description->free = unused;
  unused = description;
}

/* Makes `fd` lead to `description`, or nowhere. Under the lock. */
static void put(int fd, struct vs_description *description) {
  slot *place = description ? make_slot(fd) : slot_of(fd);
  if (!place) {
    if (description && description->descriptors == 0)
      description->descriptors = 1, release(description);
    return;
  }
  if (description)
    description->descriptors++;
  release(atomic_exchange_explicit(place, description, memory_order_acq_rel));
}

struct vs_description *vs_io_known(int fd) {
  slot *place = slot_of(fd);
  return place ? atomic_load_explicit(place, memory_order_acquire) : NULL;
}

static struct vs_description *note(int fd, int64_t position) {
  struct vs_io_file file;
  struct vs_lock lock;
  if (!vs_io_identify(fd, &file))
    return NULL;
  vs_lock(&lock);
  struct vs_description *made = make_description();
  if (made) {
    made->file = file.number;
    made->seekable = file.seekable;
    made->append = file.append;
    made->descriptors = 0;
    atomic_store_explicit(&made->position, position, memory_order_relaxed);
    atomic_store_explicit(&made->last, position, memory_order_relaxed);
    atomic_store_explicit(&made->stream, position, memory_order_relaxed);
    atomic_store_explicit(&made->pending, VST_ACCESS_ON, memory_order_relaxed);
    put(fd, made);
  }
  vs_unlock(&lock);
  return made;
}

struct vs_description *vs_io_description(int fd, bool *fresh) {
  struct vs_description *known = vs_io_known(fd);
  *fresh = !known;
  return known || fd < 0 ? known : note(fd, VS_IO_UNKNOWN);
}

struct vs_description *vs_io_opened(int fd) {
  return note(fd, 0);
}

void vs_io_duplicated(int from, int fd) {
  struct vs_lock lock;
  vs_lock(&lock);
  struct vs_description *shared = vs_io_known(from);
  if (from != fd)
    put(fd, shared);
  vs_unlock(&lock);
}

uint32_t vs_io_forget(int fd) {
  struct vs_lock lock;
  if (!vs_io_known(fd))
    return VST_NO_COMMUNICATOR;
  vs_lock(&lock);
  struct vs_description *known = vs_io_known(fd);
  uint32_t file = known ? known->file : VST_NO_COMMUNICATOR;
  put(fd, NULL);
  vs_unlock(&lock);
  return file;
}

void vs_io_forget_range(unsigned first, unsigned last) {
  for (unsigned fd = first; fd <= last && fd < CHUNK * CHUNKS; fd++) {
    if (!atomic_load_explicit(&chunks[fd / CHUNK], memory_order_acquire))
      fd |= CHUNK - 1; /* on to the next chunk */
    else
      vs_io_forget((int)fd);
  }
}

static int32_t pattern(int64_t last, int64_t start) {
  if (last < 0 || start < 0)
    return VST_ACCESS_UNKNOWN;
  if (start == last)
    return VST_ACCESS_ON;
  return start > last ? VST_ACCESS_FORWARD : VST_ACCESS_BACKWARD;
}

int32_t vs_io_access(struct vs_description *description, int fd, int64_t bytes, int64_t offset,
                     bool write, bool fresh) {
  if (!description || !description->seekable)
    return VST_ACCESS_UNKNOWN;
  if (bytes < 0)
    bytes = 0;
  if (write && description->append) {
    atomic_store_explicit(&description->position, VS_IO_UNKNOWN, memory_order_relaxed);
    atomic_store_explicit(&description->last, VS_IO_UNKNOWN, memory_order_relaxed);
    return fresh ? VST_ACCESS_UNKNOWN : VST_ACCESS_ON;
  }
  int64_t start = offset;
  if (offset == VS_IO_HERE) {
    start = atomic_load_explicit(&description->position, memory_order_relaxed);
    if (start == VS_IO_UNKNOWN) {
      off_t now = lseek(fd, 0, SEEK_CUR);
      start = now < bytes ? VS_IO_UNKNOWN : now - bytes;
    }
    if (start != VS_IO_UNKNOWN)
      atomic_store_explicit(&description->position, start + bytes, memory_order_relaxed);
  }
  int64_t last = start == VS_IO_UNKNOWN ? VS_IO_UNKNOWN : start + bytes;
  last = atomic_exchange_explicit(&description->last, last, memory_order_relaxed);
  return fresh ? VST_ACCESS_UNKNOWN : pattern(last, start);
}

void vs_io_skip(int fd, int64_t bytes, int64_t offset) {
  struct vs_description *description = vs_io_known(fd);
  if (!description || bytes < 0)
    return;
  int64_t start = offset;
  if (offset == VS_IO_HERE)
    start = atomic_load_explicit(&description->position, memory_order_relaxed);
  int64_t end = start == VS_IO_UNKNOWN ? VS_IO_UNKNOWN : start + bytes;
  if (offset == VS_IO_HERE)
    atomic_store_explicit(&description->position, end, memory_order_relaxed);
  atomic_store_explicit(&description->last, end, memory_order_relaxed);
}

void vs_io_lose_position(int fd) {
  struct vs_description *description = vs_io_known(fd);
  if (description)
    atomic_store_explicit(&description->position, VS_IO_UNKNOWN, memory_order_relaxed);
}

int32_t vs_io_moved(struct vs_description *description, int64_t position) {
  if (!description || !description->seekable || position < 0)
    return VST_ACCESS_UNKNOWN;
  atomic_store_explicit(&description->position, position, memory_order_relaxed);
  return pattern(atomic_load_explicit(&description->last, memory_order_relaxed), position);
}

int32_t vs_io_stream_access(struct vs_description *description, int64_t bytes, bool fresh) {
  if (!description || !description->seekable)
    return VST_ACCESS_UNKNOWN;
  /* The descriptor moves when the stream's buffer is filled or emptied: nobody knows when. */
  atomic_store_explicit(&description->position, VS_IO_UNKNOWN, memory_order_relaxed);
  int64_t at = atomic_load_explicit(&description->stream, memory_order_relaxed);
  if (at == VS_IO_UNKNOWN) {
    int32_t found = atomic_load_explicit(&description->pending, memory_order_relaxed);
    atomic_store_explicit(&description->pending, VST_ACCESS_ON, memory_order_relaxed);
    return fresh ? VST_ACCESS_UNKNOWN : found;
  }
  int64_t end = at + (bytes > 0 ? bytes : 0);
  atomic_store_explicit(&description->stream, end, memory_order_relaxed);
  return pattern(atomic_exchange_explicit(&description->last, end, memory_order_relaxed), at);
}

int32_t vs_io_stream_moved(struct vs_description *description, int64_t offset, int from) {
  if (!description || !description->seekable)
    return VST_ACCESS_UNKNOWN;
  int64_t at = atomic_load_explicit(&description->stream, memory_order_relaxed);
  int64_t to = VS_IO_UNKNOWN;
  if (from == SEEK_SET)
    to = offset;
  else if (from == SEEK_CUR && at != VS_IO_UNKNOWN)
    to = at + offset;
  int32_t found = pattern(atomic_load_explicit(&description->last, memory_order_relaxed), to);
  if (from == SEEK_CUR && at == VS_IO_UNKNOWN)
    found = pattern(1, 1 + (offset > 0) - (offset < 0));
  atomic_store_explicit(&description->stream, to, memory_order_relaxed);
  atomic_store_explicit(&description->position, VS_IO_UNKNOWN, memory_order_relaxed);
  atomic_store_explicit(&description->pending, found, memory_order_relaxed);
  return found;
}
