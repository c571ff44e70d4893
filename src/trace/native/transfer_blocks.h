// Blocks that hold transfers, and those not yet packed; see trace_format.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "block_index.h"
#include "file.h"
#include "trace_format.h"

namespace varscope {

// What one thread completed.
struct ThreadTransfers {
  uint32_t thread;
  std::vector<Block> blocks; // TRANSFERS, in file order
  uint64_t stagingOffset = 0;
  vst_transfer_staging counters{};
  std::vector<vst_transfer> unsealed; // follow the last block
  uint64_t sealed = 0;                // transfers in `blocks`
};

// Sorts the blocks of `index` by thread and copies all slots that can hold transfers. What is read
// belongs together if no block was added meanwhile: see takeSnapshot in staging.cc, which calls it.
std::vector<ThreadTransfers> snapTransfers(const File &file, BlockIndex &index);

// Cuts the slots down to those that do follow the thread's last block, and says what is missing.
void chooseTransfers(const File &file, std::vector<ThreadTransfers> &all,
                     std::vector<std::string> &damage);

// Appends the transfers of a TRANSFERS block to `transfers`. Returns nullptr, or why it cannot be
// decoded; then nothing was appended.
const char *unpackTransfers(const vst_block &head, const uint8_t *payload,
                            std::vector<vst_transfer> &transfers);

} // namespace varscope
