#include "fragments.h"

#include <algorithm>
#include <cstring>

#include "limits.h"
#include "varint.h"

namespace varscope {
namespace {

constexpr uint32_t kNone = Forecast::kNone;

// One of the columns 2 to 8: pairs (records skipped, value) for what cannot be foreseen.
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

// The columns 2 to 7 together.
class Surprises {
public:
  Surprises(const Cursor (&columns)[VST_FRAGMENT_COLUMNS], uint32_t count) : count_(count) {
    SparseColumn *sparse[] = {&state_, &communicator_, &peer_, &tag_, &bytes_, &requests_};
    for (size_t i = 0; i < 6; ++i) {
      sparse[i]->cursor = columns[i + 2];
      sparse[i]->start(count);
    }
    findNext();
  }

  // First record that is not read yet and has a pair in any column, or kNone.
  uint32_t next() const {
    return next_;
  }

  uint32_t state(uint32_t record, uint32_t foreseen) {
    if (record != state_.next)
      return foreseen;
    foreseen = static_cast<uint32_t>(state_.value(UINT32_MAX));
    state_.advance(record + 1, count_);
    return foreseen;
  }

  // `values` is as foreseen and becomes as it was. The state is not among the values.
  void values(uint32_t record, vst_record &values) {
    if (record == communicator_.next) {
      // The coded value is the number + 1, so that "none" wraps around to 0.
      values.communicator = static_cast<uint32_t>(communicator_.value(UINT32_MAX)) - 1;
      communicator_.advance(record + 1, count_);
    }
    if (record == peer_.next) {
      values.peer = unzigzag(static_cast<uint32_t>(peer_.value(UINT32_MAX)));
      peer_.advance(record + 1, count_);
    }
    if (record == tag_.next) {
      values.tag = unzigzag(static_cast<uint32_t>(tag_.value(UINT32_MAX)));
      tag_.advance(record + 1, count_);
    }
    if (record == bytes_.next) {
      values.bytes = bytes_.value(UINT64_MAX);
      bytes_.advance(record + 1, count_);
    }
    if (record == requests_.next) {
      takeRequests(values);
      requests_.advance(record + 1, count_);
    }
    findNext();
  }

  bool broken() const {
    return state_.broken || communicator_.broken || peer_.broken || tag_.broken || bytes_.broken ||
           requests_.broken;
  }

private:
  SparseColumn state_, communicator_, peer_, tag_, bytes_, requests_;
  uint32_t count_, next_ = kNone;

  void findNext() {
    next_ = std::min(
        {state_.next, communicator_.next, peer_.next, tag_.next, bytes_.next, requests_.next});
  }

  void takeRequests(vst_record &record) {
    const uint64_t coded = requests_.value(uint64_t{UINT32_MAX} * 2 + 1);
    record.requests = static_cast<uint32_t>(coded >> 1);
    record.completed =
        (coded & 1) != 0 ? static_cast<uint32_t>(requests_.value(UINT32_MAX)) : record.requests;
  }
};

// Column 8, once the records are there: models do not foresee it. False if it is broken.
bool takeSkipped(const Cursor &column, uint32_t count, vst_record *records) {
  SparseColumn skipped;
  skipped.cursor = column;
  skipped.start(count);
  while (skipped.next != kNone) {
    const uint32_t at = skipped.next;
    records[at].skipped = static_cast<uint32_t>(skipped.value(UINT32_MAX));
    skipped.advance(at + 1, count);
  }
  return !skipped.broken;
}

constexpr vst_record kNothing = {0, 0, 0, 0, VST_NO_COMMUNICATOR, 0, 0, 0, 0, 0, 0};

} // namespace

const char *FragmentDecoder::decode(const vst_block &head, const uint8_t *payload,
                                    std::vector<vst_record> &records) {
  // Every record takes a byte of gap and one of duration.
  if (head.count > kMaxBlockRecords || uint64_t{head.count} * 2 > head.payload_bytes)
    return "it is too short for its records";
  const size_t before = records.size();
  records.resize(before + head.count);
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
  Cursor gaps = columns[0], durations = columns[1];
  Surprises surprises(columns, head.count);
  forecast_.start(records, head.count);
  uint64_t exit = head.previous_exit;
  for (uint32_t i = 0; i < head.count; ++i) {
    uint64_t gap, duration;
    if (!gaps.take(gap) || !durations.take(duration))
      return "a time is missing or broken";
    if (gap > UINT64_MAX - exit || duration > UINT64_MAX - exit - gap)
      return "its times overflow";
    const uint64_t enter = exit + gap;
    exit = enter + duration;
    const uint32_t model = forecast_.model();
    vst_record &record = records[i];
    if (model != kNone && i != surprises.next()) {
      record = records[model];
      record.enter = enter;
      record.exit = exit;
      forecast_.repeated(i);
      continue;
    }
    const uint32_t foreseen = model == kNone ? 0 : records[model].state;
    const uint32_t state = surprises.state(i, foreseen);
    if (state >= states_)
      return "it names a state that is not defined";
    const uint32_t like = model != kNone && state == foreseen ? model : forecast_.latest(state);
    record = like == kNone ? kNothing : records[like];
    record.enter = enter;
    record.exit = exit;
    record.state = state;
    surprises.values(i, record);
    forecast_.add(i);
  }
  if (!takeSkipped(columns[8], head.count, records) || surprises.broken())
    return "a column is broken";
  if (!gaps.atEnd() || !durations.atEnd())
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
