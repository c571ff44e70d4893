#include "fuzz_description.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "limits.h"

namespace varscope {
namespace {

void require(bool holds, const char *what) {
  if (holds)
    return;
  std::fprintf(stderr, "fuzz-reader: wrong description: %s\n", what);
  std::abort();
}

// Far from where differences of two times would overflow.
bool inReach(int64_t nanoseconds) {
  return nanoseconds >= -2 * kMaxNanoseconds && nanoseconds <= 2 * kMaxNanoseconds;
}

bool told(uint32_t number, uint32_t most) {
  return number <= most || number == VST_NO_NUMBER;
}

// Returns how many probes have a time.
size_t readProbes(const TraceFile &trace) {
  size_t segment = 0, placed = 0;
  for (const Probe &probe : trace.definitions.probes) {
    const vst_probe &made = probe.made;
    require(probe.thread <= kMaxThreads && made.kind <= INT16_MAX, "a number of a probe");
    require(told(made.core, INT32_MAX), "core of a probe");
    require(made.cpu_ns <= INT64_MAX && made.total_cpu_ns <= INT64_MAX, "CPU time of a probe");
    require(made.delay_ns <= INT64_MAX || made.delay_ns == VST_DELAY_NOT_TOLD, "its delay");
    if (!trace.clock->holds(made.tick) || !trace.clock->holds(made.tick + made.ticks))
      continue;
    const int64_t start = trace.clock->nanoseconds(made.tick, segment);
    const double took = static_cast<double>(made.ticks) * trace.clock->nanosecondsPerTick();
    require(inReach(start), "start of a probe");
    require(std::isfinite(took) && took >= 0, "duration of a probe");
    ++placed;
  }
  return placed;
}

void readLives(const TraceFile &trace) {
  size_t segment = 0;
  for (const ThreadLife &life : trace.definitions.threads) {
    require(life.head.thread <= kMaxThreads && told(life.head.parent, kMaxThreads), "a thread");
    if (trace.clock->holds(life.head.tick))
      require(inReach(trace.clock->nanoseconds(life.head.tick, segment)), "time of a thread");
  }
}

void readNumbers(const TraceFile &trace) {
  for (const FileDefinition &file : trace.definitions.files)
    require(file.head.file < kMaxDefinitions, "number of a file");
  for (const Path &path : trace.definitions.paths)
    require(path.number < kMaxDefinitions && path.frames.size() <= kMaxPathFrames, "a path");
  for (const Thread &thread : trace.threads)
    for (const vst_count &count : thread.leftOut)
      require(count.state < trace.states && count.calls > 0 && count.timed <= count.calls,
              "a count of calls left out");
}

} // namespace

size_t fuzzDescription(const TraceFile &trace) {
  size_t segment = 0;
  require(!trace.definitions.clocks.empty(), "no clock reading");
  require(inReach(trace.clock->nanoseconds(trace.header.init_exit_tick, segment)), "time 0");
  require(inReach(trace.clock->nanoseconds(trace.lastTick, segment)), "its last time");
  readLives(trace);
  readNumbers(trace);
  return readProbes(trace);
}

void fuzzGaps(const TraceFile &trace, const Decoder &decoder) {
  uint32_t thread = 0;
  for (const Gap &gap : decoder.gaps()) {
    require(gap.thread >= thread && gap.thread <= kMaxThreads, "thread of a gap");
    require(gap.start <= gap.end && inReach(gap.start) && inReach(gap.end), "time of a gap");
    require(gap.calls > 0 && gap.calls <= INT64_MAX, "calls of a gap");
    thread = gap.thread;
  }
  require(trace.threads.size() <= size_t{kMaxThreads} + 1, "too many threads");
}

} // namespace varscope
