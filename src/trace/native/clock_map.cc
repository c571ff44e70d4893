#include "clock_map.h"

#include <algorithm>
#include <cmath>

#include "limits.h"
#include "trace_error.h"

namespace varscope {
namespace {

// Readings closer together than this give no usable slope: each takes some 100 ns to make.
constexpr uint64_t kLeastGapNanoseconds = 1000000;
// The estimate in the header comes from a short measurement; a slope further off than this is
// wrong.
constexpr double kMostDeviation = 0.2;

double nominalSlope(const vst_header &header) {
  if (header.clock_kind == VST_CLOCK_MONOTONIC && header.tick_shift < 32)
    return static_cast<double>(uint64_t{1} << header.tick_shift);
  if (header.ticks_per_second >= 1000 && header.ticks_per_second <= 1000000000000U)
    return 1e9 / static_cast<double>(header.ticks_per_second);
  return 0;
}

bool slopeFits(double slope, double nominal) {
  if (nominal > 0)
    return std::fabs(slope / nominal - 1) <= kMostDeviation;
  return slope > 1e-3 && slope < 1e6;
}

} // namespace

ClockMap::ClockMap(const vst_header &header, std::vector<vst_clock> readings,
                   std::string &problem) {
  const double nominal = nominalSlope(header);
  std::sort(readings.begin(), readings.end(),
            [](const vst_clock &a, const vst_clock &b) { return a.tick < b.tick; });
  std::vector<vst_clock> kept;
  size_t refused = 0;
  for (const vst_clock &reading : readings) {
    if (reading.monotonic_ns > static_cast<uint64_t>(kMaxNanoseconds)) {
      ++refused;
      continue;
    }
    if (kept.empty()) {
      kept.push_back(reading);
      continue;
    }
    const vst_clock &last = kept.back();
    const auto ticks = static_cast<double>(reading.tick - last.tick);
    if (reading.monotonic_ns >= last.monotonic_ns &&
        reading.monotonic_ns - last.monotonic_ns < kLeastGapNanoseconds)
      continue;
    if (reading.monotonic_ns < last.monotonic_ns ||
        !slopeFits(static_cast<double>(reading.monotonic_ns - last.monotonic_ns) / ticks,
                   nominal)) {
      ++refused;
      continue;
    }
    kept.push_back(reading);
  }
  if (kept.empty() || (kept.size() == 1 && nominal <= 0))
    throw TraceError("has no usable clock reading, so its times mean nothing");
  if (refused > 0)
    problem = std::to_string(refused) + " of " + std::to_string(readings.size()) +
              " clock readings contradict the others and were not used";
  for (size_t i = 0; i < kept.size(); ++i) {
    const auto start = static_cast<int64_t>(kept[i].monotonic_ns);
    if (i + 1 < kept.size()) {
      const auto end = static_cast<int64_t>(kept[i + 1].monotonic_ns);
      const auto ticks = static_cast<double>(kept[i + 1].tick - kept[i].tick);
      segments_.push_back({kept[i].tick, start, end, static_cast<double>(end - start) / ticks});
    } else {
      const double slope = segments_.empty() ? nominal : segments_.back().slope;
      segments_.push_back({kept[i].tick, start, 2 * kMaxNanoseconds, slope});
    }
  }
}

bool ClockMap::holds(uint64_t tick) const {
  const Segment &first = segments_.front(), &last = segments_.back();
  const double most = static_cast<double>(kMaxNanoseconds);
  return tick >= first.tick ? static_cast<double>(tick - first.tick) * last.slope < most
                            : static_cast<double>(first.tick - tick) * first.slope < most;
}

int64_t ClockMap::nanoseconds(uint64_t tick, size_t &segment) const {
  while (segment > 0 && tick < segments_[segment].tick)
    --segment;
  while (segment + 1 < segments_.size() && tick >= segments_[segment + 1].tick)
    ++segment;
  const Segment &line = segments_[segment];
  if (tick < line.tick) {
    const double back = static_cast<double>(line.tick - tick) * line.slope;
    return line.start - static_cast<int64_t>(back + 0.5);
  }
  const double on = static_cast<double>(tick - line.tick) * line.slope;
  // Rounding must not run past the start of the next segment.
  return std::min(line.start + static_cast<int64_t>(on + 0.5), line.end);
}

} // namespace varscope
