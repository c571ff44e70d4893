// Drives the reader over damaged copies of trace files, under sanitizers:
//
//   fuzz-reader SEED COUNT FILE...
//
// Each copy gets a few changes: flipped bits, numbers replaced, stretches zeroed, repeated or cut
// off. Every second copy then gets right checksums, so that the damage reaches the decoder.
// Whatever comes out must be rows in order of time with defined states; anything else aborts.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <numeric>
#include <random>
#include <sys/mman.h>
#include <unistd.h>

#include "counter_decoder.h"
#include "crc32c.h"
#include "decoder.h"
#include "fuzz_transfers.h"
#include "trace_error.h"
#include "work_table.h"

namespace {

using Bytes = std::vector<uint8_t>;
using Random = std::mt19937_64;

constexpr uint64_t kNumbers[] = {0,          1,          0x7f,       0xff,       0xffff,
                                 0x7fffffff, 0x80000000, 0xffffffff, INT64_MAX,  UINT64_MAX,
                                 1U << 16,   1U << 24,   4096,       0xfffffff8, 1ULL << 60};

size_t below(Random &random, size_t limit) {
  return limit == 0 ? 0 : static_cast<size_t>(random() % limit);
}

void change(Bytes &bytes, Random &random) {
  if (bytes.size() < 16)
    return;
  // Most of a file is payload; heads and definitions are at the front.
  const size_t area = random() % 2 == 0 ? bytes.size() : std::min<size_t>(bytes.size(), 8192);
  const size_t at = below(random, area - 8);
  switch (random() % 6) {
  case 0:
    bytes[at] ^= static_cast<uint8_t>(1U << (random() % 8));
    break;
  case 1: {
    const uint64_t number = kNumbers[below(random, std::size(kNumbers))];
    std::memcpy(&bytes[at / 4 * 4], &number, random() % 2 == 0 ? 4 : 8);
    break;
  }
  case 2:
    std::memset(&bytes[at], 0, std::min(below(random, 256), bytes.size() - at));
    break;
  case 3: {
    const size_t from = below(random, bytes.size());
    const size_t length = std::min({below(random, 512), bytes.size() - at, bytes.size() - from});
    std::memmove(&bytes[at], &bytes[from], length);
    break;
  }
  case 4:
    if (random() % 4 == 0)
      bytes.resize(at);
    break;
  default:
    bytes[at] = static_cast<uint8_t>(random());
  }
}

// Gives all blocks that can still be followed the checksum of what they hold now.
void mendChecksums(Bytes &bytes) {
  size_t at = VST_HEADER_BYTES;
  if (bytes.size() < sizeof(vst_header))
    return;
  auto *header = reinterpret_cast<vst_header *>(bytes.data());
  header->fixed_checksum = 0;
  while (at + sizeof(vst_block) <= bytes.size()) {
    vst_block head;
    std::memcpy(&head, &bytes[at], sizeof head);
    if (head.magic != VST_BLOCK_MAGIC || head.payload_bytes > bytes.size() - at - sizeof head)
      return;
    const bool changes = head.type == VST_BLOCK_STAGING || head.type == VST_BLOCK_COUNTS ||
                         head.type == VST_BLOCK_COUNTER_STAGING ||
                         head.type == VST_BLOCK_TRANSFER_STAGING;
    if (!changes) {
      head.checksum = 0;
      const uint32_t crc = varscope::crc32c(0, &head, sizeof head);
      head.checksum = varscope::crc32c(crc, &bytes[at + sizeof head], head.payload_bytes);
      std::memcpy(&bytes[at], &head, sizeof head);
    }
    at += (sizeof head + head.payload_bytes + VST_ALIGN - 1) / VST_ALIGN * VST_ALIGN;
  }
}

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
  return decoder.rows() + varscope::fuzzTransfers(trace, mapping);
}

} // namespace

int main(int count, char **arguments) {
  if (count < 4) {
    std::fprintf(stderr, "usage: fuzz-reader SEED COUNT FILE...\n");
    return 2;
  }
  Random random(std::strtoull(arguments[1], nullptr, 10));
  const long copies = std::strtol(arguments[2], nullptr, 10);
  const int memory = memfd_create("fuzz", MFD_CLOEXEC);
  const std::string path = "/proc/self/fd/" + std::to_string(memory);
  size_t rows = 0, unusable = 0;
  for (int i = 3; i < count; ++i) {
    std::ifstream file(arguments[i], std::ios::binary);
    const Bytes original{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    for (long copy = 0; copy < copies; ++copy) {
      Bytes bytes = original;
      for (size_t changes = 1 + below(random, 8); changes > 0; --changes)
        change(bytes, random);
      if (copy % 2 == 1)
        mendChecksums(bytes);
      if (ftruncate(memory, 0) != 0 ||
          pwrite(memory, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        return 1;
      try {
        rows += readAll(path);
      } catch (const varscope::TraceError &) {
        ++unusable;
      }
    }
  }
  std::printf("%ld copies of %d files: %zu rows, %zu files unusable\n", copies, count - 3, rows,
              unusable);
  return 0;
}
