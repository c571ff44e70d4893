#include "forecast.h"

#include <random>

namespace varscope {
namespace {

// What records are compared by: all but their times and what was left out before them.
constexpr size_t kValues = offsetof(vst_record, bytes);
constexpr size_t kValueBytes = offsetof(vst_record, skipped) - kValues;
static_assert(kValueBytes == 32, "no padding, which would be compared too");

const uint8_t *values(const vst_record &record) {
  return reinterpret_cast<const uint8_t *>(&record) + kValues;
}

} // namespace

// Keys of the hash are secret, so that no file can be made whose records all fall into one cell.
Forecast::Forecast(uint32_t states) : states_(states) {
  std::random_device random;
  for (uint32_t &key : keys_)
    key = random();
  multiplier_ = uint64_t{random()} << 32 | random() | 1;
}

void Forecast::start(const vst_record *records, uint32_t count) {
  records_ = records;
  model_ = kNone;
  if (++block_ == 0) { // numbers of blocks start over: forget everything
    states_.assign(states_.size(), Latest{});
    block_ = 1;
  }
  unsigned bits = 4;
  while ((uint64_t{1} << bits) < uint64_t{count} * 4)
    ++bits;
  shift_ = 64 - bits;
  kinds_.assign(size_t{1} << bits, kNone);
  kind_.resize(count);
}

bool Forecast::equal(uint32_t a, uint32_t b) const {
  return std::memcmp(values(records_[a]), values(records_[b]), kValueBytes) == 0;
}

// NH of J. Black et al., "UMAC: Fast and Secure Message Authentication", CRYPTO '99, section 4.
uint64_t Forecast::hash(const vst_record &record) const {
  uint32_t words[kValueBytes / sizeof(uint32_t)];
  std::memcpy(words, values(record), kValueBytes);
  uint64_t sum = 0;
  for (size_t i = 0; i < 8; i += 2)
    sum += uint64_t{words[i] + keys_[i]} * uint64_t{words[i + 1] + keys_[i + 1]};
  return sum;
}

uint32_t Forecast::cell(uint32_t record) const {
  const size_t mask = kinds_.size() - 1;
  size_t cell = hash(records_[record]) * multiplier_ >> shift_;
  while (kinds_[cell] != kNone && !equal(kinds_[cell], record))
    cell = (cell + 1) & mask;
  return static_cast<uint32_t>(cell);
}

void Forecast::add(uint32_t record) {
  if (model_ != kNone && equal(model_, record)) {
    repeated(record);
    return;
  }
  const uint32_t kind = cell(record);
  const uint32_t state = records_[record].state;
  const uint32_t twin = kinds_[kind];
  const uint32_t like = model_ != kNone && records_[model_].state == state ? model_ : latest(state);
  kind_[record] = kind;
  kinds_[kind] = record;
  states_[state] = {block_, record};
  if (twin != kNone)
    model_ = twin + 1;
  else
    model_ = like == kNone ? kNone : like + 1;
}

} // namespace varscope
