#include "block_index.h"

#include <algorithm>
#include <cstring>

#include "counters.h"
#include "counts.h"
#include "crc32c.h"
#include "limits.h"

namespace varscope {
namespace {

// Whether a payload of `Slot`s behind a `Head` is as long as its own head says; such blocks have no
// checksum to tell.
template <typename Head, typename Slot>
bool slotsFit(Window &window, uint64_t offset, const vst_block &head) {
  if (head.payload_bytes < sizeof(Head) || head.checksum != 0)
    return false;
  const uint8_t *payload = window.at(offset + sizeof head, sizeof(Head));
  if (payload == nullptr)
    return false;
  Head slots;
  std::memcpy(&slots, payload, sizeof slots);
  return head.payload_bytes == sizeof slots + uint64_t{slots.capacity} * sizeof(Slot);
}

bool checksumFits(Window &window, uint64_t offset, vst_block head) {
  const uint8_t *bytes = window.at(offset, sizeof head + head.payload_bytes);
  if (bytes == nullptr)
    return false;
  const uint32_t expected = head.checksum;
  head.checksum = 0;
  const uint32_t crc = crc32c(0, &head, sizeof head);
  return crc32c(crc, bytes + sizeof head, head.payload_bytes) == expected;
}

// Looks at the block at `offset`, which must end by `limit`. Returns nullptr if it is intact, else
// why not; `head` is filled as far as it could be read.
const char *checkBlock(Window &window, uint64_t offset, uint64_t limit, vst_block &head) {
  head = vst_block{};
  if (limit - offset < sizeof head)
    return "the file is cut short";
  const uint8_t *bytes = window.at(offset, sizeof head);
  if (bytes == nullptr)
    return "the file is cut short";
  std::memcpy(&head, bytes, sizeof head);
  if (head.magic != VST_BLOCK_MAGIC) {
    head = vst_block{};
    return "no block starts here";
  }
  if (head.payload_bytes > kMaxPayloadBytes)
    return "its length is beyond reason";
  if (limit - offset < sizeof head + head.payload_bytes)
    return "it does not end inside the file";
  constexpr const char *contradiction = "its length contradicts its contents";
  if (head.type == VST_BLOCK_STAGING)
    return slotsFit<vst_staging, vst_record>(window, offset, head) ? nullptr : contradiction;
  if (head.type == VST_BLOCK_COUNTS)
    return countsFit(window, offset, head) ? nullptr : contradiction;
  if (head.type == VST_BLOCK_COUNTER_STAGING)
    return counterStagingFits(window, offset, head) ? nullptr : contradiction;
  if (head.type == VST_BLOCK_TRANSFER_STAGING)
    return slotsFit<vst_transfer_staging, vst_transfer>(window, offset, head) ? nullptr
                                                                              : contradiction;
  return checksumFits(window, offset, head) ? nullptr : "its checksum is wrong";
}

} // namespace

uint64_t blockBytes(const vst_block &head) {
  const uint64_t bytes = sizeof head + uint64_t{head.payload_bytes};
  return (bytes + VST_ALIGN - 1) / VST_ALIGN * VST_ALIGN;
}

void BlockIndex::addDamage(const Block &block, const std::string &reason) {
  const bool claims = block.head.type == VST_BLOCK_FRAGMENTS &&
                      uint64_t{block.head.count} * 2 <= block.head.payload_bytes &&
                      block.head.count <= kMaxBlockRecords;
  damages_.push_back({block.offset, blockBytes(block.head), reason, block.head.thread,
                      claims ? block.head.count : 0});
}

void BlockIndex::extend(const File &file, uint64_t committed) {
  Window window(file);
  const uint64_t limit = std::min(committed, file.size());
  while (end_ < limit) {
    Block block{end_, {}};
    const char *reason = checkBlock(window, end_, limit, block.head);
    if (reason == nullptr) {
      blocks_.push_back(block);
      end_ += blockBytes(block.head);
      continue;
    }
    addDamage(block, reason);
    const uint64_t next = findNext(window, end_ + VST_ALIGN, limit);
    damages_.back().bytes = next - end_;
    end_ = next;
  }
}

uint64_t BlockIndex::findNext(Window &window, uint64_t from, uint64_t limit) {
  // A file full of false block heads must not cost more than a few times its own length.
  const uint64_t budget = 8 * limit + (uint64_t{1} << 20);
  for (uint64_t at = from; at + sizeof(vst_block) <= limit; at += VST_ALIGN) {
    const uint8_t *bytes = window.at(at, sizeof(uint32_t));
    if (bytes == nullptr)
      break;
    uint32_t magic;
    std::memcpy(&magic, bytes, sizeof magic);
    if (magic != VST_BLOCK_MAGIC)
      continue;
    vst_block head;
    if (checkBlock(window, at, limit, head) == nullptr)
      return at;
    resyncBytes_ += head.payload_bytes;
    if (resyncBytes_ > budget)
      break;
  }
  return limit;
}

} // namespace varscope
