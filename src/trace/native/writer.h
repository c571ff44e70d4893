// Writes trace files without a program behind them: for tests, simulations and benchmarks. Packing
// and checksum are the interceptor's own; the framing follows trace_format.h.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "trace_format.h"

namespace varscope {

class TraceWriter {
public:
  // Throws TraceError if the file cannot be created. `capacity`: records per FRAGMENTS block.
  TraceWriter(const std::string &path, const vst_header &header, uint32_t capacity);
  ~TraceWriter();
  TraceWriter(const TraceWriter &) = delete;
  TraceWriter &operator=(const TraceWriter &) = delete;

  // A block of any type but FRAGMENTS and STAGING: `head` bytes, then `rest`.
  void add(vst_block_type type, std::string_view head, std::string_view rest = {});

  // Makes room for the staging slots of threads 0 to `threads` - 1.
  void addThreads(uint32_t threads);

  // The next record of `thread`; seals when the slots are full.
  void record(uint32_t thread, const vst_record &record);
  void seal(uint32_t thread);

  // A COUNTS block. What the entries count must be told to count(), too, unless records tell it.
  void addCounts(uint32_t thread, uint64_t lastExit, const std::vector<vst_count> &counts);

  // All transfers that `thread` completed, `perBlock` in each TRANSFERS block; the last `unsealed`
  // of them stay in slots.
  void transfers(uint32_t thread, const std::vector<vst_transfer> &all, uint32_t perBlock,
                 uint32_t unsealed);

  // Adds to what the thread counts as intercepted but not recorded.
  void count(uint32_t thread, uint64_t lost, uint64_t sampledOut);

  // Writes staging slots and header. Throws TraceError if anything could not be written.
  void close(vst_process_state state);

private:
  struct Thread {
    uint64_t offset; // of the staging payload in the file
    vst_staging counters;
    std::vector<vst_record> slots;
    uint32_t used;
    uint64_t exit; // of the last record sealed
    bool first;    // nothing was sealed yet
  };
  std::FILE *file_;
  std::string path_;
  vst_header header_;
  uint32_t capacity_;
  std::vector<Thread> threads_;
  std::vector<uint64_t> scratch_;
  std::vector<uint8_t> payload_;

  void put(const void *data, size_t bytes);
  void putBlock(vst_block head, const void *payload);
};

// The bytes of a struct of trace_format.h.
template <typename Struct> std::string_view bytesOf(const Struct &value) {
  return {reinterpret_cast<const char *>(&value), sizeof value};
}

} // namespace varscope
