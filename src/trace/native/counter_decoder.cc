#include "counter_decoder.h"

#include <algorithm>

#include "trace_error.h"

namespace varscope {

CounterDecoder::CounterDecoder(const TraceFile &trace, std::vector<int32_t> numbers,
                               int64_t subtract)
    : trace_(trace), subtract_(subtract), file_(trace.path) {
  const std::vector<vst_counter> &set = trace.counters.set;
  if (numbers.size() < set.size())
    throw TraceError("has more counters than numbers for them");
  for (size_t i = 0; i < set.size(); ++i) {
    if (set[i].column == VST_NO_COLUMN)
      continue;
    numbers_.push_back(static_cast<int16_t>(numbers[i]));
    sources_.push_back(set[i].source);
  }
  courses_.resize(numbers_.size());
}

size_t CounterDecoder::next(const CounterColumns &columns) {
  size_t row = 0;
  while (row < columns.capacity) {
    if (taken_ == rows_.size()) {
      rows_.clear();
      taken_ = 0;
      if (!load())
        break;
      continue;
    }
    const Row &from = rows_[taken_++];
    columns.rank[row] = trace_.header.world_rank;
    columns.thread[row] = current_;
    columns.at_ns[row] = from.at;
    columns.counter[row] = from.counter;
    columns.value[row] = from.value;
    ++row;
  }
  return row;
}

// The rows of one more block, of a thread's slots, or of a thread's end. False when all is done.
bool CounterDecoder::load() {
  const auto &threads = trace_.counters.threads;
  if (thread_ == threads.size())
    return false;
  const CounterThread &thread = threads[thread_];
  current_ = static_cast<int16_t>(thread.number);
  if (block_ < thread.blocks.size()) {
    loadBlock(thread, thread.blocks[block_++]);
    return true;
  }
  loadSlots(thread);
  endThread();
  ++thread_;
  block_ = 0;
  return true;
}

bool CounterDecoder::follows(const uint64_t *reading) const {
  if (!trace_.clock->holds(reading[0]))
    return false;
  for (size_t column = 0; column < courses_.size(); ++column)
    if (reading[column + 2] > INT64_MAX)
      return false;
  if (last_.empty())
    return true;
  if (reading[0] < last_[0])
    return false;
  for (size_t column = 0; column < courses_.size(); ++column)
    if (reading[column + 2] < last_[column + 2])
      return false;
  return true;
}

void CounterDecoder::add(const uint64_t *reading) {
  const int64_t at = trace_.clock->nanoseconds(reading[0], segment_) - subtract_;
  for (size_t column = 0; column < courses_.size(); ++column) {
    if ((reading[1] >> sources_[column] & 1) == 0)
      continue;
    Course &course = courses_[column];
    const auto value = static_cast<int64_t>(reading[column + 2]);
    if (course.known && course.value == value) {
      course.held = true;
      course.at = at;
      continue;
    }
    if (course.held)
      rows_.push_back({course.at, course.value, numbers_[column]});
    rows_.push_back({at, value, numbers_[column]});
    course = {true, false, value, at};
  }
  last_.assign(reading, reading + courses_.size() + 2);
}

void CounterDecoder::loadBlock(const CounterThread &thread, const Block &block) {
  std::vector<uint8_t> payload(block.head.payload_bytes);
  const size_t width = courses_.size() + 2;
  readings_.clear();
  const char *reason = "the file is cut short";
  if (file_.read(block.offset + sizeof(vst_block), payload.data(), payload.size()))
    reason = unpackCounters(block.head, payload.data(), trace_.counters, readings_);
  // In a block nothing goes back; it must follow the one before, and end at a time that is
  // possible.
  if (reason == nullptr &&
      !(follows(readings_.data()) && trace_.clock->holds(readings_[readings_.size() - width])))
    reason = "its readings go back, or their times are beyond reason";
  if (reason != nullptr) {
    damage_.push_back("thread " + std::to_string(thread.number) + ": block of counters at byte " +
                      std::to_string(block.offset) + " damaged (" + reason + "), " +
                      std::to_string(block.head.count) + " readings lost");
    return;
  }
  for (size_t at = 0; at < readings_.size(); at += width)
    add(&readings_[at]);
}

// Slots count as long as they follow what is sealed: behind the unsealed readings stand older ones.
void CounterDecoder::loadSlots(const CounterThread &thread) {
  const size_t width = courses_.size() + 2;
  if (!thread.staging) {
    damage_.push_back("thread " + std::to_string(thread.number) +
                      ": the block of its last counters is missing");
    return;
  }
  if (size_t{thread.staging->columns} + 2 != width) {
    damage_.push_back("thread " + std::to_string(thread.number) +
                      ": its last counters contradict their definition");
    return;
  }
  size_t at = 0;
  for (; at + width <= thread.slots.size() && follows(&thread.slots[at]); at += width)
    add(&thread.slots[at]);
  const uint64_t there = thread.sealed + at / width;
  if (thread.staging->written > there)
    damage_.push_back("thread " + std::to_string(thread.number) + ": " +
                      std::to_string(thread.staging->written - there) +
                      " readings of counters are not there");
}

void CounterDecoder::endThread() {
  for (size_t column = 0; column < courses_.size(); ++column)
    if (courses_[column].held)
      rows_.push_back({courses_[column].at, courses_[column].value, numbers_[column]});
  std::fill(courses_.begin(), courses_.end(), Course{});
  last_.clear();
}

} // namespace varscope
