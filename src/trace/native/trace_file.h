// One trace file: what it holds, checked, and a snapshot of the records not yet sealed. The file is
// open only while this is built and while it is decoded, so that thousands can be held.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "block_index.h"
#include "clock_map.h"
#include "counters.h"
#include "definitions.h"
#include "trace_format.h"
#include "transfer_blocks.h"

namespace varscope {

struct Thread {
  uint32_t number;
  std::vector<Block> blocks;           // FRAGMENTS, in file order
  std::optional<vst_staging> counters; // head of the STAGING block, if it is there
  uint64_t stagingOffset = 0;          // of that block in the file
  std::vector<vst_record> unsealed;    // follow the last block
  bool unsealedFollow = true;          // nothing is missing between it and them
  uint64_t sealed = 0;                 // records in `blocks`
  uint64_t damaged = 0;                // records that damaged blocks claim to hold
  std::vector<vst_count> leftOut;      // COUNTS blocks, by state
  uint64_t lastLeftOut = 0;            // tick at which the latest timed call left out ended; 0 none
};

struct TraceFile {
  // Throws TraceError with the reason why the file is of no use.
  explicit TraceFile(const std::string &path);

  std::string path;
  vst_header header;
  uint64_t bytes = 0; // used by header and blocks
  Definitions definitions;
  Counters counters;
  std::vector<Thread> threads;            // by number
  std::vector<ThreadTransfers> transfers; // by number of the thread that completed them
  std::vector<std::string> damage; // lines on what is missing; each reads on after "RANK.vst: "
  uint64_t firstDamage = UINT64_MAX, lastDamage = 0; // where in the file a block is missing
  std::optional<ClockMap> clock;
  uint32_t states = 0;   // highest state number + 1
  uint64_t lastTick = 0; // latest time known without decoding
  bool finalized = false;
};

} // namespace varscope
