#include "fragments.h"

#include <cstring>
#include <new>

#include "limits.h"
#include "varint.h"

namespace varscope {
namespace {

constexpr uint32_t kNone = UINT32_MAX; // number of a record that no block has

// One of the columns 2 to 7: pairs (records skipped, value) for what cannot be foreseen.
struct SparseColumn {
  Cursor cursor;
  uint32_t next = kNone; // record that the next pair is about
  bool broken = false;

  void start(uint32_t count) {
    advance(0, count);
  }

  // Reads the skip of the pair that follows; `from` is the first record it can be about.
  void advance(uint32_t from, uint32_t count) {
    if (cursor.atEnd()) {
      next = kNone;
      return;
    }
    uint64_t skipped;
    if (!cursor.take(skipped) || skipped >= count - from) {
      broken = true;
      next = kNone;
      return;
    }
    next = from + static_cast<uint32_t>(skipped);
  }

  uint64_t value(uint64_t most) {
    uint64_t taken = 0;
    if (!cursor.take(taken) || taken > most)
      broken = true;
    return taken;
  }
};

bool openColumns(const uint8_t *payload, size_t bytes, Cursor (&columns)[VST_FRAGMENT_COLUMNS]) {
  for (Cursor &column : columns) {
    uint32_t length;
    if (bytes < sizeof length)
      return false;
    std::memcpy(&length, payload, sizeof length);
    payload += sizeof length;
    bytes -= sizeof length;
    if (length > bytes)
      return false;
    column = Cursor(payload, length);
    payload += length;
    bytes -= length;
  }
  return bytes == 0;
}

void takeRequests(SparseColumn &column, vst_record &record) {
  const uint64_t coded = column.value(uint64_t{UINT32_MAX} * 2 + 1);
  record.requests = static_cast<uint32_t>(coded >> 1);
  record.completed =
      (coded & 1) != 0 ? static_cast<uint32_t>(column.value(UINT32_MAX)) : record.requests;
}

} // namespace

FragmentDecoder::Memory &FragmentDecoder::memoryOf(uint32_t state) {
  Memory &memory = memories_[state];
  if (memory.block != block_) {
    memory = Memory{};
    memory.block = block_;
    memory.last.communicator = VST_NO_COMMUNICATOR;
  }
  return memory;
}

const char *FragmentDecoder::decode(const vst_block &head, const uint8_t *payload,
                                    std::vector<vst_record> &records) {
  // Every record takes a byte of gap and one of duration.
  if (head.count > kMaxBlockRecords || uint64_t{head.count} * 2 > head.payload_bytes)
    return "it is too short for its records";
  const size_t before = records.size();
  records.resize(before + head.count);
  if (++block_ == 0) { // numbers of blocks start over: forget everything
    memories_.assign(memories_.size(), Memory{});
    block_ = 1;
  }
  const char *reason = decodeRecords(head, payload, records.data() + before);
  if (reason != nullptr)
    records.resize(before);
  return reason;
}

const char *FragmentDecoder::decodeRecords(const vst_block &head, const uint8_t *payload,
                                           vst_record *records) {
  Cursor columns[VST_FRAGMENT_COLUMNS];
  if (!openColumns(payload, head.payload_bytes, columns))
    return "its columns do not fill it";
  SparseColumn state, communicator, peer, tag, bytes, requests;
  SparseColumn *sparse[] = {&state, &communicator, &peer, &tag, &bytes, &requests};
  for (size_t i = 0; i < 6; ++i) {
    sparse[i]->cursor = columns[i + 2];
    sparse[i]->start(head.count);
  }
  Memory nowhere{};
  Memory *previous = &nowhere;
  const auto states = static_cast<uint32_t>(memories_.size());
  uint64_t exit = head.previous_exit;
  for (uint32_t i = 0; i < head.count; ++i) {
    uint64_t gap, duration;
    if (!columns[0].take(gap) || !columns[1].take(duration))
      return "a time is missing or broken";
    vst_record record;
    uint32_t number = previous->next;
    if (i == state.next) {
      number = static_cast<uint32_t>(state.value(UINT32_MAX));
      state.advance(i + 1, head.count);
    }
    if (number >= states)
      return "it names a state that is not defined";
    Memory &memory = memoryOf(number);
    previous->next = number;
    previous = &memory;
    record = memory.last;
    if (i == communicator.next) {
      // The coded value is the number + 1, so that "none" wraps around to 0.
      record.communicator = static_cast<uint32_t>(communicator.value(UINT32_MAX)) - 1;
      communicator.advance(i + 1, head.count);
    }
    if (i == peer.next) {
      record.peer = unzigzag(static_cast<uint32_t>(peer.value(UINT32_MAX)));
      peer.advance(i + 1, head.count);
    }
    if (i == tag.next) {
      record.tag = unzigzag(static_cast<uint32_t>(tag.value(UINT32_MAX)));
      tag.advance(i + 1, head.count);
    }
    if (i == bytes.next) {
      record.bytes = bytes.value(UINT64_MAX);
      bytes.advance(i + 1, head.count);
    }
    if (i == requests.next) {
      takeRequests(requests, record);
      requests.advance(i + 1, head.count);
    }
    record.state = number;
    if (gap > UINT64_MAX - exit || duration > UINT64_MAX - exit - gap)
      return "its times overflow";
    record.enter = exit + gap;
    record.exit = exit = record.enter + duration;
    memory.last = record;
    records[i] = record;
  }
  for (const SparseColumn *column : sparse)
    if (column->broken)
      return "a column is broken";
  if (!columns[0].atEnd() || !columns[1].atEnd())
    return "it has more times than records";
  if (head.count > 0 && records[0].enter != head.first_tick)
    return "its first time contradicts its head";
  return nullptr;
}

const char *checkRecord(const vst_record &record, uint64_t before, uint32_t states) {
  if (record.enter < before || record.exit < record.enter)
    return "its times run backwards";
  if (record.state >= states)
    return "it names a state that is not defined";
  if ((record.bytes >> 63) != 0 || record.requests > INT32_MAX || record.completed > INT32_MAX)
    return "its numbers are beyond reason";
  return nullptr;
}

} // namespace varscope
