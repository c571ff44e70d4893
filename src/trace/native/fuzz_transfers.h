// The part of the fuzzer that reads transfers.
#pragma once

#include "decoder.h"
#include "trace_file.h"

namespace varscope {

// Decodes all transfers of a trace and aborts if a row is one that no honest or damaged file may
// give. Returns the rows.
size_t fuzzTransfers(const TraceFile &trace, const Mapping &mapping);

} // namespace varscope
