#include "decoder.h"

#include <algorithm>
#include <functional>

namespace varscope {

Decoder::Decoder(const TraceFile &trace, Mapping mapping, EdgeTable &edges)
    : trace_(trace), mapping_(std::move(mapping)), edges_(edges), file_(trace.path),
      fragments_(trace.states), isIo_(trace.states, 0) {
  for (const State &state : trace.definitions.states)
    isIo_[state.number] =
        state.category >= VST_CATEGORY_IO_OPEN && state.category <= VST_CATEGORY_IO_MAP;
}

namespace {

int32_t mapped(const std::vector<int32_t> &numbers, uint32_t number) {
  return number < numbers.size() ? numbers[number] : -1;
}

} // namespace

size_t Decoder::next(const Columns &columns) {
  size_t row = 0;
  while (row < columns.capacity) {
    if (taken_ == records_.size() && !load())
      break;
    const size_t rows = std::min(columns.capacity - row, records_.size() - taken_);
    for (size_t i = 0; i < rows; ++i)
      write(records_[taken_++], columns, row++);
  }
  rows_ += row;
  return row;
}

// Gets the next block or staged records that hold something; false at the end of the file.
bool Decoder::load() {
  for (; thread_ < trace_.threads.size(); ++thread_) {
    const Thread &thread = trace_.threads[thread_];
    if (block_ == 0)
      begin(thread);
    while (block_ < thread.blocks.size())
      if (loadBlock(thread, thread.blocks[block_++]))
        return true;
    if (block_++ == thread.blocks.size() && loadUnsealed(thread))
      return true;
    addLastGap(thread);
    block_ = 0;
  }
  records_.clear();
  taken_ = 0;
  return false;
}

void Decoder::begin(const Thread &thread) {
  state_ = -1, exit_ = 0, segment_ = 0, told_ = 0;
  births_.clear();
  for (const ThreadLife &life : trace_.definitions.threads)
    if (life.head.thread == thread.number && life.head.ended == 0)
      births_.push_back(life.head.tick);
  std::sort(births_.begin(), births_.end(), std::greater<>());
}

// Whether a thread came to the number between the record before and this one. Blocks say so
// themselves; records that are not sealed yet cannot.
bool Decoder::hasNewOwner(const vst_record &record) {
  bool found = false;
  for (; !births_.empty() && births_.back() <= record.exit; births_.pop_back())
    found |= births_.back() >= exit_;
  return found;
}

bool Decoder::loadBlock(const Thread &, const Block &block) {
  records_.clear();
  taken_ = 0;
  payload_.resize(block.head.payload_bytes);
  const char *reason = "the file is cut short";
  if (file_.read(block.offset + sizeof(vst_block), payload_.data(), payload_.size()))
    reason = fragments_.decode(block.head, payload_.data(), records_);
  if (reason == nullptr)
    reason = check(records_);
  if (reason != nullptr) {
    damage_.push_back("block at byte " + std::to_string(block.offset) + " damaged (" + reason +
                      "), " + std::to_string(block.head.count) + " records lost");
    records_.clear();
    state_ = -1;
    return false;
  }
  // Something is missing in between, or a new thread has taken over the number of one that ended.
  if (block.head.previous_exit != exit_)
    state_ = -1;
  return !records_.empty();
}

bool Decoder::loadUnsealed(const Thread &thread) {
  records_ = thread.unsealed;
  taken_ = 0;
  if (!thread.unsealedFollow)
    state_ = -1;
  if (records_.empty())
    return false;
  if (const char *reason = check(records_)) {
    damage_.push_back("thread " + std::to_string(thread.number) + ": unsealed records damaged (" +
                      reason + "), " + std::to_string(records_.size()) + " records lost");
    records_.clear();
    return false;
  }
  return true;
}

const char *Decoder::check(const std::vector<vst_record> &records) const {
  uint64_t before = exit_;
  for (const vst_record &record : records) {
    if (const char *reason = checkRecord(record, before, trace_.states))
      return reason;
    if (record.state >= mapping_.states.size() || mapping_.states[record.state] < 0)
      return "it names a state that is not defined";
    before = record.exit;
  }
  if (!records.empty() &&
      !(trace_.clock->holds(records.front().enter) && trace_.clock->holds(records.back().exit)))
    return "its times are beyond reason";
  return nullptr;
}

void Decoder::write(const vst_record &record, const Columns &columns, size_t row) {
  const int64_t start = trace_.clock->nanoseconds(record.enter, segment_) - mapping_.subtract;
  const int64_t end = trace_.clock->nanoseconds(record.exit, segment_) - mapping_.subtract;
  const int32_t state = mapping_.states[record.state];
  const auto bytes = static_cast<int64_t>(record.bytes);
  if (hasNewOwner(record))
    state_ = -1;
  if (record.skipped > 0) {
    addGap(record.skipped, state_ >= 0 ? end_ : start, start);
    state_ = -1;
  }
  const bool known = state_ >= 0;
  columns.rank[row] = trace_.header.world_rank;
  columns.thread[row] = static_cast<int16_t>(trace_.threads[thread_].number);
  columns.state[row] = state;
  columns.edge[row] = known ? edges_.edge(state_, state) : -1;
  columns.before_ns[row] = known ? start - end_ : 0;
  columns.start_ns[row] = start;
  columns.end_ns[row] = end;
  columns.bytes[row] = bytes;
  columns.before_bytes[row] = known ? bytes_ : 0;
  columns.peer[row] = record.peer;
  const bool io = isIo_[record.state] != 0;
  columns.communicator[row] = io ? -1 : mapped(mapping_.communicators, record.communicator);
  columns.file[row] = io ? mapped(mapping_.files, record.communicator) : -1;
  columns.tag[row] = record.tag;
  columns.requests[row] = static_cast<int32_t>(record.requests);
  columns.completed[row] = static_cast<int32_t>(record.completed);
  exit_ = record.exit;
  end_ = end;
  bytes_ = bytes;
  state_ = state;
  lastEnd_ = std::max(lastEnd_, end);
}

void Decoder::addGap(uint64_t calls, int64_t start, int64_t end) {
  gaps_.push_back({trace_.threads[thread_].number, start, end, calls});
  told_ += calls;
}

// What the thread left out after its last record, and what no record tells.
void Decoder::addLastGap(const Thread &thread) {
  const uint64_t all = thread.counters ? thread.counters->sampled_out : 0;
  if (all <= told_ || (all >> 63) != 0)
    return;
  const bool timed = thread.lastLeftOut > 0 && trace_.clock->holds(thread.lastLeftOut);
  const int64_t last =
      timed ? trace_.clock->nanoseconds(thread.lastLeftOut, segment_) - mapping_.subtract
            : INT64_MIN;
  const int64_t first = state_ >= 0 ? end_ : timed ? last : 0;
  addGap(all - told_, first, std::max(first, last));
}

} // namespace varscope
