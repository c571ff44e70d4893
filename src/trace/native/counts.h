// COUNTS blocks: what threads left out on purpose, state by state. Rule: struct vst_counts in
// trace_format.h.
#pragma once

#include "block_index.h"
#include "file.h"
#include "trace_file.h"

namespace varscope {

// True if a COUNTS payload is as long as its own head says; it has no checksum to tell.
bool countsFit(Window &window, uint64_t offset, const vst_block &head);

// Fills `leftOut` and `lastLeftOut` of all threads. Entries that make no sense are named in the
// trace's damage and left out.
void readCounts(const File &file, const BlockIndex &index, TraceFile &trace);

} // namespace varscope
