// Bounds-checked reading of LEB128 varints.
#pragma once

#include <cstddef>
#include <cstdint>

namespace varscope {

class Cursor {
public:
  Cursor() = default;
  Cursor(const uint8_t *from, size_t bytes) : at_(from), end_(from + bytes) {}

  bool atEnd() const {
    return at_ == end_;
  }

  // False at the end of the data, or when the number does not fit 64 bits.
  bool take(uint64_t &value) {
    if (at_ == end_)
      return false;
    uint64_t byte = *at_++;
    if (byte < 0x80) {
      value = byte;
      return true;
    }
    uint64_t result = byte & 0x7f;
    for (unsigned shift = 7; shift < 64; shift += 7) {
      if (at_ == end_)
        return false;
      byte = *at_++;
      if (shift == 63 && byte > 1)
        return false;
      result |= (byte & 0x7f) << shift;
      if (byte < 0x80) {
        value = result;
        return true;
      }
    }
    return false;
  }

  // One byte as it is.
  bool takeByte(uint64_t &value) {
    if (at_ == end_)
      return false;
    value = *at_++;
    return true;
  }

private:
  const uint8_t *at_ = nullptr, *end_ = nullptr;
};

// Signed number of a zigzag-coded one.
inline int32_t unzigzag(uint32_t coded) {
  return static_cast<int32_t>((coded >> 1) ^ (~(coded & 1) + 1));
}

} // namespace varscope
