// Snapshot of the records that threads of a running or killed process have not sealed yet. Rule and
// reasons: struct vst_staging in trace_format.h.
#pragma once

#include "block_index.h"
#include "file.h"
#include "trace_file.h"

namespace varscope {

// Sorts the record blocks of `index` to `trace.threads` and copies counters and all slots that can
// hold unsealed records. Blocks that appear meanwhile are taken into `index`.
void takeSnapshot(const File &file, TraceFile &trace, BlockIndex &index);

// Cuts the slots down to those that do follow the thread's last block. Needs the definitions.
void chooseUnsealed(const File &file, TraceFile &trace);

} // namespace varscope
