#include "pack.h"

#include <stdbool.h>
#include <string.h>

#define NONE 0xffffffffu

/* Longest varints: 64 bits take 10 bytes, 33 and fewer take 5. A pair's skip count never takes more
 * bytes than it skips records plus one, so one byte a record covers all skips of a column. */
enum {
  WIDE = 10,
  NARROW = 5,
  SKIP = 1,
  RECORD_BOUND = 2 * WIDE + 5 * (SKIP + NARROW) + (SKIP + WIDE) + (SKIP + 2 * NARROW),
};

/* What a record is worth beside its times and what was left out before it: from `bytes` to
 * `completed`. */
enum { VALUES_AT = offsetof(struct vst_record, bytes), VALUES = 32 };
_Static_assert(VALUES_AT + VALUES == offsetof(struct vst_record, skipped), "no padding");

/* Columns in which a record is not as foreseen. */
enum { STATE = 1, COMMUNICATOR = 2, PEER = 4, TAG = 8, BYTES = 16, REQUESTS = 32 };

/*
 * Scratch tables. `kinds` and `states` are hash tables with open addressing: in a cell stands the
 * latest record of one kind (equal records are of one kind) or of one state, or NONE.
 */
struct tables {
  uint32_t *kinds, *states;
  uint32_t *kind, *state; /* per record: its cell in each of them */
  uint32_t *missed;       /* records that are not as foreseen, in order */
  uint8_t *differs;       /* and in which columns */
  uint32_t misses;
  uint32_t hash_mask;
};

/* At most a quarter of the cells is taken, so that nearly every search ends at the first. */
static uint32_t hash_size(uint32_t count) {
  uint32_t size = 16;
  while (size < 4 * (uint64_t)count && size < 0x80000000u)
    size *= 2;
  return size;
}

size_t vst_pack_scratch_bytes(uint32_t count) {
  return 2 * (size_t)hash_size(count) * sizeof(uint32_t) +
         (size_t)count * (3 * sizeof(uint32_t) + sizeof(uint8_t));
}

size_t vst_pack_bound(uint32_t count) {
  return VST_FRAGMENT_COLUMNS * sizeof(uint32_t) + (size_t)count * RECORD_BOUND;
}

static struct tables lay_out(void *scratch, uint32_t count) {
  struct tables t;
  uint32_t cells = hash_size(count);
  t.kinds = (uint32_t *)scratch;
  t.states = t.kinds + cells;
  t.kind = t.states + cells;
  t.state = t.kind + count;
  t.missed = t.state + count;
  t.differs = (uint8_t *)(t.missed + count);
  t.misses = 0;
  t.hash_mask = cells - 1;
  memset(t.kinds, 0xff, 2 * (size_t)cells * sizeof *t.kinds);
  return t;
}

static uint8_t *put_varint(uint8_t *at, uint64_t value) {
  while (value >= 0x80) {
    *at++ = (uint8_t)(value | 0x80);
    value >>= 7;
  }
  *at++ = (uint8_t)value;
  return at;
}

static uint32_t zigzag(int32_t value) {
  return ((uint32_t)value << 1) ^ (value < 0 ? 0xffffffffu : 0);
}

/* A column starts with its length, which is known only at its end. */
static uint8_t *open_column(uint8_t *at) {
  return at + sizeof(uint32_t);
}

static void close_column(uint8_t *opened, const uint8_t *end) {
  uint32_t bytes = (uint32_t)(end - opened);
  memcpy(opened - sizeof bytes, &bytes, sizeof bytes);
}

static bool equal(const struct vst_record *a, const struct vst_record *b) {
  return memcmp((const char *)a + VALUES_AT, (const char *)b + VALUES_AT, VALUES) == 0;
}

static uint32_t mix(const struct tables *t, uint64_t sum) {
  return (uint32_t)((sum ^ sum >> 29) * 0x9e3779b97f4a7c15u >> 32) & t->hash_mask;
}

static uint32_t kind_cell(const struct tables *t, const struct vst_record *records,
                          const struct vst_record *record) {
  uint64_t part[VALUES / 8];
  memcpy(part, (const char *)record + VALUES_AT, VALUES);
  uint32_t cell = mix(t, part[0] * 0xd6e8feb86659fd93u + part[1] * 0xa0761d6478bd642fu +
                             part[2] * 0xe7037ed1a0b428dbu + part[3] * 0x8ebc6af09c88c6e3u);
  while (t->kinds[cell] != NONE && !equal(&records[t->kinds[cell]], record))
    cell = (cell + 1) & t->hash_mask;
  return cell;
}

static uint32_t state_cell(const struct tables *t, const struct vst_record *records,
                           uint32_t state) {
  uint32_t cell = mix(t, state);
  while (t->states[cell] != NONE && records[t->states[cell]].state != state)
    cell = (cell + 1) & t->hash_mask;
  return cell;
}

