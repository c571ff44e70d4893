// Drives the reader over damaged copies of trace files, under sanitizers:
//
//   fuzz-reader SEED COUNT FILE...                    COUNT damaged copies of each file
//   fuzz-reader guided SEED SECONDS CORPUS CURRENT    changes files again and again; fuzz_guided.h
//   fuzz-reader read FILE...                          the files as they are
//
// Each copy gets a few changes, see fuzz_change.h. Every second copy then gets right checksums, so
// that the damage reaches the decoder. Whatever comes out must be rows in order of time with
// defined states; anything else aborts.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <sys/mman.h>
#include <unistd.h>

#include "counter_decoder.h"
#include "decoder.h"
#include "fuzz_change.h"
#include "fuzz_description.h"
#include "fuzz_guided.h"
#include "fuzz_transfers.h"
#include "trace_error.h"
#include "work_table.h"

namespace {

struct Buffers {
  static constexpr size_t kRows = 1000;
  std::vector<int32_t> narrow[9];
  std::vector<int16_t> thread = std::vector<int16_t>(kRows);
  std::vector<int64_t> wide[5];

  varscope::Columns columns() {
    for (auto &column : narrow)
      column.resize(kRows);
    for (auto &column : wide)
      column.resize(kRows);
    return {narrow[0].data(), thread.data(),    narrow[1].data(), narrow[2].data(),
            wide[0].data(),   wide[1].data(),   wide[2].data(),   wide[3].data(),
            wide[4].data(),   narrow[3].data(), narrow[4].data(), narrow[5].data(),
            narrow[6].data(), narrow[7].data(), narrow[8].data(), kRows};
  }
};

struct WorkBuffers {
  std::vector<int32_t> number = std::vector<int32_t>(Buffers::kRows);
  std::vector<int32_t> narrow[10];
  std::vector<int16_t> thread = std::vector<int16_t>(Buffers::kRows);
  std::vector<int64_t> wide[2];

