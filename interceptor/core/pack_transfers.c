#include "pack_transfers.h"

#include <string.h>

#define NONE 0xffffffffu

enum { WORDS = VST_TRANSFER_WORDS, LONGEST_VARINT = 10, ENTRY = 5 + 1 + WORDS * LONGEST_VARINT };

/* Scratch tables. In a cell of `latest`, a hash table with open addressing, stands the latest
 * transfer with certain words, or NONE. */
struct tables {
  uint64_t (*words)[WORDS];
  uint32_t *cell; /* per transfer: its cell in `latest` */
  uint32_t *latest;
  uint32_t mask;
};

/* At most half of the cells is taken. */
static uint32_t cells_for(uint32_t count) {
  uint32_t cells = 16;
  while (cells < 2 * (uint64_t)count && cells < 0x80000000u)
    cells *= 2;
  return cells;
}

size_t vst_transfers_scratch_bytes(uint32_t count) {
  return (size_t)count * (WORDS * sizeof(uint64_t) + sizeof(uint32_t)) +
         (size_t)cells_for(count) * sizeof(uint32_t);
}

size_t vst_transfers_bound(uint32_t count) {
  return (size_t)count * ENTRY;
}

static struct tables lay_out(void *scratch, uint32_t count) {
  struct tables t = {.words = (uint64_t(*)[WORDS])scratch, .mask = cells_for(count) - 1};
  t.cell = (uint32_t *)(t.words + count);
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

static void take_words(const struct vst_transfer *transfers, uint32_t count, uint32_t thread,
                       uint64_t (*words)[WORDS]) {
  uint64_t end = count > 0 ? transfers[0].end_record : 0, foreign = 0;
  for (uint32_t i = 0; i < count; i++) {
    const struct vst_transfer *transfer = &transfers[i];
    words[i][0] = transfer->end_record - end;
    end = transfer->end_record;
    if (transfer->start_thread == thread) {
      words[i][1] = 0;
      words[i][2] = transfer->end_record - transfer->start_record;
    } else {
      words[i][1] = (uint64_t)transfer->start_thread + 1;
      words[i][2] = zigzag((int64_t)(transfer->start_record - foreign));
      foreign = transfer->start_record;
    }
    words[i][3] = transfer->flags;
    words[i][4] = zigzag(transfer->peer);
    words[i][5] = zigzag(transfer->tag);
    words[i][6] = transfer->bytes;
    words[i][7] = transfer->communicator;
  }
}

static uint32_t find_cell(const struct tables *t, const uint64_t words[WORDS]) {
  uint64_t sum = 0;
  for (int w = 0; w < WORDS; w++) {
    sum = (sum ^ words[w]) * 0x9e3779b97f4a7c15u;
    sum ^= sum >> 32;
  }
  uint32_t cell = (uint32_t)sum & t->mask;
  while (t->latest[cell] != NONE && memcmp(t->words[t->latest[cell]], words, sizeof *t->words) != 0)
    cell = (cell + 1) & t->mask;
  return cell;
}

/* Writes the words that differ from those foreseen; where none does, nothing. */
static uint8_t *put_differences(uint8_t *at, uint32_t skipped, const uint64_t *words,
                                const uint64_t *foreseen) {
  uint8_t differs = 0;
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
  static const uint64_t nothing[WORDS];
  struct tables t = lay_out(scratch, count);
  uint8_t *at = payload;
  uint32_t model = NONE, next = 0; /* next: the first transfer that an entry can be about */
  take_words(transfers, count, thread, t.words);
  for (uint32_t i = 0; i < count; i++) {
    const uint64_t *foreseen = model == NONE ? nothing : t.words[model];
    uint8_t *end = put_differences(at, i - next, t.words[i], foreseen);
    if (end == at && model != NONE) {
      t.latest[t.cell[i] = t.cell[model]] = i;
      model++;
      continue;
    }
    if (end != at)
      next = i + 1;
    at = end;
    uint32_t cell = find_cell(&t, t.words[i]), twin = t.latest[cell];
    t.latest[t.cell[i] = cell] = i;
    if (twin != NONE)
      model = twin + 1;
    else if (model != NONE)
      model++;
  }
  return (size_t)(at - payload);
}
