// Bounds that no honest trace reaches. They keep a damaged or hostile number from costing memory or
// time; what exceeds them is treated as damage.
#pragma once

#include <cstdint>

namespace varscope {

constexpr uint32_t kMaxPayloadBytes = 256U << 20;
constexpr uint32_t kMaxBlockRecords = 1U << 22;
constexpr uint32_t kMaxBlockTransfers = 1U << 12; // they can take no bytes at all
constexpr uint32_t kMaxDefinitions = 1U << 20;    // numbers of states, modules, communicators
constexpr uint32_t kMaxPathFrames = 1024;
constexpr uint32_t kMaxThreads = 32767; // column `thread` is a SMALLINT
constexpr uint32_t kMaxCommunicatorSize = 1U << 24;
constexpr int32_t kMaxWorldSize = 1 << 24;
constexpr int64_t kMaxNanoseconds = int64_t{1} << 61; // 73 years

} // namespace varscope