  varscope::WorkColumns columns() {
    for (auto &column : narrow)
      column.resize(Buffers::kRows);
    for (auto &column : wide)
      column.resize(Buffers::kRows);
    return {narrow[0].data(), narrow[1].data(), thread.data(),    narrow[2].data(),
            narrow[3].data(), wide[0].data(),   wide[1].data(),   narrow[4].data(),
            narrow[5].data(), narrow[6].data(), narrow[7].data(), narrow[8].data(),
            narrow[9].data(), Buffers::kRows};
  }
};

void require(bool holds, const char *what) {
  if (holds)
    return;
  std::fprintf(stderr, "fuzz-reader: wrong rows: %s\n", what);
  std::abort();
}

void readCounters(const varscope::TraceFile &trace) {
  constexpr size_t kRows = 1000;
  std::vector<int32_t> rank(kRows), numbers(trace.counters.set.size());
  std::vector<int16_t> thread(kRows), counter(kRows);
  std::vector<int64_t> at(kRows), value(kRows);
  std::iota(numbers.begin(), numbers.end(), 0);
  varscope::CounterDecoder decoder(trace, numbers, 0);
  std::vector<int64_t> lastAt(numbers.size()), lastValue(numbers.size());
  int current = -1;
  while (const size_t rows = decoder.next(
             {rank.data(), thread.data(), at.data(), counter.data(), value.data(), kRows})) {
    for (size_t i = 0; i < rows; ++i) {
      require(thread[i] >= current, "threads of counters out of order");
      require(counter[i] >= 0 && static_cast<size_t>(counter[i]) < numbers.size(), "a counter");
      const auto which = static_cast<size_t>(counter[i]);
      if (thread[i] != current) {
        std::fill(lastAt.begin(), lastAt.end(), INT64_MIN);
        std::fill(lastValue.begin(), lastValue.end(), 0);
      }
      current = thread[i];
      require(at[i] >= lastAt[which] && value[i] >= lastValue[which], "a counter runs backwards");
      lastAt[which] = at[i];
      lastValue[which] = value[i];
    }
  }
}

size_t readAll(const std::string &path) {
  const varscope::TraceFile trace(path);
  const size_t probes = varscope::fuzzDescription(trace);
  readCounters(trace);
  varscope::Mapping mapping{std::vector<int32_t>(trace.states),
                            std::vector<int32_t>(trace.definitions.communicators.size()),
                            std::vector<int32_t>(trace.definitions.files.size()), 0};
  for (uint32_t i = 0; i < trace.states; ++i)
    mapping.states[i] = static_cast<int32_t>(i);
  varscope::EdgeTable edges;
  varscope::Decoder decoder(trace, mapping, edges);
  Buffers buffers;
  const varscope::Columns columns = buffers.columns();
  varscope::WorkTable works;
  WorkBuffers numbered;
  int64_t known = 0;
  int thread = -1;
  int64_t end = 0;
  while (const size_t rows = decoder.next(columns)) {
    const size_t fresh = works.number(columns, rows, numbered.number.data(), numbered.columns());
    const bool regular = fresh != varscope::WorkTable::kIrregular;
    known += regular ? static_cast<int64_t>(fresh) : 0;
    for (size_t i = 0; i < rows; ++i) {
      require(columns.thread[i] >= thread, "threads out of order");
      require(columns.thread[i] != thread || columns.start_ns[i] >= end, "time runs backwards");
      require(columns.end_ns[i] >= columns.start_ns[i], "a call ends before it starts");
      require(columns.state[i] >= 0 && columns.state[i] < static_cast<int>(trace.states), "state");
      require(columns.bytes[i] >= 0 && columns.before_ns[i] >= 0, "a negative number");
      require(!regular || (numbered.number[i] >= 0 && numbered.number[i] < known), "a work");
      thread = columns.thread[i];
      end = columns.end_ns[i];
    }
  }
  varscope::fuzzGaps(trace, decoder);
  return probes + decoder.rows() + varscope::fuzzTransfers(trace, mapping);
}

// False if the file is refused as a whole.
bool readFile(const std::string &path, size_t &rows) {
  try {
    rows += readAll(path);
    return true;
  } catch (const varscope::TraceError &) {
    return false;
  }
}

int damageCopies(uint64_t seed, long copies, char **files, int count) {
  fuzz::Random random(seed);
  const int memory = memfd_create("fuzz", MFD_CLOEXEC);
  const std::string path = "/proc/self/fd/" + std::to_string(memory);
  size_t rows = 0, unusable = 0;
  for (int i = 0; i < count; ++i) {
    const fuzz::Bytes original = fuzz::load(files[i]);
    for (long copy = 0; copy < copies; ++copy) {
      fuzz::Bytes bytes = original;
      for (size_t changes = 1 + fuzz::below(random, 8); changes > 0; --changes)
        fuzz::change(bytes, random);
      if (copy % 2 == 1)
        fuzz::mendChecksums(bytes);
      if (ftruncate(memory, 0) != 0 ||
          pwrite(memory, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        return 1;
      unusable += readFile(path, rows) ? 0 : 1;
    }
  }
  std::printf("%ld copies of %d files: %zu rows, %zu files unusable\n", copies, count, rows,
              unusable);
  return 0;
}

int readAsTheyAre(char **files, int count) {
  size_t rows = 0, unusable = 0;
  for (int i = 0; i < count; ++i)
    unusable += readFile(files[i], rows) ? 0 : 1;
  std::printf("%d files: %zu rows, %zu files unusable\n", count, rows, unusable);
  return 0;
}

} // namespace

int main(int count, char **arguments) {
  const std::string mode = count > 1 ? arguments[1] : "";
  if (mode == "guided" && count == 6) {
    const auto seed = std::strtoull(arguments[2], nullptr, 10);
    const auto seconds = std::strtol(arguments[3], nullptr, 10);
    return fuzz::guided(seed, seconds, arguments[4], arguments[5], readFile);
  }
  if (mode == "read" && count > 2)
    return readAsTheyAre(arguments + 2, count - 2);
  if (count < 4 || mode == "guided") {
    std::fprintf(stderr,
                 "usage: fuzz-reader SEED COUNT FILE... | guided SEED SECONDS CORPUS CURRENT |"
                 " read FILE...\n");
    return 2;
  }
  return damageCopies(std::strtoull(arguments[1], nullptr, 10),
                      std::strtol(arguments[2], nullptr, 10), arguments + 3, count - 3);
}
