#include "probes.h"

#include <cstring>

#include "limits.h"

namespace varscope {
namespace {

bool makesSense(const vst_probe &probe) {
  constexpr uint64_t most = kMaxNanoseconds;
  return probe.tick < most && probe.ticks < most && probe.cpu_ns < most &&
         probe.total_cpu_ns < most &&
         (probe.delay_ns < most || probe.delay_ns == VST_DELAY_NOT_TOLD) &&
         (probe.core <= INT32_MAX || probe.core == VST_NO_NUMBER) && probe.kind <= INT16_MAX;
}

} // namespace

const char *takeProbes(std::vector<Probe> &into, const Block &block, const uint8_t *payload) {
  if (block.head.payload_bytes != uint64_t{block.head.count} * sizeof(vst_probe))
    return "its length contradicts its count";
  if (block.head.thread > kMaxThreads)
    return "its numbers are beyond reason";
  const size_t before = into.size();
  for (uint32_t i = 0; i < block.head.count; ++i) {
    Probe probe{block.head.thread, {}};
    std::memcpy(&probe.made, payload + i * sizeof(vst_probe), sizeof probe.made);
    if (!makesSense(probe.made)) {
      into.resize(before);
      return "its numbers are beyond reason";
    }
    into.push_back(probe);
  }
  return nullptr;
}

} // namespace varscope
