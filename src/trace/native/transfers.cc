#include "transfers.h"

#include <algorithm>

namespace varscope {

TransferDecoder::TransferDecoder(const TraceFile &trace, Mapping mapping)
    : trace_(trace), mapping_(std::move(mapping)), file_(trace.path), records_(trace),
      waits_(trace.states) {
  for (const State &state : trace.definitions.states)
    waits_[state.number] = state.category == VST_CATEGORY_WAIT;
}

size_t TransferDecoder::next(const TransferColumns &columns) {
  size_t row = 0;
  while (row < columns.capacity) {
    if (taken_ == transfers_.size() && !load())
      break;
    while (taken_ < transfers_.size() && row < columns.capacity)
      if (write(transfers_[taken_++], columns, row))
        ++row;
  }
  rows_ += row;
  return row;
}

// Gets the next block or slots that hold something; false at the end of the file.
bool TransferDecoder::load() {
  transfers_.clear();
  taken_ = 0;
  while (transfers_.empty() && thread_ < trace_.transfers.size()) {
    const ThreadTransfers &thread = trace_.transfers[thread_];
    if (block_ < thread.blocks.size()) {
      loadBlock(thread.blocks[block_++]);
      continue;
    }
    transfers_ = thread.unsealed;
    block_ = 0;
    ++thread_;
  }
  if (transfers_.empty())
    reportDangling();
  return !transfers_.empty();
}

void TransferDecoder::loadBlock(const Block &block) {
  payload_.resize(block.head.payload_bytes);
  const char *reason = "the file is cut short";
  if (file_.read(block.offset + sizeof(vst_block), payload_.data(), payload_.size()))
    reason = unpackTransfers(block.head, payload_.data(), transfers_);
  if (reason != nullptr)
    damage_.push_back("block at byte " + std::to_string(block.offset) + " damaged (" + reason +
                      "), " + std::to_string(block.head.count) + " transfers lost");
}

bool TransferDecoder::usable(const vst_record &record) const {
  return checkRecord(record, 0, trace_.states) == nullptr &&
         record.state < mapping_.states.size() && mapping_.states[record.state] >= 0 &&
         trace_.clock->holds(record.enter) && trace_.clock->holds(record.exit);
}

bool TransferDecoder::write(const vst_transfer &transfer, const TransferColumns &columns,
                            size_t row) {
  const uint32_t thread =
      block_ == 0 ? trace_.transfers[thread_ - 1].thread : trace_.transfers[thread_].thread;
  vst_record start, end;
  if (!records_.find(transfer.start_thread, transfer.start_record, start) ||
      !records_.find(thread, transfer.end_record, end) || !usable(start) || !usable(end)) {
    ++dangling_;
    return false;
  }
  const uint32_t flags = transfer.flags;
  const auto time = [&](uint64_t tick, size_t &segment) {
    return trace_.clock->nanoseconds(tick, segment) - mapping_.subtract;
  };
  const int64_t posted = time(start.exit, startSegment_);
  const int64_t entered = std::max(time(end.enter, endSegment_), posted);
  const int64_t completed = std::max(time(end.exit, endSegment_), entered);
  const uint32_t communicator =
      (flags & VST_TRANSFER_COMMUNICATOR) != 0 ? transfer.communicator : start.communicator;
  const uint64_t bytes = (flags & VST_TRANSFER_BYTES) != 0 ? transfer.bytes : start.bytes;
  columns.rank[row] = trace_.header.world_rank;
  columns.thread[row] = static_cast<int16_t>(transfer.start_thread);
  columns.start_state[row] = mapping_.states[start.state];
  columns.posted_ns[row] = posted;
  columns.completed_ns[row] = completed;
  columns.waited_ns[row] = waits_[end.state] ? completed - entered : 0;
  columns.bytes[row] = (flags & VST_TRANSFER_CANCELLED) != 0 ? 0 : static_cast<int64_t>(bytes);
  columns.peer[row] = (flags & VST_TRANSFER_PEER) != 0 ? transfer.peer : start.peer;
  columns.communicator[row] =
      communicator < mapping_.communicators.size() ? mapping_.communicators[communicator] : -1;
  columns.tag[row] = (flags & VST_TRANSFER_TAG) != 0 ? transfer.tag : start.tag;
  columns.wait_thread[row] = static_cast<int16_t>(thread);
  columns.wait_state[row] = mapping_.states[end.state];
  columns.outcome[row] = (flags & VST_TRANSFER_CANCELLED) != 0 ? kCancelled
                         : (flags & VST_TRANSFER_FAILED) != 0  ? kFailed
                         : (flags & VST_TRANSFER_FREED) != 0   ? kFreed
                                                               : kCompleted;
  columns.receive[row] = (flags & VST_TRANSFER_RECEIVE) != 0;
  return true;
}

// A killed process leaves up to as many without record as one call completed.
void TransferDecoder::reportDangling() {
  if (dangling_ > 0 && trace_.finalized)
    damage_.push_back(std::to_string(dangling_) +
                      " transfers name calls that are not there, and were left out");
  dangling_ = 0;
}

} // namespace varscope