static uint8_t *pack_times(uint8_t *at, const struct vst_record *records, uint32_t count,
                           uint64_t previous_exit) {
  uint8_t *gaps = at = open_column(at);
  for (uint32_t i = 0; i < count; i++) {
    at = put_varint(at, records[i].enter - previous_exit);
    previous_exit = records[i].exit;
  }
  close_column(gaps, at);
  uint8_t *durations = at = open_column(at);
  for (uint32_t i = 0; i < count; i++)
    at = put_varint(at, records[i].exit - records[i].enter);
  close_column(durations, at);
  return at;
}

static uint8_t differences(const struct vst_record *a, const struct vst_record *b) {
  return (uint8_t)((a->communicator != b->communicator ? COMMUNICATOR : 0) |
                   (a->peer != b->peer ? PEER : 0) | (a->tag != b->tag ? TAG : 0) |
                   (a->bytes != b->bytes ? BYTES : 0) |
                   (a->requests != b->requests || a->completed != b->completed ? REQUESTS : 0));
}

/* Takes in record i, which is not equal to its model, and returns the model of the next record. */
static uint32_t miss(struct tables *t, const struct vst_record *records, uint32_t i,
                     uint32_t model) {
  static const struct vst_record nothing = {.communicator = VST_NO_COMMUNICATOR};
  const struct vst_record *record = &records[i];
  bool same_state = model != NONE && records[model].state == record->state;
  uint32_t state = same_state ? t->state[model] : state_cell(t, records, record->state);
  uint32_t kind = kind_cell(t, records, record);
  uint32_t last = t->states[state], twin = t->kinds[kind];
  uint32_t like = same_state ? model : last;
  uint8_t differs = differences(record, like == NONE ? &nothing : &records[like]);
  if (model == NONE ? record->state != 0 : !same_state)
    differs |= STATE;
  if (differs) {
    t->missed[t->misses] = i;
    t->differs[t->misses++] = differs;
  }
  t->state[i] = state;
  t->kind[i] = kind;
  t->states[state] = t->kinds[kind] = i;
  if (twin != NONE)
    return twin + 1;
  if (like != NONE)
    return like + 1;
  return NONE;
}

/* Finds out which records are not as foreseen. */
static void foresee(struct tables *t, const struct vst_record *records, uint32_t count) {
  uint32_t model = NONE;
  for (uint32_t i = 0; i < count; i++) {
    if (model == NONE || !equal(&records[i], &records[model])) {
      model = miss(t, records, i, model);
      continue;
    }
    uint32_t state = t->state[i] = t->state[model], kind = t->kind[i] = t->kind[model];
    t->states[state] = t->kinds[kind] = i;
    model++;
  }
}

typedef uint8_t *value_writer(uint8_t *at, const struct vst_record *record);

static uint8_t *put_state(uint8_t *at, const struct vst_record *record) {
  return put_varint(at, record->state);
}

static uint8_t *put_communicator(uint8_t *at, const struct vst_record *record) {
  return put_varint(at, (uint32_t)(record->communicator + 1));
}

static uint8_t *put_peer(uint8_t *at, const struct vst_record *record) {
  return put_varint(at, zigzag(record->peer));
}

static uint8_t *put_tag(uint8_t *at, const struct vst_record *record) {
  return put_varint(at, zigzag(record->tag));
}

static uint8_t *put_bytes(uint8_t *at, const struct vst_record *record) {
  return put_varint(at, record->bytes);
}

static uint8_t *put_requests(uint8_t *at, const struct vst_record *record) {
  uint64_t requests = record->requests;
  at = put_varint(at, requests * 2 + (record->completed != requests));
  return record->completed == requests ? at : put_varint(at, record->completed);
}

static inline __attribute__((always_inline)) uint8_t *
pack_misses(uint8_t *at, const struct vst_record *records, const struct tables *t, uint8_t column,
            value_writer *put) {
  uint8_t *opened = at = open_column(at);
  uint32_t next = 0; /* first record that the next pair can be about */
  for (uint32_t m = 0; m < t->misses; m++) {
    if (!(t->differs[m] & column))
      continue;
    at = put(put_varint(at, t->missed[m] - next), &records[t->missed[m]]);
    next = t->missed[m] + 1;
  }
  close_column(opened, at);
  return at;
}

static uint8_t *pack_skipped(uint8_t *at, const struct vst_record *records, uint32_t count) {
  uint8_t *opened = at = open_column(at);
  uint32_t next = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (records[i].skipped == 0)
      continue;
    at = put_varint(put_varint(at, i - next), records[i].skipped);
    next = i + 1;
  }
  close_column(opened, at);
  return at;
}

size_t vst_pack(const struct vst_record *records, uint32_t count, uint64_t previous_exit,
                void *scratch, uint8_t *payload) {
  struct tables t = lay_out(scratch, count);
  foresee(&t, records, count);
  uint8_t *at = pack_times(payload, records, count, previous_exit);
  at = pack_misses(at, records, &t, STATE, put_state);
  at = pack_misses(at, records, &t, COMMUNICATOR, put_communicator);
  at = pack_misses(at, records, &t, PEER, put_peer);
  at = pack_misses(at, records, &t, TAG, put_tag);
  at = pack_misses(at, records, &t, BYTES, put_bytes);
  at = pack_misses(at, records, &t, REQUESTS, put_requests);
  at = pack_skipped(at, records, count);
  return (size_t)(at - payload);
}
