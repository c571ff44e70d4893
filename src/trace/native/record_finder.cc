#include "record_finder.h"

#include <algorithm>

namespace varscope {
namespace {

constexpr size_t kBlocksKept = 32;
constexpr uint64_t kRecordsKept = uint64_t{1} << 20;
// Threads whose starts and completions lie far apart decode blocks again; this is far more than
// that costs.
constexpr uint64_t kDecodings = 32, kDecodingsOfAny = uint64_t{1} << 22;

} // namespace

RecordFinder::RecordFinder(const TraceFile &trace)
    : trace_(trace), file_(trace.path), fragments_(trace.states), budget_(kDecodingsOfAny) {
  for (const Thread &thread : trace.threads) {
    budget_ += kDecodings * thread.sealed;
    Numbered numbered{{}, UINT64_MAX};
    // Up to the first damage numbers count from the start, behind the last one from the end: if the
    // counters say how many there are.
    const uint64_t told = thread.sealed + thread.damaged + thread.unsealed.size();
    const bool exact = thread.counters && thread.counters->written == told;
    uint64_t ahead = 0, left = thread.sealed;
    for (size_t i = 0; i < thread.blocks.size(); ++i) {
      const Block &block = thread.blocks[i];
      if (block.offset < trace.firstDamage)
        numbered.places.push_back({ahead, i});
      else if (exact && block.offset > trace.lastDamage)
        numbered.places.push_back({thread.sealed + thread.damaged - left, i});
      ahead += block.head.count;
      left -= block.head.count;
    }
    if (exact)
      numbered.unsealed = thread.sealed + thread.damaged;
    threads_.push_back(std::move(numbered));
  }
}

bool RecordFinder::find(uint32_t number, uint64_t wanted, vst_record &record) {
  const auto place =
      std::lower_bound(trace_.threads.begin(), trace_.threads.end(), number,
                       [](const Thread &thread, uint32_t n) { return thread.number < n; });
  if (place == trace_.threads.end() || place->number != number)
    return false;
  const Numbered &numbered = threads_[static_cast<size_t>(place - trace_.threads.begin())];
  if (wanted >= numbered.unsealed) {
    if (wanted - numbered.unsealed >= place->unsealed.size())
      return false;
    record = place->unsealed[wanted - numbered.unsealed];
    return true;
  }
  const auto after = std::upper_bound(numbered.places.begin(), numbered.places.end(), wanted,
                                      [](uint64_t n, const Place &one) { return n < one.first; });
  if (after == numbered.places.begin())
    return false;
  const std::vector<vst_record> *found = records(place->blocks[(after - 1)->block]);
  const uint64_t index = wanted - (after - 1)->first;
  if (found == nullptr || index >= found->size())
    return false;
  record = (*found)[index];
  return true;
}

// Records of a block; none if it cannot be decoded.
const std::vector<vst_record> *RecordFinder::records(const Block &block) {
  if (recent_ >= cache_.size() || cache_[recent_].block != block.offset) {
    recent_ = 0;
    while (recent_ < cache_.size() && cache_[recent_].block != block.offset)
      ++recent_;
  }
  if (recent_ == cache_.size()) {
    if (budget_ < block.head.count)
      return nullptr;
    budget_ -= block.head.count;
    makeRoom(block.head.count);
    cache_.push_back({block.offset, 0, {}});
    recent_ = cache_.size() - 1;
    payload_.resize(block.head.payload_bytes);
    if (file_.read(block.offset + sizeof(vst_block), payload_.data(), payload_.size()))
      fragments_.decode(block.head, payload_.data(), cache_.back().records);
    cached_ += cache_.back().records.size();
  }
  cache_[recent_].used = ++clock_;
  return &cache_[recent_].records;
}

void RecordFinder::makeRoom(uint64_t records) {
  while (!cache_.empty() && (cache_.size() >= kBlocksKept || cached_ + records > kRecordsKept)) {
    const auto oldest =
        std::min_element(cache_.begin(), cache_.end(),
                         [](const Cached &a, const Cached &b) { return a.used < b.used; });
    cached_ -= oldest->records.size();
    cache_.erase(oldest);
  }
}

} // namespace varscope
