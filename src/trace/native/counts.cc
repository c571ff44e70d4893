#include "counts.h"

#include <algorithm>
#include <cstring>

namespace varscope {
namespace {

Thread *threadOf(TraceFile &trace, uint32_t number) {
  const auto place = std::lower_bound(trace.threads.begin(), trace.threads.end(), number,
                                      [](const Thread &t, uint32_t n) { return t.number < n; });
  return place != trace.threads.end() && place->number == number ? &*place : nullptr;
}

bool makesSense(const vst_count &count, uint32_t states) {
  return count.state < states && (count.calls >> 63) == 0 && count.timed <= count.calls &&
         (count.ticks >> 63) == 0;
}

// Takes in the entries in use; false if one of them makes no sense.
bool takeEntries(const uint8_t *at, uint32_t capacity, uint32_t states, Thread &thread) {
  for (uint32_t i = 0; i < capacity; ++i, at += sizeof(vst_count)) {
    vst_count count;
    std::memcpy(&count, at, sizeof count);
    if (count.in_use == 0)
      return true;
    if (count.calls == 0)
      continue;
    // A process that runs, or was killed, may be ahead with the other numbers by one call.
    count.timed = std::min(count.timed, count.calls);
    if (!makesSense(count, states))
      return false;
    thread.leftOut.push_back(count);
  }
  return true;
}

bool statesAreUnique(std::vector<vst_count> &counts) {
  std::sort(counts.begin(), counts.end(),
            [](const vst_count &a, const vst_count &b) { return a.state < b.state; });
  return std::adjacent_find(counts.begin(), counts.end(),
                            [](const vst_count &a, const vst_count &b) {
                              return a.state == b.state;
                            }) == counts.end();
}

} // namespace

bool countsFit(Window &window, uint64_t offset, const vst_block &head) {
  if (head.payload_bytes < sizeof(vst_counts) || head.checksum != 0)
    return false;
  const uint8_t *payload = window.at(offset + sizeof head, sizeof(vst_counts));
  if (payload == nullptr)
    return false;
  vst_counts counts;
  std::memcpy(&counts, payload, sizeof counts);
  return head.payload_bytes == sizeof counts + uint64_t{counts.capacity} * sizeof(vst_count);
}

void readCounts(const File &file, const BlockIndex &index, TraceFile &trace) {
  Window window(file);
  for (const Block &block : index.blocks()) {
    if (block.head.type != VST_BLOCK_COUNTS)
      continue;
    const std::string place = "block at byte " + std::to_string(block.offset) + ": ";
    Thread *thread = threadOf(trace, block.head.thread);
    const uint8_t *payload = window.at(block.offset + sizeof(vst_block), block.head.payload_bytes);
    if (thread == nullptr || payload == nullptr) {
      trace.damage.push_back(place + "no thread goes with its counts of calls left out");
      continue;
    }
    vst_counts head;
    std::memcpy(&head, payload, sizeof head);
    thread->lastLeftOut = std::max(thread->lastLeftOut, head.last_exit);
    if (!takeEntries(payload + sizeof head, head.capacity, trace.states, *thread))
      trace.damage.push_back(place + "its counts of calls left out make no sense");
  }
  for (Thread &thread : trace.threads) {
    const std::string name = "thread " + std::to_string(thread.number) + ": ";
    if (!statesAreUnique(thread.leftOut))
      trace.damage.push_back(name + "a state has two counts of calls left out");
    uint64_t sum = 0;
    for (const vst_count &count : thread.leftOut)
      sum += count.calls;
    if (!thread.counters || sum <= thread.counters->sampled_out)
      continue;
    if (trace.finalized) {
      trace.damage.push_back(name + "its counts of calls left out do not add up");
      continue;
    }
    const uint64_t ahead = sum - thread.counters->sampled_out;
    thread.counters->intercepted += ahead;
    thread.counters->sampled_out += ahead;
  }
}

} // namespace varscope
