// Decodes the readings of counters of a trace file into narrow rows, thread by thread, in time.
#pragma once

#include <string>
#include <vector>

#include "file.h"
#include "trace_file.h"

namespace varscope {

// Column buffers of the table counter_samples, all `capacity` long.
struct CounterColumns {
  int32_t *rank;
  int16_t *thread;
  int64_t *at_ns;
  int16_t *counter;
  int64_t *value;
  size_t capacity;
};

class CounterDecoder {
public:
  // `numbers`: the store's number of each counter of the file's set. `subtract`: monotonic
  // nanoseconds of time 0. Throws TraceError if the file cannot be opened any more.
  CounterDecoder(const TraceFile &trace, std::vector<int32_t> numbers, int64_t subtract);

  // Writes the next rows; returns how many, 0 at the end. Where a counter keeps its value over
  // several readings, the first and the last of them are written: straight lines through the rows
  // are the same.
  size_t next(const CounterColumns &columns);

  // Lines on what turned out damaged, as TraceFile::damage.
  const std::vector<std::string> &damage() const {
    return damage_;
  }

private:
  struct Row {
    int64_t at, value;
    int16_t counter;
  };
  // What was last seen of a column.
  struct Course {
    bool known = false, held = false;
    int64_t value = 0, at = 0; // `held`: the last reading, which had this value, is not written yet
  };

  const TraceFile &trace_;
  std::vector<int16_t> numbers_;  // by column
  std::vector<uint32_t> sources_; // by column
  int64_t subtract_;
  File file_;
  std::vector<std::string> damage_;

  size_t thread_ = 0, block_ = 0; // next to be loaded
  int16_t current_ = 0;           // thread of `rows_`
  size_t segment_ = 0, taken_ = 0;
  std::vector<Row> rows_;
  std::vector<Course> courses_;
  std::vector<uint64_t> last_, readings_;

  bool load();
  void loadBlock(const CounterThread &thread, const Block &block);
  void loadSlots(const CounterThread &thread);
  bool follows(const uint64_t *reading) const;
  void add(const uint64_t *reading);
  void endThread();
};

} // namespace varscope
