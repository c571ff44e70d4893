// Decodes the payload of a FRAGMENTS block, as trace_format.h describes it.
#pragma once

#include <cstdint>
#include <vector>

#include "trace_format.h"

namespace varscope {

class FragmentDecoder {
public:
  // `states`: the file defines no state with this number or above.
  explicit FragmentDecoder(uint32_t states) : memories_(states) {}

  // Appends the block's records to `records`. Returns nullptr, or why the block cannot be decoded;
  // then nothing was appended.
  const char *decode(const vst_block &head, const uint8_t *payload,
                     std::vector<vst_record> &records);

private:
  // What the block told about a state so far; forecasts are made from it.
  struct Memory {
    uint32_t block; // number of the block this belongs to
    uint32_t next;  // state that followed
    vst_record last;
  };
  std::vector<Memory> memories_;
  uint32_t block_ = 0;

  const char *decodeRecords(const vst_block &head, const uint8_t *payload, vst_record *records);
  Memory &memoryOf(uint32_t state);
};

// nullptr if `record` can be shown in the store, else what is wrong. `before` is the exit of the
// thread's record before; `states` as above.
const char *checkRecord(const vst_record &record, uint64_t before, uint32_t states);

} // namespace varscope
