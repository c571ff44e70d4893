#include "fuzz_transfers.h"

#include <cstdio>
#include <cstdlib>

#include "transfers.h"

namespace varscope {
namespace {

constexpr size_t kRows = 1000;

struct Buffers {
  std::vector<int32_t> narrow[6];
  std::vector<int16_t> small[4];
  std::vector<int64_t> wide[4];

  TransferColumns columns() {
    for (auto &column : narrow)
      column.resize(kRows);
    for (auto &column : small)
      column.resize(kRows);
    for (auto &column : wide)
      column.resize(kRows);
    return {
        narrow[0].data(), small[0].data(),  narrow[1].data(), wide[0].data(),   wide[1].data(),
        wide[2].data(),   wide[3].data(),   narrow[2].data(), narrow[3].data(), narrow[4].data(),
        small[1].data(),  narrow[5].data(), small[2].data(),  small[3].data(),  kRows};
  }
};

void require(bool holds, const char *what) {
  if (holds)
    return;
  std::fprintf(stderr, "fuzz-reader: wrong transfers: %s\n", what);
  std::abort();
}

} // namespace

size_t fuzzTransfers(const TraceFile &trace, const Mapping &mapping) {
  TransferDecoder decoder(trace, mapping);
  Buffers buffers;
  const TransferColumns columns = buffers.columns();
  const auto states = static_cast<int32_t>(trace.states);
  while (const size_t rows = decoder.next(columns)) {
    for (size_t i = 0; i < rows; ++i) {
      require(columns.start_state[i] >= 0 && columns.start_state[i] < states, "start state");
      require(columns.wait_state[i] >= 0 && columns.wait_state[i] < states, "wait state");
      require(columns.completed_ns[i] >= columns.posted_ns[i], "completed before it was posted");
      require(columns.waited_ns[i] >= 0 && columns.bytes[i] >= 0, "a negative number");
      require(columns.outcome[i] >= kCompleted && columns.outcome[i] <= kFailed, "outcome");
      require(columns.receive[i] == 0 || columns.receive[i] == 1, "direction");
      require(columns.thread[i] >= 0 && columns.wait_thread[i] >= 0, "thread");
    }
  }
  return decoder.rows();
}

} // namespace varscope
