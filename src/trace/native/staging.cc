#include "staging.h"

#include <algorithm>
#include <cstddef>

#include "fragments.h"
#include "limits.h"

namespace varscope {
namespace {

Thread &threadOf(TraceFile &trace, uint32_t number) {
  const auto place = std::lower_bound(trace.threads.begin(), trace.threads.end(), number,
                                      [](const Thread &t, uint32_t n) { return t.number < n; });
  if (place != trace.threads.end() && place->number == number)
    return *place;
  Thread thread{};
  thread.number = number;
  return *trace.threads.insert(place, std::move(thread));
}

struct Refused {
  Block block;
  const char *reason;
};

// Sorts the blocks that carry records to their threads; returns those that no thread can have.
std::vector<Refused> sortByThread(TraceFile &trace, const BlockIndex &index) {
  std::vector<Refused> refused;
  trace.threads.clear();
  for (const Block &block : index.blocks()) {
    if (block.head.type != VST_BLOCK_FRAGMENTS && block.head.type != VST_BLOCK_STAGING)
      continue;
    if (block.head.thread > kMaxThreads) {
      refused.push_back({block, "its thread number is beyond reason"});
      continue;
    }
    Thread &thread = threadOf(trace, block.head.thread);
    if (block.head.type == VST_BLOCK_FRAGMENTS) {
      thread.blocks.push_back(block);
      thread.sealed += block.head.count;
    } else if (thread.stagingOffset != 0) {
      refused.push_back({block, "its thread has such a block already"});
    } else {
      thread.stagingOffset = block.offset;
    }
  }
  for (const Damage &damage : index.damages())
    if (damage.records > 0 && damage.thread <= kMaxThreads)
      threadOf(trace, damage.thread).damaged += damage.records;
  return refused;
}

bool copySlots(const File &file, Thread &thread) {
  const uint64_t head = thread.stagingOffset + sizeof(vst_block);
  vst_staging staging;
  if (!file.read(head, &staging, sizeof staging))
    return false;
  thread.counters = staging;
  // More can only be missing when blocks were damaged; then all slots are candidates.
  const uint64_t left = staging.written > thread.sealed ? staging.written - thread.sealed : 0;
  const uint64_t slots = std::min<uint64_t>(left, staging.capacity);
  if (slots > kMaxPayloadBytes / sizeof(vst_record))
    return false;
  thread.unsealed.resize(slots);
  return file.read(head + sizeof staging, thread.unsealed.data(), slots * sizeof(vst_record));
}

// Exit of the thread's last sealed record; 0 if there is none.
uint64_t lastExit(const File &file, const TraceFile &trace, const Thread &thread) {
  if (thread.blocks.empty())
    return 0;
  const Block &block = thread.blocks.back();
  std::vector<uint8_t> payload(block.head.payload_bytes);
  std::vector<vst_record> records;
  FragmentDecoder decoder(trace.states);
  if (!file.read(block.offset + sizeof(vst_block), payload.data(), payload.size()) ||
      decoder.decode(block.head, payload.data(), records) != nullptr || records.empty())
    return block.head.first_tick;
  return records.back().exit;
}

void choose(const File &file, TraceFile &trace, Thread &thread) {
  const vst_staging &counters = *thread.counters;
  std::vector<vst_record> &slots = thread.unsealed;
  if (counters.written < thread.sealed) {
    slots.clear();
    trace.damage.push_back("thread " + std::to_string(thread.number) +
                           ": its counters contradict its blocks");
    return;
  }
  const uint64_t left = counters.written - thread.sealed;
  if (left == 0)
    return;
  // As soon as time runs backwards, what is left dates from before the last sealing.
  uint64_t before = lastExit(file, trace, thread);
  size_t follow = 0;
  while (follow < slots.size() && checkRecord(slots[follow], before, trace.states) == nullptr)
    before = slots[follow++].exit;
  if (follow == left)
    return;
  // Blocks are missing, or slots are damaged. What damaged blocks claim to hold tells how many
  // slots count; without a claim the last one that follows may be half written.
  thread.unsealedFollow = false;
  const bool claimed = thread.damaged <= left && left - thread.damaged <= follow;
  slots.resize(claimed ? left - thread.damaged : follow - (follow > 0 ? 1 : 0));
}

} // namespace

void takeSnapshot(const File &file, TraceFile &trace, BlockIndex &index) {
  // A thread reuses its slots only after the block it packed them into was committed. So slots read
  // between two equal readings of `committed` belong together with the blocks before it.
  constexpr int kAttempts = 32;
  for (int attempt = 0;; ++attempt) {
    const std::vector<Refused> refused = sortByThread(trace, index);
    // Before the records: a transfer is staged before the record of the call that completed it.
    trace.transfers = snapTransfers(file, index);
    for (Thread &thread : trace.threads)
      if (thread.stagingOffset != 0 && !copySlots(file, thread))
        thread.unsealed.clear();
    snapshotCounters(file, trace, index);
    uint64_t committed = 0;
    const bool same = !file.read(offsetof(vst_header, committed), &committed, sizeof committed) ||
                      committed == trace.header.committed;
    if (!same && attempt < kAttempts) {
      trace.header.committed = committed;
      index.extend(file, committed);
      continue;
    }
    for (const Refused &block : refused)
      index.addDamage(block.block, block.reason);
    if (same)
      return;
    trace.damage.push_back("its process writes faster than it can be followed; its newest records "
                           "are left out");
    for (Thread &thread : trace.threads)
      thread.unsealed.clear();
    for (CounterThread &thread : trace.counters.threads)
      thread.slots.clear();
    for (ThreadTransfers &one : trace.transfers)
      one.unsealed.clear();
    return;
  }
}

void chooseUnsealed(const File &file, TraceFile &trace) {
  chooseTransfers(file, trace.transfers, trace.damage);
  for (Thread &thread : trace.threads)
    if (thread.counters)
      choose(file, trace, thread);
}

} // namespace varscope
