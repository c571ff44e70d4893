// Pieces of the Node addon. Errors of the trace become JavaScript errors with the same text.
#pragma once

#include <napi.h>

#include "edge_table.h"
#include "trace_file.h"

namespace varscope {

// Everything known about an open trace; shape: TraceDescription in src/trace/native.ts.
Napi::Object describe(Napi::Env env, const TraceFile &trace);

// The file's counters, read or not; CounterDescription[] in src/trace/native.ts.
Napi::Array describeCounters(Napi::Env env, const TraceFile &trace);

// Probes of the core's speed; ProbeColumns in src/trace/native.ts.
Napi::Object describeProbes(Napi::Env env, const TraceFile &trace);

// JavaScript class Edges: numbers edges across all files of a job.
class Edges : public Napi::ObjectWrap<Edges> {
public:
  static Napi::Function define(Napi::Env env);
  explicit Edges(const Napi::CallbackInfo &info) : Napi::ObjectWrap<Edges>(info) {}
  EdgeTable table;

private:
  Napi::Value list(const Napi::CallbackInfo &info);
};

// JavaScript class Works: numbers works across all files of a job.
Napi::Function defineWorks(Napi::Env env);

// JavaScript class Trace: one trace file.
Napi::Function defineTrace(Napi::Env env);

// writeTrace(path, description): src/trace/write-synthetic.ts.
Napi::Value writeTrace(const Napi::CallbackInfo &info);

} // namespace varscope
