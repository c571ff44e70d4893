#include "crc32c.h"

#include <array>
#include <cstring>

namespace varscope {
namespace {

using Table = std::array<uint32_t, 256>;

Table makeTable() {
  Table table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit)
      value = (value >> 1) ^ ((value & 1U) != 0 ? 0x82f63b78U : 0U);
    table[i] = value;
  }
  return table;
}

uint32_t byTable(uint32_t crc, const uint8_t *data, size_t bytes) {
  static const Table table = makeTable();
  for (; bytes > 0; --bytes)
    crc = (crc >> 8) ^ table[(crc ^ *data++) & 0xffU];
  return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t byInstruction(uint32_t crc, const uint8_t *data,
                                                         size_t bytes) {
  uint64_t wide = crc;
  for (; bytes >= 8; bytes -= 8, data += 8) {
    uint64_t word;
    std::memcpy(&word, data, 8);
    wide = __builtin_ia32_crc32di(wide, word);
  }
  crc = static_cast<uint32_t>(wide);
  for (; bytes > 0; --bytes)
    crc = __builtin_ia32_crc32qi(crc, *data++);
  return crc;
}
#endif

} // namespace

uint32_t crc32c(uint32_t crc, const void *data, size_t bytes) {
  const auto *from = static_cast<const uint8_t *>(data);
#if defined(__x86_64__)
  static const bool fast = __builtin_cpu_supports("sse4.2") != 0;
  if (fast)
    return ~byInstruction(~crc, from, bytes);
#endif
  return ~byTable(~crc, from, bytes);
}

} // namespace varscope
