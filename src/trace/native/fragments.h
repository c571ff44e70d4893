// Decodes the payload of a FRAGMENTS block, as trace_format.h describes it.
#pragma once

#include <cstdint>
#include <vector>

#include "forecast.h"
#include "trace_format.h"

namespace varscope {

class FragmentDecoder {
public:
  // `states`: the file defines no state with this number or above.
  explicit FragmentDecoder(uint32_t states) : states_(states), forecast_(states) {}

  // Appends the block's records to `records`. Returns nullptr, or why the block cannot be decoded;
  // then nothing was appended.
  const char *decode(const vst_block &head, const uint8_t *payload,
                     std::vector<vst_record> &records);

private:
  uint32_t states_;
  Forecast forecast_;

  const char *decodeRecords(const vst_block &head, const uint8_t *payload, vst_record *records);
};

// nullptr if `record` can be shown in the store, else what is wrong. `before` is the exit of the
// thread's record before; `states` as above.
const char *checkRecord(const vst_record &record, uint64_t before, uint32_t states);

} // namespace varscope
