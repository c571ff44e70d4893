// CRC-32C (Castagnoli), as in RFC 3720 appendix B.4.
#pragma once

#include <cstddef>
#include <cstdint>

namespace varscope {

// Continues `crc` (0 to start) over `bytes` more bytes.
uint32_t crc32c(uint32_t crc, const void *data, size_t bytes);

} // namespace varscope
