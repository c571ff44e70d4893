// Column buffers of JavaScript as those of the reader.
#pragma once

#include <napi.h>

#include "counter_decoder.h"
#include "decoder.h"
#include "transfers.h"
#include "work_table.h"

namespace varscope {

// Objects with a typed array per column, named like it: CallColumns, WorkColumns and
// CounterColumns and TransferColumns in
// src/trace/native.ts. Throw a TypeError if one is missing or of the wrong type.
Columns takeColumns(const Napi::Object &from);
WorkColumns takeWorkColumns(const Napi::Object &from);
CounterColumns takeCounterColumns(const Napi::Object &from);
TransferColumns takeTransferColumns(const Napi::Object &from);

} // namespace varscope
