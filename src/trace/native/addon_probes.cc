// Probes for JavaScript; shape: ProbeColumns in src/trace/native.ts. Times are those of the host.
#include "addon.h"

namespace varscope {

Napi::Object describeProbes(Napi::Env env, const TraceFile &trace) {
  const std::vector<Probe> &probes = trace.definitions.probes;
  const size_t rows = probes.size();
  Napi::Int16Array thread = Napi::Int16Array::New(env, rows);
  Napi::Int16Array kind = Napi::Int16Array::New(env, rows);
  Napi::Int32Array core = Napi::Int32Array::New(env, rows);
  Napi::BigInt64Array start = Napi::BigInt64Array::New(env, rows);
  Napi::Float64Array duration = Napi::Float64Array::New(env, rows);
  Napi::BigInt64Array cpu = Napi::BigInt64Array::New(env, rows);
  Napi::BigInt64Array total = Napi::BigInt64Array::New(env, rows);
  Napi::BigInt64Array delay = Napi::BigInt64Array::New(env, rows);
  size_t segment = 0, at = 0;
  for (const Probe &probe : probes) {
    const vst_probe &made = probe.made;
    if (!trace.clock->holds(made.tick) || !trace.clock->holds(made.tick + made.ticks))
      continue;
    thread[at] = static_cast<int16_t>(probe.thread);
    kind[at] = static_cast<int16_t>(made.kind);
    core[at] = made.core == VST_NO_NUMBER ? -1 : static_cast<int32_t>(made.core);
    start[at] = trace.clock->nanoseconds(made.tick, segment);
    duration[at] = static_cast<double>(made.ticks) * trace.clock->nanosecondsPerTick();
    cpu[at] = static_cast<int64_t>(made.cpu_ns);
    total[at] = static_cast<int64_t>(made.total_cpu_ns);
    delay[at] = made.delay_ns == VST_DELAY_NOT_TOLD ? -1 : static_cast<int64_t>(made.delay_ns);
    ++at;
  }
  Napi::Object object = Napi::Object::New(env);
  object.Set("rows", static_cast<double>(at));
  object.Set("thread", thread);
  object.Set("kind", kind);
  object.Set("core", core);
  object.Set("start_ns", start);
  object.Set("duration_ns", duration);
  object.Set("cpu_ns", cpu);
  object.Set("total_cpu_ns", total);
  object.Set("delay_ns", delay);
  return object;
}

} // namespace varscope
