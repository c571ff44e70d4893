// Call paths of a trace file.
#pragma once

#include <cstdint>
#include <vector>

#include "trace_format.h"

namespace varscope {

struct Path {
  uint32_t number;
  std::vector<vst_frame> frames; // innermost first; modules are numbers of the file
};

// Takes in the payload of a PATH block. Returns nullptr, or why its contents make no sense.
const char *takePath(std::vector<Path> &paths, const uint8_t *at, const uint8_t *end);

} // namespace varscope
