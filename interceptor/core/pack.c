#include "pack.h"

#include <string.h>

#define NO_SLOT 0xffffffffu

/* Longest varints: 64 bits take 10 bytes, 33 and fewer take 5. A pair's skip count never takes more
 * bytes than it skips records plus one, so one byte a record covers all skips of a column. */
enum {
  WIDE = 10,
  NARROW = 5,
  SKIP = 1,
  RECORD_BOUND = 2 * WIDE + 4 * (SKIP + NARROW) + (SKIP + WIDE) + (SKIP + 2 * NARROW),
};

/*
 * Scratch tables. States are numbered again from 0 in order of appearance in the block ("slots"),
 * so that what is kept per state is dense, however large the file's state numbers are.
 */
struct tables {
  uint64_t *last;   /* per slot: coded value of the last record, one column at a time */
  uint32_t *state;  /* per slot: its state */
  uint32_t *next;   /* per slot: slot that followed it last, or NO_SLOT */
  uint32_t *slot;   /* per record: slot of its state */
  uint32_t *hashed; /* open addressing: slot or NO_SLOT */
  uint32_t hash_mask;
  uint32_t slots;
};

static uint32_t hash_size(uint32_t count) {
  uint32_t size = 16;
  while (size < 2 * (uint64_t)count && size < 0x80000000u)
    size *= 2;
  return size;
}

size_t vst_pack_scratch_bytes(uint32_t count) {
  return (size_t)count * (sizeof(uint64_t) + 3 * sizeof(uint32_t)) +
         (size_t)hash_size(count) * sizeof(uint32_t);
}

size_t vst_pack_bound(uint32_t count) {
  return VST_FRAGMENT_COLUMNS * sizeof(uint32_t) + (size_t)count * RECORD_BOUND;
}

static struct tables lay_out(void *scratch, uint32_t count) {
  struct tables t;
  t.last = (uint64_t *)scratch;
  t.state = (uint32_t *)(t.last + count);
  t.next = t.state + count;
  t.slot = t.next + count;
  t.hashed = t.slot + count;
  t.hash_mask = hash_size(count) - 1;
  t.slots = 0;
  memset(t.hashed, 0xff, ((size_t)t.hash_mask + 1) * sizeof *t.hashed);
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

static uint32_t slot_of(struct tables *t, uint32_t state) {
  uint32_t i = (state * 0x9e3779b1u) >> 7 & t->hash_mask;
  while (t->hashed[i] != NO_SLOT) {
    if (t->state[t->hashed[i]] == state)
      return t->hashed[i];
    i = (i + 1) & t->hash_mask;
  }
  t->hashed[i] = t->slots;
  t->state[t->slots] = state;
  t->next[t->slots] = NO_SLOT;
  return t->slots++;
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

static uint8_t *pack_states(uint8_t *at, const struct vst_record *records, uint32_t count,
                            struct tables *t) {
  uint8_t *column = at = open_column(at);
  uint32_t before = NO_SLOT, expected = NO_SLOT, skipped = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t state = records[i].state;
    uint32_t forecast = expected == NO_SLOT ? 0 : t->state[expected];
    uint32_t slot = expected != NO_SLOT && forecast == state ? expected : slot_of(t, state);
    if (state == forecast) {
      skipped++;
    } else {
      at = put_varint(put_varint(at, skipped), state);
      skipped = 0;
    }
    if (before != NO_SLOT)
      t->next[before] = slot;
    t->slot[i] = slot;
    before = slot;
    expected = t->next[slot];
  }
  close_column(column, at);
  return at;
}

typedef uint64_t coded_value(const struct vst_record *record);
typedef uint8_t *value_writer(uint8_t *at, uint64_t coded);

static uint64_t coded_communicator(const struct vst_record *record) {
  return (uint32_t)(record->communicator + 1);
}

static uint64_t coded_peer(const struct vst_record *record) {
  return zigzag(record->peer);
}

static uint64_t coded_tag(const struct vst_record *record) {
  return zigzag(record->tag);
}

static uint64_t coded_bytes(const struct vst_record *record) {
  return record->bytes;
}

static uint64_t coded_requests(const struct vst_record *record) {
  return (uint64_t)record->requests << 32 | record->completed;
}

static uint8_t *put_requests(uint8_t *at, uint64_t coded) {
  uint64_t requests = coded >> 32, completed = coded & 0xffffffffu;
  at = put_varint(at, requests * 2 + (completed != requests));
  return completed == requests ? at : put_varint(at, completed);
}

static inline __attribute__((always_inline)) uint8_t *
pack_values(uint8_t *at, const struct vst_record *records, uint32_t count, const struct tables *t,
            coded_value *code, value_writer *put) {
  uint8_t *column = at = open_column(at);
  uint32_t skipped = 0;
  memset(t->last, 0, t->slots * sizeof *t->last);
  for (uint32_t i = 0; i < count; i++) {
    uint64_t coded = code(&records[i]);
    uint64_t *last = &t->last[t->slot[i]];
    if (coded == *last) {
      skipped++;
      continue;
    }
    *last = coded;
    at = put(put_varint(at, skipped), coded);
    skipped = 0;
  }
  close_column(column, at);
  return at;
}

size_t vst_pack(const struct vst_record *records, uint32_t count, uint64_t previous_exit,
                void *scratch, uint8_t *payload) {
  struct tables t = lay_out(scratch, count);
  uint8_t *at = pack_times(payload, records, count, previous_exit);
  at = pack_states(at, records, count, &t);
  at = pack_values(at, records, count, &t, coded_communicator, put_varint);
  at = pack_values(at, records, count, &t, coded_peer, put_varint);
  at = pack_values(at, records, count, &t, coded_tag, put_varint);
  at = pack_values(at, records, count, &t, coded_bytes, put_varint);
  at = pack_values(at, records, count, &t, coded_requests, put_requests);
  return (size_t)(at - payload);
}
