#include "transfer_blocks.h"

#include <algorithm>

#include "limits.h"

namespace varscope {
namespace {

ThreadTransfers &transfersOf(std::vector<ThreadTransfers> &all, uint32_t number) {
  const auto place =
      std::lower_bound(all.begin(), all.end(), number,
                       [](const ThreadTransfers &t, uint32_t n) { return t.thread < n; });
  if (place != all.end() && place->thread == number)
    return *place;
  ThreadTransfers fresh{};
  fresh.thread = number;
  return *all.insert(place, std::move(fresh));
}

void copySlots(const File &file, ThreadTransfers &one) {
  const uint64_t head = one.stagingOffset + sizeof(vst_block);
  if (!file.read(head, &one.counters, sizeof one.counters))
    return;
  const uint64_t written = one.counters.written;
  const uint64_t left = written > one.sealed ? written - one.sealed : 0;
  const uint64_t slots = std::min<uint64_t>(left, one.counters.capacity);
  if (slots > kMaxPayloadBytes / sizeof(vst_transfer))
    return;
  one.unsealed.resize(slots);
  if (!file.read(head + sizeof one.counters, one.unsealed.data(), slots * sizeof(vst_transfer)))
    one.unsealed.clear();
}

bool sensible(const vst_transfer &transfer) {
  return (transfer.flags & ~uint32_t{VST_TRANSFER_FLAGS}) == 0 && transfer.bytes >> 63 == 0;
}

uint64_t lastEnd(const File &file, const ThreadTransfers &one) {
  if (one.blocks.empty())
    return 0;
  const Block &block = one.blocks.back();
  std::vector<uint8_t> payload(block.head.payload_bytes);
  std::vector<vst_transfer> transfers;
  if (!file.read(block.offset + sizeof(vst_block), payload.data(), payload.size()) ||
      unpackTransfers(block.head, payload.data(), transfers) != nullptr || transfers.empty())
    return block.head.first_tick;
  return transfers.back().end_record;
}

} // namespace

std::vector<ThreadTransfers> snapTransfers(const File &file, BlockIndex &index) {
  std::vector<ThreadTransfers> all;
  for (const Block &block : index.blocks()) {
    if (block.head.thread > kMaxThreads)
      continue;
    if (block.head.type == VST_BLOCK_TRANSFERS) {
      ThreadTransfers &one = transfersOf(all, block.head.thread);
      one.blocks.push_back(block);
      one.sealed += block.head.count;
    } else if (block.head.type == VST_BLOCK_TRANSFER_STAGING) {
      ThreadTransfers &one = transfersOf(all, block.head.thread);
      if (one.stagingOffset == 0)
        one.stagingOffset = block.offset;
    }
  }
  for (ThreadTransfers &one : all)
    if (one.stagingOffset != 0)
      copySlots(file, one);
  return all;
}

void chooseTransfers(const File &file, std::vector<ThreadTransfers> &all,
                     std::vector<std::string> &damage) {
  for (ThreadTransfers &one : all) {
    // Where blocks are missing, slots can date from before they were packed, or be empty: then
    // numbers run backwards, or there are too few of them, and none is taken.
    const uint64_t left = one.counters.written > one.sealed ? one.counters.written - one.sealed : 0;
    uint64_t before = one.unsealed.empty() ? 0 : lastEnd(file, one);
    size_t follow = 0;
    while (follow < one.unsealed.size() && one.unsealed[follow].end_record >= before &&
           sensible(one.unsealed[follow]))
      before = one.unsealed[follow++].end_record;
    if (follow != left)
      follow = 0;
    one.unsealed.resize(follow);
    const uint64_t there = one.sealed + follow;
    if (one.stagingOffset != 0 && one.counters.written != there)
      damage.push_back("thread " + std::to_string(one.thread) + ": it completed " +
                       std::to_string(one.counters.written) + " transfers, of which " +
                       std::to_string(std::min(there, one.counters.written)) + " are there");
  }
}

} // namespace varscope
