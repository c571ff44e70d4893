// The part of the fuzzer that reads what a trace says beside its rows.
#pragma once

#include "decoder.h"
#include "trace_file.h"

namespace varscope {

// Goes through probes, threads, files, paths and calls left out as the addon does, and aborts at
// what no honest or damaged file may give. Returns the probes.
size_t fuzzDescription(const TraceFile &trace);

// The same for gaps, when all calls are decoded.
void fuzzGaps(const TraceFile &trace, const Decoder &decoder);

} // namespace varscope
