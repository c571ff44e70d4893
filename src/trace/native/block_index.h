// Walks the blocks of a trace file, checks each, and steps over damage.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "file.h"
#include "trace_format.h"

namespace varscope {

struct Block {
  uint64_t offset; // of the block in the file; the payload follows its struct
  vst_block head;
};

// Bytes of the file that are no intact block.
struct Damage {
  uint64_t offset, bytes;
  std::string reason;
  uint32_t thread;  // FRAGMENTS: as the damaged head claims
  uint64_t records; // FRAGMENTS: as the damaged head claims; 0 if it does not tell
};

class BlockIndex {
public:
  BlockIndex() : end_(VST_HEADER_BYTES) {}

  // Takes in what lies between the end of the last call and `committed`. Reading resumes behind a
  // damaged block at the next place, 8-byte aligned, where a whole block passes its check.
  void extend(const File &file, uint64_t committed);

  const std::vector<Block> &blocks() const {
    return blocks_;
  }
  const std::vector<Damage> &damages() const {
    return damages_;
  }
  void addDamage(const Block &block, const std::string &reason);

private:
  uint64_t end_;
  uint64_t resyncBytes_ = 0; // work spent looking for the next block, bounded
  std::vector<Block> blocks_;
  std::vector<Damage> damages_;

  uint64_t findNext(Window &window, uint64_t from, uint64_t limit);
};

// Bytes of a block with its padding.
uint64_t blockBytes(const vst_block &head);

} // namespace varscope
