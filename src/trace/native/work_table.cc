#include "work_table.h"

#include <algorithm>
#include <cstring>

namespace varscope {
namespace {

constexpr size_t kMostWorks = size_t{1} << 20; // of one thread; keeps the table below 60 MB
constexpr size_t kFewestSlots = 1024, kMostSlotsKept = 65536;
constexpr size_t kCallsPerWork = 4;
constexpr size_t kFewWorks = 256; // so few are always worth it: short threads begin with new works

template <typename Work> uint64_t hash(const Work &work) {
  uint64_t words[sizeof(Work) / sizeof(uint64_t)];
  std::memcpy(words, &work, sizeof work);
  uint64_t sum = 0;
  for (const uint64_t word : words) {
    sum = (sum ^ word) * 0x9e3779b97f4a7c15U;
    sum ^= sum >> 32;
  }
  return sum;
}

} // namespace

void WorkTable::startOver(int64_t first) {
  first_ = first;
  works_.clear();
  slots_.assign(std::clamp(slots_.size(), kFewestSlots, kMostSlotsKept), 0);
}

// Puts a work that is not there yet into the first free slot.
void WorkTable::place(uint32_t position) {
  const size_t mask = slots_.size() - 1;
  size_t slot = static_cast<size_t>(hash(works_[position])) & mask;
  while (slots_[slot] != 0)
    slot = (slot + 1) & mask;
  slots_[slot] = position + 1;
}

// Position of a work; it is added if it is not there.
uint32_t WorkTable::find(const Work &work) {
  const size_t mask = slots_.size() - 1;
  for (size_t slot = static_cast<size_t>(hash(work)) & mask; slots_[slot] != 0;
       slot = (slot + 1) & mask) {
    const uint32_t position = slots_[slot] - 1;
    if (std::memcmp(&works_[position], &work, sizeof work) == 0)
      return position;
  }
  const auto added = static_cast<uint32_t>(works_.size());
  works_.push_back(work);
  if (works_.size() * 2 <= slots_.size()) {
    place(added);
    return added;
  }
  slots_.assign(slots_.size() * 2, 0);
  for (uint32_t position = 0; position <= added; ++position)
    place(position);
  return added;
}

size_t WorkTable::number(const Columns &calls, size_t rows, int32_t *work,
                         const WorkColumns &fresh) {
  const size_t most = std::min(std::max(rows / kCallsPerWork, kFewWorks), fresh.capacity);
  const int64_t before = first_ + static_cast<int64_t>(works_.size());
  if (before + static_cast<int64_t>(most) > INT32_MAX)
    return kIrregular; // no numbers left
  size_t added = 0;
  for (size_t i = 0; i < rows; ++i) {
    if (calls.rank[i] != rank_ || calls.thread[i] != thread_ || works_.size() >= kMostWorks) {
      startOver(first_ + static_cast<int64_t>(works_.size()));
      rank_ = calls.rank[i];
      thread_ = calls.thread[i];
    }
    const Work one{calls.bytes[i],     calls.before_bytes[i], calls.state[i], calls.edge[i],
                   calls.peer[i],      calls.communicator[i], calls.tag[i],   calls.requests[i],
                   calls.completed[i], calls.file[i]};
    const auto edge = static_cast<size_t>(one.edge + 1);
    if (edge >= recent_.size())
      recent_.resize(edge + 1, 0);
    uint32_t position = recent_[edge];
    // Most computations are followed by the same call over and over.
    if (position >= works_.size() || std::memcmp(&works_[position], &one, sizeof one) != 0) {
      const size_t known = works_.size();
      recent_[edge] = position = find(one);
      if (works_.size() > known) {
        if (added == most) {
          startOver(before);
          return kIrregular;
        }
        fresh.work[added] = static_cast<int32_t>(first_ + position);
        fresh.rank[added] = calls.rank[i];
        fresh.thread[added] = calls.thread[i];
        fresh.state[added] = one.state;
        fresh.edge[added] = one.edge;
        fresh.bytes[added] = one.bytes;
        fresh.before_bytes[added] = one.beforeBytes;
        fresh.peer[added] = one.peer;
        fresh.communicator[added] = one.communicator;
        fresh.tag[added] = one.tag;
        fresh.requests[added] = one.requests;
        fresh.completed[added] = one.completed;
        fresh.file[added] = one.file;
        ++added;
      }
    }
    work[i] = static_cast<int32_t>(first_ + position);
  }
  return added;
}

} // namespace varscope
