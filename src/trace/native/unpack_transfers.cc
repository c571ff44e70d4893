#include <array>
#include <map>

#include "limits.h"
#include "transfer_blocks.h"
#include "varint.h"

namespace varscope {
namespace {

using Words = std::array<uint64_t, VST_TRANSFER_WORDS>;
constexpr uint32_t kNone = UINT32_MAX;

int64_t unzigzagWide(uint64_t coded) {
  return static_cast<int64_t>((coded >> 1) ^ (~(coded & 1) + 1));
}

// The next transfer that is not as foreseen.
struct Entry {
  Cursor cursor;
  uint64_t record = UINT64_MAX; // which one it is about; UINT64_MAX: none is left
  bool broken = false;

  void advance(uint64_t from, uint32_t count) {
    uint64_t skipped;
    record = UINT64_MAX;
    if (cursor.atEnd())
      return;
    broken = !cursor.take(skipped) || skipped >= count - from;
    if (!broken)
      record = from + skipped;
  }

  void words(Words &foreseen) {
    uint64_t differs;
    if (!cursor.takeByte(differs)) {
      broken = true;
      return;
    }
    for (size_t w = 0; w < foreseen.size(); ++w)
      if ((differs >> w & 1) != 0 && !cursor.take(foreseen[w]))
        broken = true;
  }
};

// Turns words back into transfers.
class Restorer {
public:
  explicit Restorer(const vst_block &head) : thread_(head.thread), end_(head.first_tick) {}

  // False if the words make no sense.
  bool restore(const Words &words, vst_transfer &transfer) {
    if (words[0] > UINT64_MAX - end_ || words[1] > UINT32_MAX || words[3] > VST_TRANSFER_FLAGS ||
        words[4] > UINT32_MAX || words[5] > UINT32_MAX || words[6] >> 63 != 0 ||
        words[7] > UINT32_MAX)
      return false;
    end_ += words[0];
    transfer.end_record = end_;
    if (words[1] == 0) {
      transfer.start_thread = thread_;
      transfer.start_record = end_ - words[2];
    } else {
      transfer.start_thread = static_cast<uint32_t>(words[1] - 1);
      foreign_ += static_cast<uint64_t>(unzigzagWide(words[2]));
      transfer.start_record = foreign_;
    }
    transfer.flags = static_cast<uint32_t>(words[3]);
    transfer.peer = unzigzag(static_cast<uint32_t>(words[4]));
    transfer.tag = unzigzag(static_cast<uint32_t>(words[5]));
    transfer.bytes = words[6];
    transfer.communicator = static_cast<uint32_t>(words[7]);
    transfer.reserved = 0;
    return true;
  }

private:
  uint32_t thread_;
  uint64_t end_, foreign_ = 0;
};

// The model of each transfer, as in trace_format.h.
class Models {
public:
  explicit Models(uint32_t count) : kind_(count) {}

  uint32_t model() const {
    return model_;
  }

  void add(uint32_t i, const Words &words, bool asForeseen) {
    if (asForeseen && model_ != kNone) {
      kind_[i] = kind_[model_];
      latest_[kind_[i]] = i;
      ++model_;
      return;
    }
    const auto [place, added] = kinds_.try_emplace(words, static_cast<uint32_t>(latest_.size()));
    kind_[i] = place->second;
    if (added) {
      latest_.push_back(i);
      if (model_ != kNone)
        ++model_;
    } else {
      model_ = latest_[kind_[i]] + 1;
      latest_[kind_[i]] = i;
    }
  }

private:
  uint32_t model_ = kNone;
  std::vector<uint32_t> kind_, latest_; // per transfer; per kind: equal transfers are of one kind
  std::map<Words, uint32_t> kinds_;     // ordered: no file can make the search slow
};

} // namespace

const char *unpackTransfers(const vst_block &head, const uint8_t *payload,
                            std::vector<vst_transfer> &transfers) {
  if (head.count > kMaxBlockTransfers)
    return "it has too many transfers";
  const size_t before = transfers.size();
  transfers.resize(before + head.count);
  std::vector<Words> words(head.count);
  Models models(head.count);
  Restorer restorer(head);
  Entry entry{Cursor(payload, head.payload_bytes)};
  entry.advance(0, head.count);
  const char *reason = nullptr;
  for (uint32_t i = 0; i < head.count && reason == nullptr && !entry.broken; ++i) {
    words[i] = models.model() == kNone ? Words{} : words[models.model()];
    const Words foreseen = words[i];
    if (i == entry.record) {
      entry.words(words[i]);
      entry.advance(i + 1, head.count);
    }
    if (!restorer.restore(words[i], transfers[before + i]))
      reason = "its numbers are beyond reason";
    models.add(i, words[i], words[i] == foreseen);
  }
  if (entry.broken || (reason == nullptr && entry.record != UINT64_MAX))
    reason = "an entry is broken";
  if (reason != nullptr)
    transfers.resize(before);
  return reason;
}

} // namespace varscope
