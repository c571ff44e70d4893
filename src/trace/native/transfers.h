// Turns the transfers of one trace file into rows of the table `transfers`, by completing thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "decoder.h"
#include "record_finder.h"
#include "trace_file.h"
#include "transfer_blocks.h"

namespace varscope {

// Columns of the table `transfers`, caller's memory, `capacity` values each.
struct TransferColumns {
  int32_t *rank;
  int16_t *thread;
  int32_t *start_state;
  int64_t *posted_ns, *completed_ns, *waited_ns, *bytes;
  int32_t *peer, *communicator, *tag;
  int16_t *wait_thread;
  int32_t *wait_state;
  int16_t *outcome, *receive;
  size_t capacity;
};

// Column `outcome`; the most telling one where several hold.
enum TransferOutcome : int16_t { kCompleted = 0, kCancelled = 1, kFreed = 2, kFailed = 3 };

class TransferDecoder {
public:
  // `trace` must outlive the decoder. Throws TraceError if the file cannot be opened again.
  TransferDecoder(const TraceFile &trace, Mapping mapping);

  // Fills the columns from row 0; returns rows written, 0 at the end.
  size_t next(const TransferColumns &columns);

  // Lines on what could not be decoded, as in TraceFile::damage; complete at the end.
  const std::vector<std::string> &damage() const {
    return damage_;
  }
  uint64_t rows() const {
    return rows_;
  }

private:
  const TraceFile &trace_;
  Mapping mapping_;
  File file_;
  RecordFinder records_;
  std::vector<bool> waits_; // by state of the file: of the wait family
  std::vector<std::string> damage_;
  uint64_t rows_ = 0, dangling_ = 0;

  size_t thread_ = 0, block_ = 0; // what is decoded next
  std::vector<uint8_t> payload_;
  std::vector<vst_transfer> transfers_; // decoded last
  size_t taken_ = 0;                    // of them, written to columns
  size_t startSegment_ = 0, endSegment_ = 0;

  bool load();
  void loadBlock(const Block &block);
  bool usable(const vst_record &record) const;
  bool write(const vst_transfer &transfer, const TransferColumns &columns, size_t row);
  void reportDangling();
};

} // namespace varscope
