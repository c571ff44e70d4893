#include "pack_transfers.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define NONE 0xffffffffu

enum { WORDS = VST_TRANSFER_WORDS, LONGEST_VARINT = 10, ENTRY = 5 + 1 + WORDS * LONGEST_VARINT };

/* Words 0 and 2 of a transfer, which depend on those before it. The others are what its slot holds,
 * in another form: equal if and only if the slots' values are. */
struct relative {
  uint64_t wait, distance;
};

/* From `bytes` to `tag` a slot is three of these. */
static inline uint64_t word_of(const struct vst_transfer *transfer, size_t offset) {
  uint64_t word;
  memcpy(&word, (const char *)transfer + offset, sizeof word);
  return word;
}

enum { FIRST = offsetof(struct vst_transfer, bytes), SECOND = FIRST + 8, THIRD = FIRST + 16 };
_Static_assert(THIRD + 8 == offsetof(struct vst_transfer, communicator), "no padding");

/* Scratch tables. In a cell of `latest`, a hash table with open addressing, stands the latest
 * transfer with certain words, or NONE. */
struct tables {
  const struct vst_transfer *transfers;
  struct relative *relative; /* per transfer */
  uint32_t *cell;            /* per transfer: its cell in `latest` */
  uint32_t *latest;
  uint32_t mask;
  uint32_t thread;  /* that completed them */
  uint64_t foreign; /* start_record of the latest one that another thread started */
};

/* At most half of the cells is taken. */
static uint32_t cells_for(uint32_t count) {
  uint32_t cells = 16;
  while (cells < 2 * (uint64_t)count && cells < 0x80000000u)
    cells *= 2;
  return cells;
}

size_t vst_transfers_scratch_bytes(uint32_t count) {
  return (size_t)count * (sizeof(struct relative) + sizeof(uint32_t)) +
         (size_t)cells_for(count) * sizeof(uint32_t);
}

size_t vst_transfers_bound(uint32_t count) {
  return (size_t)count * ENTRY;
}

static struct tables lay_out(void *scratch, const struct vst_transfer *transfers, uint32_t count,
                             uint32_t thread) {
  struct tables t = {.transfers = transfers,
                     .relative = (struct relative *)scratch,
                     .mask = cells_for(count) - 1,
                     .thread = thread};
  t.cell = (uint32_t *)(t.relative + count);
  t.latest = t.cell + count;
  memset(t.latest, 0xff, ((size_t)t.mask + 1) * sizeof *t.latest);
  return t;
}

static uint64_t zigzag(int64_t value) {
  return ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0);
}

static uint8_t *put_varint(uint8_t *at, uint64_t value) {
  while (value >= 0x80) {
    *at++ = (uint8_t)(value | 0x80);
    value >>= 7;
  }
  *at++ = (uint8_t)value;
  return at;
}

static void take_relative(struct tables *t, uint32_t i) {
  const struct vst_transfer *transfer = &t->transfers[i];
  struct relative *relative = &t->relative[i];
  relative->wait = i > 0 ? transfer->end_record - transfer[-1].end_record : 0;
  if (transfer->start_thread == t->thread) {
    relative->distance = transfer->end_record - transfer->start_record;
  } else {
    relative->distance = zigzag((int64_t)(transfer->start_record - t->foreign));
    t->foreign = transfer->start_record;
  }
}

static void take_words(const struct tables *t, uint32_t i, uint64_t words[WORDS]) {
  const struct vst_transfer *transfer = &t->transfers[i];
  words[0] = t->relative[i].wait;
  words[1] = transfer->start_thread == t->thread ? 0 : (uint64_t)transfer->start_thread + 1;
  words[2] = t->relative[i].distance;
  words[3] = transfer->flags;
  words[4] = zigzag(transfer->peer);
  words[5] = zigzag(transfer->tag);
  words[6] = transfer->bytes;
  words[7] = transfer->communicator;
}

/* Whether all words are equal. Nearly all transfers are asked, and most are: without branches. */
static inline bool equal(const struct tables *t, uint32_t i, uint32_t j) {
  const struct vst_transfer *a = &t->transfers[i], *b = &t->transfers[j];
  const struct relative *x = &t->relative[i], *y = &t->relative[j];
  return ((x->wait ^ y->wait) | (x->distance ^ y->distance) |
          (word_of(a, FIRST) ^ word_of(b, FIRST)) | (word_of(a, SECOND) ^ word_of(b, SECOND)) |
          (word_of(a, THIRD) ^ word_of(b, THIRD)) | (a->communicator ^ b->communicator)) == 0;
}

static uint32_t find_cell(const struct tables *t, uint32_t i) {
  const struct vst_transfer *transfer = &t->transfers[i];
  const uint64_t parts[] = {t->relative[i].wait,      t->relative[i].distance,
                            word_of(transfer, FIRST), word_of(transfer, SECOND),
                            word_of(transfer, THIRD), transfer->communicator};
  uint64_t sum = 0;
  for (size_t part = 0; part < sizeof parts / sizeof *parts; part++) {
    sum = (sum ^ parts[part]) * 0x9e3779b97f4a7c15u;
    sum ^= sum >> 32;
  }
  uint32_t cell = (uint32_t)sum & t->mask;
  while (t->latest[cell] != NONE && !equal(t, t->latest[cell], i))
    cell = (cell + 1) & t->mask;
  return cell;
}

/* Writes the words that differ from those foreseen; where none does, nothing. */
static uint8_t *put_differences(uint8_t *at, const struct tables *t, uint32_t skipped, uint32_t i,
                                uint32_t model) {
  uint64_t words[WORDS], foreseen[WORDS] = {0};
  uint8_t differs = 0;
  take_words(t, i, words);
  if (model != NONE)
    take_words(t, model, foreseen);
  for (int w = 0; w < WORDS; w++)
    differs |= (uint8_t)((words[w] != foreseen[w]) << w);
  if (!differs)
    return at;
  at = put_varint(at, skipped);
  *at++ = differs;
  for (int w = 0; w < WORDS; w++)
    if (differs >> w & 1)
      at = put_varint(at, words[w]);
  return at;
}

size_t vst_pack_transfers(const struct vst_transfer *transfers, uint32_t count, uint32_t thread,
                          void *scratch, uint8_t *payload) {
  struct tables t = lay_out(scratch, transfers, count, thread);
  uint8_t *at = payload;
  uint32_t model = NONE, next = 0; /* next: the first transfer that an entry can be about */
  for (uint32_t i = 0; i < count; i++) {
    take_relative(&t, i);
    if (model != NONE && equal(&t, i, model)) {
      t.latest[t.cell[i] = t.cell[model]] = i;
      model++;
      continue;
    }
    uint8_t *end = put_differences(at, &t, i - next, i, model);
    if (end != at)
      next = i + 1;
    at = end;
    uint32_t cell = find_cell(&t, i), twin = t.latest[cell];
    t.latest[t.cell[i] = cell] = i;
    if (twin != NONE)
      model = twin + 1;
    else if (model != NONE)
      model++;
  }
  return (size_t)(at - payload);
}
