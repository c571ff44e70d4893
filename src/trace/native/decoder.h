// Turns the records of one trace file into rows of the table `calls`, thread by thread, in order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "edge_table.h"
#include "file.h"
#include "fragments.h"
#include "trace_file.h"

namespace varscope {

// Columns of the table `calls`, caller's memory, `capacity` values each.
struct Columns {
  int32_t *rank;
  int16_t *thread;
  int32_t *state, *edge;
  int64_t *before_ns, *start_ns, *end_ns, *bytes, *before_bytes;
  int32_t *peer, *communicator, *tag, *requests, *completed;
  int32_t *file;
  size_t capacity;
};

// How the numbers of one file become those of the store.
struct Mapping {
  std::vector<int32_t> states;        // -1: not defined
  std::vector<int32_t> communicators; // -1: not known
  std::vector<int32_t> files;         // -1: not known
  int64_t subtract;                   // CLOCK_MONOTONIC of the host at time 0 of the job
};

// A span of one thread in which it left calls out on purpose: from the exit of the record before to
// the entry of the next one. Of no length where an end is not known. In the store's time.
struct Gap {
  uint32_t thread;
  int64_t start, end;
  uint64_t calls;
};

class Decoder {
public:
  // `trace` and `edges` must outlive the decoder. Throws TraceError if the file cannot be opened
  // again.
  Decoder(const TraceFile &trace, Mapping mapping, EdgeTable &edges);

  // Fills the columns from row 0; returns rows written, 0 at the end.
  size_t next(const Columns &columns);

  // Lines on blocks that could not be decoded, as in TraceFile::damage.
  const std::vector<std::string> &damage() const {
    return damage_;
  }
  // Gaps of the threads decoded so far. Per thread, their calls add up to what it left out.
  const std::vector<Gap> &gaps() const {
    return gaps_;
  }
  uint64_t rows() const {
    return rows_;
  }
  // Latest exit so far, in the store's time.
  int64_t lastEnd() const {
    return lastEnd_;
  }

private:
  const TraceFile &trace_;
  Mapping mapping_;
  EdgeTable &edges_;
  File file_;
  FragmentDecoder fragments_;
  std::vector<uint8_t> isIo_; // by the file's state number: its `communicator` is a file
  std::vector<std::string> damage_;
  std::vector<Gap> gaps_;
  uint64_t rows_ = 0;
  int64_t lastEnd_ = INT64_MIN;

  size_t thread_ = 0, block_ = 0; // what is decoded next
  std::vector<uint8_t> payload_;
  std::vector<vst_record> records_; // of the block decoded last
  size_t taken_ = 0;                // of `records_`, written to columns

  // The thread so far.
  size_t segment_ = 0;
  uint64_t exit_ = 0; // tick
  int64_t end_ = 0, bytes_ = 0;
  uint64_t told_ = 0;            // calls left out that gaps tell of
  int32_t state_ = -1;           // -1: what came before the next record is not known
  std::vector<uint64_t> births_; // ticks, latest first: threads that have its number one by one

  bool load();
  void begin(const Thread &thread);
  bool hasNewOwner(const vst_record &record);
  bool loadBlock(const Thread &thread, const Block &block);
  bool loadUnsealed(const Thread &thread);
  const char *check(const std::vector<vst_record> &records) const;
  void addGap(uint64_t calls, int64_t start, int64_t end);
  void addLastGap(const Thread &thread);
  void write(const vst_record &record, const Columns &columns, size_t row);
};

} // namespace varscope
