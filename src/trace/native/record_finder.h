// Finds records by thread and number: how transfers name them, see trace_format.h. Keeps the blocks
// that were looked at last, since what is started soon completes.
#pragma once

#include <cstdint>
#include <vector>

#include "file.h"
#include "fragments.h"
#include "trace_file.h"

namespace varscope {

class RecordFinder {
public:
  // `trace` must outlive this. Throws TraceError if the file cannot be opened again.
  explicit RecordFinder(const TraceFile &trace);

  // False if the record is not there, its number is not known because something before it is
  // damaged, or so much was decoded for it that no honest trace needs more.
  bool find(uint32_t thread, uint64_t number, vst_record &record);

private:
  struct Place {
    uint64_t first; // number of the first record
    size_t block;   // in Thread::blocks
  };
  struct Numbered {
    std::vector<Place> places; // by first; blocks whose numbers are not known are left out
    uint64_t unsealed;         // number of the first unsealed record; UINT64_MAX: not known
  };
  struct Cached {
    uint64_t block; // offset in the file
    uint64_t used;  // when last
    std::vector<vst_record> records;
  };

  const TraceFile &trace_;
  File file_;
  FragmentDecoder fragments_;
  std::vector<Numbered> threads_; // as TraceFile::threads
  std::vector<Cached> cache_;
  std::vector<uint8_t> payload_;
  size_t recent_ = 0;   // of cache_, used last
  uint64_t clock_ = 0;  // uses so far
  uint64_t cached_ = 0; // records in cache_
  uint64_t budget_;     // records that may still be decoded

  const std::vector<vst_record> *records(const Block &block);
  void makeRoom(uint64_t records);
};

} // namespace varscope
