#include "fuzz_change.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include "crc32c.h"
#include "trace_format.h"

namespace fuzz {

namespace {

constexpr uint64_t kNumbers[] = {0,          1,          0x7f,       0xff,       0xffff,
                                 0x7fffffff, 0x80000000, 0xffffffff, INT64_MAX,  UINT64_MAX,
                                 1U << 16,   1U << 24,   4096,       0xfffffff8, 1ULL << 60};
/** Unknown types, too: readers must pass over them. */
constexpr uint16_t kTypes = 24;

struct Span {
  size_t at, bytes;
};

/** Blocks that can be followed from the header on. */
std::vector<Span> blocksOf(const Bytes &bytes) {
  std::vector<Span> blocks;
  size_t at = VST_HEADER_BYTES;
  while (at + sizeof(vst_block) <= bytes.size()) {
    vst_block head;
    std::memcpy(&head, &bytes[at], sizeof head);
    if (head.magic != VST_BLOCK_MAGIC || head.payload_bytes > bytes.size() - at - sizeof head)
      break;
    const size_t whole = (sizeof head + head.payload_bytes + VST_ALIGN - 1) / VST_ALIGN * VST_ALIGN;
    if (whole > bytes.size() - at)
      break;
    blocks.push_back({at, whole});
    at += whole;
  }
  return blocks;
}

/** Blocks whose payload changes after it was committed have no checksum. */
bool changesLater(uint16_t type) {
  return type == VST_BLOCK_STAGING || type == VST_BLOCK_COUNTS ||
         type == VST_BLOCK_COUNTER_STAGING || type == VST_BLOCK_TRANSFER_STAGING;
}

Bytes slice(const Bytes &bytes, Span span) {
  const auto from = bytes.begin() + static_cast<ptrdiff_t>(span.at);
  return {from, from + static_cast<ptrdiff_t>(span.bytes)};
}

void put(Bytes &bytes, size_t at, const Bytes &block) {
  bytes.insert(bytes.begin() + static_cast<ptrdiff_t>(at), block.begin(), block.end());
}

void cut(Bytes &bytes, Span span) {
  const auto from = bytes.begin() + static_cast<ptrdiff_t>(span.at);
  bytes.erase(from, from + static_cast<ptrdiff_t>(span.bytes));
}

void moveCommitted(Bytes &bytes, int64_t by) {
  auto *header = reinterpret_cast<vst_header *>(bytes.data());
  header->committed += static_cast<uint64_t>(by);
}

} // namespace

size_t below(Random &random, size_t limit) {
  return limit == 0 ? 0 : static_cast<size_t>(random() % limit);
}

Bytes load(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
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

void changeBlocks(Bytes &bytes, const Bytes &other, Random &random) {
  const std::vector<Span> blocks = blocksOf(bytes);
  if (blocks.empty())
    return;
  const Span chosen = blocks[below(random, blocks.size())];
  const size_t before = bytes.size();
  switch (random() % 5) {
  case 0:
    cut(bytes, chosen);
    break;
  case 1:
    put(bytes, blocks[below(random, blocks.size())].at, slice(bytes, chosen));
    break;
  case 2: {
    const std::vector<Span> foreign = blocksOf(other);
    if (!foreign.empty())
      put(bytes, chosen.at, slice(other, foreign[below(random, foreign.size())]));
    break;
  }
  case 3: {
    const uint16_t type = static_cast<uint16_t>(below(random, kTypes));
    std::memcpy(&bytes[chosen.at + offsetof(vst_block, type)], &type, sizeof type);
    break;
  }
  default: {
    const Bytes block = slice(bytes, chosen);
    cut(bytes, chosen);
    const std::vector<Span> rest = blocksOf(bytes);
    put(bytes, rest.empty() ? chosen.at : rest[below(random, rest.size())].at, block);
  }
  }
  moveCommitted(bytes, static_cast<int64_t>(bytes.size()) - static_cast<int64_t>(before));
}

void mendChecksums(Bytes &bytes) {
  if (bytes.size() < sizeof(vst_header))
    return;
  reinterpret_cast<vst_header *>(bytes.data())->fixed_checksum = 0;
  for (const Span &span : blocksOf(bytes)) {
    vst_block head;
    std::memcpy(&head, &bytes[span.at], sizeof head);
    if (changesLater(head.type))
      continue;
    head.checksum = 0;
    const uint32_t crc = varscope::crc32c(0, &head, sizeof head);
    head.checksum = varscope::crc32c(crc, &bytes[span.at + sizeof head], head.payload_bytes);
    std::memcpy(&bytes[span.at], &head, sizeof head);
  }
}

} // namespace fuzz
