#include "fuzz_coverage.h"

#include <cstdint>
#include <cstring>

namespace {

constexpr size_t kSteps = 1U << 16;
uint8_t counts[kSteps];
/** One bit for each magnitude of a count. */
uint8_t seen[kSteps];
uintptr_t before;
size_t steps;

/** 1, 2, 3, 4-7, 8-15, 16-31, 32-127, more: a bit each. */
uint8_t magnitude(uint8_t count) {
  if (count < 4)
    return static_cast<uint8_t>(1U << (count - 1));
  if (count < 8)
    return 8;
  if (count < 16)
    return 16;
  if (count < 32)
    return 32;
  return count < 128 ? 64 : 128;
}

} // namespace

extern "C" void __sanitizer_cov_trace_pc() {
  // Relative to this function: address space randomisation must not matter.
  const auto here = reinterpret_cast<uintptr_t>(__builtin_return_address(0)) -
                    reinterpret_cast<uintptr_t>(&__sanitizer_cov_trace_pc);
  const uintptr_t mixed = here * 0x9e3779b97f4a7c15U >> 40;
  uint8_t &count = counts[(mixed ^ before) % kSteps];
  count = static_cast<uint8_t>(count + (count < 255 ? 1 : 0));
  before = mixed >> 1;
}

namespace fuzz {

void startCoverage() {
  std::memset(counts, 0, sizeof counts);
  before = 0;
}

size_t newCoverage() {
  size_t found = 0;
  for (size_t i = 0; i < kSteps; ++i) {
    if (counts[i] == 0)
      continue;
    const uint8_t bit = magnitude(counts[i]);
    if ((seen[i] & bit) != 0)
      continue;
    steps += seen[i] == 0 ? 1 : 0;
    seen[i] = static_cast<uint8_t>(seen[i] | bit);
    ++found;
  }
  return found;
}

size_t stepsSeen() {
  return steps;
}

} // namespace fuzz
