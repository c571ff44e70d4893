// Which earlier record each record of a FRAGMENTS block is foreseen to repeat, as trace_format.h
// describes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "trace_format.h"

namespace varscope {

class Forecast {
public:
  static constexpr uint32_t kNone = UINT32_MAX; // number of a record that no block has

  // `states`: no record has a state with this number or above.
  explicit Forecast(uint32_t states);

  // Forgets the block before. `records` is where those of the new one will stand.
  void start(const vst_record *records, uint32_t count);

  // Model of the next record, or kNone.
  uint32_t model() const {
    return model_;
  }

  // Latest record with this state, or kNone.
  uint32_t latest(uint32_t state) const {
    return states_[state].block == block_ ? states_[state].record : kNone;
  }

  // The next record is number `record`, and stands there. add() is right for any record, repeated()
  // for one that is equal to its model.
  void add(uint32_t record);
  void repeated(uint32_t record) {
    const uint32_t kind = kind_[model_];
    kind_[record] = kind;
    kinds_[kind] = record;
    states_[records_[record].state] = {block_, record};
    ++model_;
  }

private:
  struct Latest {
    uint32_t block; // number of the block that the record is of
    uint32_t record;
  };
  const vst_record *records_ = nullptr;
  uint32_t model_ = kNone, block_ = 0;
  std::vector<Latest> states_;
  // Equal records are of one kind. A hash table with open addressing: in a cell stands the latest
  // record of one kind, or kNone. And for each record, the cell of its kind.
  std::vector<uint32_t> kinds_, kind_;
  unsigned shift_ = 0; // from a hash to a cell
  uint32_t keys_[8];
  uint64_t multiplier_;

  bool equal(uint32_t a, uint32_t b) const;
  uint64_t hash(const vst_record &record) const;
  uint32_t cell(uint32_t record) const;
};

} // namespace varscope
