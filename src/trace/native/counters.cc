#include "counters.h"

#include <algorithm>
#include <cstring>

#include "limits.h"
#include "trace_file.h"
#include "varint.h"

namespace varscope {
namespace {

constexpr uint32_t kMostSources = 64; // bits of a mask
constexpr uint32_t kMaxBlockReadings = 1U << 16;

template <size_t Length> bool ends(const char (&text)[Length]) {
  return std::memchr(text, 0, Length) != nullptr;
}

const char *checkCounter(const vst_counter &counter, uint32_t columns) {
  if (!ends(counter.name) || !ends(counter.unit) || !ends(counter.group) || !ends(counter.reason))
    return "a text has no end";
  if (counter.source >= kMostSources)
    return "it names a source beyond reason";
  if (counter.column != VST_NO_COLUMN && counter.column != columns)
    return "its columns are out of order";
  return nullptr;
}

CounterThread &threadOf(Counters &counters, uint32_t number) {
  auto &all = counters.threads;
  const auto place =
      std::lower_bound(all.begin(), all.end(), number,
                       [](const CounterThread &t, uint32_t n) { return t.number < n; });
  if (place != all.end() && place->number == number)
    return *place;
  CounterThread thread{};
  thread.number = number;
  return *all.insert(place, std::move(thread));
}

void copySlots(const File &file, CounterThread &thread) {
  const uint64_t at = thread.stagingOffset + sizeof(vst_block);
  vst_counter_staging staging;
  thread.staging.reset();
  thread.slots.clear();
  if (!file.read(at, &staging, sizeof staging) || staging.columns > VST_MOST_COUNTERS)
    return;
  const uint64_t left = staging.written > thread.sealed ? staging.written - thread.sealed : 0;
  const uint64_t slots = std::min<uint64_t>(left, staging.capacity);
  const uint64_t width = uint64_t{staging.columns} + 2;
  if (slots > kMaxPayloadBytes / sizeof(uint64_t) / width)
    return;
  thread.slots.resize(slots * width);
  if (file.read(at + sizeof staging, thread.slots.data(), slots * width * sizeof(uint64_t)))
    thread.staging = staging;
  else
    thread.slots.clear();
}

// One column of a payload, told by its own length.
bool takeColumn(const uint8_t *&at, const uint8_t *end, Cursor &column) {
  uint32_t bytes;
  if (static_cast<size_t>(end - at) < sizeof bytes)
    return false;
  std::memcpy(&bytes, at, sizeof bytes);
  at += sizeof bytes;
  if (static_cast<size_t>(end - at) < bytes)
    return false;
  column = Cursor(at, bytes);
  at += bytes;
  return true;
}

// Changes of column `place` of the slots; in all but the first one, runs of zeros are shortened.
const char *takeChanges(Cursor from, uint32_t count, size_t place, size_t width, uint64_t before,
                        uint64_t *slots) {
  uint64_t zeros = 0;
  for (uint32_t i = 0; i < count; ++i) {
    uint64_t change = 0;
    if (zeros > 0)
      --zeros;
    else if (!from.take(change))
      return "a column is too short";
    else if (change == 0 && place != 0 && !from.take(zeros))
      return "a column is too short";
    const uint64_t now = place == 1 ? before ^ change : before + change;
    if (place != 1 && (now < before || now > INT64_MAX))
      return "a number is beyond reason";
    slots[i * width + place] = before = now;
  }
  return from.atEnd() && zeros == 0 ? nullptr : "a column is too long";
}

} // namespace

bool counterStagingFits(Window &window, uint64_t offset, const vst_block &head) {
  if (head.payload_bytes < sizeof(vst_counter_staging) || head.checksum != 0)
    return false;
  const uint8_t *payload = window.at(offset + sizeof head, sizeof(vst_counter_staging));
  if (payload == nullptr)
    return false;
  vst_counter_staging staging;
  std::memcpy(&staging, payload, sizeof staging);
  if (staging.columns > VST_MOST_COUNTERS)
    return false;
  const uint64_t slot = (uint64_t{staging.columns} + 2) * sizeof(uint64_t);
  return head.payload_bytes == sizeof staging + staging.capacity * slot;
}

void snapshotCounters(const File &file, TraceFile &trace, const BlockIndex &index) {
  trace.counters.threads.clear();
  for (const Block &block : index.blocks()) {
    const bool packed = block.head.type == VST_BLOCK_COUNTERS;
    if ((!packed && block.head.type != VST_BLOCK_COUNTER_STAGING) ||
        block.head.thread > kMaxThreads)
      continue;
    CounterThread &thread = threadOf(trace.counters, block.head.thread);
    if (packed) {
      thread.blocks.push_back(block);
      thread.sealed += block.head.count;
    } else if (thread.stagingOffset == 0) {
      thread.stagingOffset = block.offset;
    }
  }
  for (CounterThread &thread : trace.counters.threads)
    if (thread.stagingOffset != 0)
      copySlots(file, thread);
}

const char *takeCounterSet(const Block &block, const uint8_t *payload, Counters &into) {
  Counters taken;
  if (!into.set.empty())
    return "there is such a block already";
  if (block.head.count > VST_MOST_COUNTERS ||
      block.head.payload_bytes != block.head.count * sizeof(vst_counter))
    return "its length contradicts its contents";
  for (uint32_t i = 0; i < block.head.count; ++i) {
    vst_counter counter;
    std::memcpy(&counter, payload + i * sizeof counter, sizeof counter);
    if (const char *reason = checkCounter(counter, taken.columns))
      return reason;
    taken.columns += counter.column != VST_NO_COLUMN ? 1 : 0;
    taken.set.push_back(counter);
  }
  into.set = std::move(taken.set);
  into.columns = taken.columns;
  return nullptr;
}

const char *unpackCounters(const vst_block &head, const uint8_t *payload, const Counters &counters,
                           std::vector<uint64_t> &slots) {
  const size_t width = size_t{counters.columns} + 2;
  const uint8_t *at = payload;
  const uint8_t *end = payload + head.payload_bytes;
  const size_t before = slots.size();
  // A reading takes a byte of column 0 at least.
  if (head.count == 0 || head.count > head.payload_bytes || head.count > kMaxBlockReadings)
    return "it cannot hold as many readings as it says";
  slots.resize(before + head.count * width);
  const char *reason = nullptr;
  for (size_t place = 0; place < width && reason == nullptr; ++place) {
    Cursor column;
    reason = takeColumn(at, end, column)
                 ? takeChanges(column, head.count, place, width, place == 0 ? head.first_tick : 0,
                               &slots[before])
                 : "a column is missing";
  }
  if (reason == nullptr && (at != end || slots[before] != head.first_tick))
    reason = "its columns contradict its head";
  if (reason != nullptr)
    slots.resize(before);
  return reason;
}

} // namespace varscope
