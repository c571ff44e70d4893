// Numbers the works of calls: what a call was but for its times. Programs repeat themselves, so a
// store keeps the arguments of many calls once.
#pragma once

#include <cstdint>
#include <vector>

#include "decoder.h"

namespace varscope {

// Columns of the table `works`, caller's memory, `capacity` values each.
struct WorkColumns {
  int32_t *work, *rank;
  int16_t *thread;
  int32_t *state, *edge;
  int64_t *bytes, *before_bytes;
  int32_t *peer, *communicator, *tag, *requests, *completed, *file;
  size_t capacity;
};

class WorkTable {
public:
  // Returned by `number` when too few of the calls repeat.
  static constexpr size_t kIrregular = SIZE_MAX;

  // Writes the number of each call's work to `work`, and the works that have no number yet to
  // `fresh`; returns how many these are. If more than one call in four brings a new work (and these
  // are more than a few), nothing is numbered. A work can be met again under another number: the
  // table starts over with each thread, after calls that were not numbered, and when it is full.
  // `calls`, `work` hold `rows` values, `fresh` has room for as many.
  size_t number(const Columns &calls, size_t rows, int32_t *work, const WorkColumns &fresh);

private:
  struct Work {
    int64_t bytes, beforeBytes;
    int32_t state, edge, peer, communicator, tag, requests, completed, file;
  };
  static_assert(sizeof(Work) == 48, "no padding: works are compared as memory");

  std::vector<Work> works_;      // since the table started over
  std::vector<uint32_t> slots_;  // hash table: position in `works_` + 1, 0 is free
  std::vector<uint32_t> recent_; // by edge + 1: position of the last one met; may be out of date
  int64_t first_ = 0;            // number of works_[0]
  int32_t rank_ = -1;
  int16_t thread_ = -1;

  uint32_t find(const Work &work);
  void place(uint32_t position);
  void startOver(int64_t first);
};

} // namespace varscope
