// Probes of a core's speed: PROBES blocks.
#pragma once

#include <cstdint>
#include <vector>

#include "block_index.h"
#include "trace_format.h"

namespace varscope {

struct Probe {
  uint32_t thread; // that made it
  vst_probe made;
};

// Takes in one PROBES block. Returns nullptr, or why its contents make no sense.
const char *takeProbes(std::vector<Probe> &into, const Block &block, const uint8_t *payload);

} // namespace varscope
