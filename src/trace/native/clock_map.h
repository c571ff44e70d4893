// From ticks of one file to nanoseconds of CLOCK_MONOTONIC on its host.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace_format.h"

namespace varscope {

class ClockMap {
public:
  // Straight lines through the clock readings, the outer ones continued beyond; through a single
  // reading by the estimate in the header. Readings that contradict the others are left out and
  // named in `problem`. Throws TraceError when no line can be drawn.
  ClockMap(const vst_header &header, std::vector<vst_clock> readings, std::string &problem);

  // Never decreases as ticks grow. `segment` remembers where the last tick was (start with 0);
  // ticks need not come in order, but it is quick when they do.
  int64_t nanoseconds(uint64_t tick, size_t &segment) const;

  double nanosecondsPerTick() const {
    return segments_.back().slope;
  }

  // Whether `tick` stays inside what the store can hold.
  bool holds(uint64_t tick) const;

private:
  struct Segment {
    uint64_t tick; // where it starts
    int64_t start; // nanoseconds there
    int64_t end;   // nanoseconds where the next one starts
    double slope;  // nanoseconds per tick
  };
  std::vector<Segment> segments_;
};

} // namespace varscope
