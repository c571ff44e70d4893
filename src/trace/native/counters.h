// Readings of counters in a trace file: COUNTER_SET, COUNTERS and COUNTER_STAGING of
// trace_format.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "block_index.h"
#include "trace_format.h"

namespace varscope {

struct TraceFile;

struct CounterThread {
  uint32_t number;
  std::vector<Block> blocks; // COUNTERS, in file order
  uint64_t stagingOffset = 0;
  std::optional<vst_counter_staging> staging;
  std::vector<uint64_t> slots; // that can hold unsealed readings
  uint64_t sealed = 0;         // readings in `blocks`
};

struct Counters {
  std::vector<vst_counter> set;
  uint32_t columns = 0;
  std::vector<CounterThread> threads; // by number
};

// Whether a COUNTER_STAGING payload is as long as its own head says; it has no checksum to tell.
bool counterStagingFits(Window &window, uint64_t offset, const vst_block &head);

// Sorts the blocks of counters to their threads, and copies the slots that can hold unsealed
// readings; called between two equal readings of `committed`, see takeSnapshot.
void snapshotCounters(const File &file, TraceFile &trace, const BlockIndex &index);

// Takes in a COUNTER_SET block. Returns nullptr, or what is wrong with it.
const char *takeCounterSet(const Block &block, const uint8_t *payload, Counters &into);

// Appends the readings of a COUNTERS block to `slots`, as they stood in COUNTER_STAGING. Returns
// nullptr, or why the block cannot be decoded; then nothing was appended.
const char *unpackCounters(const vst_block &head, const uint8_t *payload, const Counters &counters,
                           std::vector<uint64_t> &slots);

} // namespace varscope
