// Counters for JavaScript; shape: CounterDescription in src/trace/native.ts.
#include "addon.h"

namespace varscope {

Napi::Array describeCounters(Napi::Env env, const TraceFile &trace) {
  Napi::Array list = Napi::Array::New(env);
  for (const vst_counter &counter : trace.counters.set) {
    Napi::Object object = Napi::Object::New(env);
    object.Set("name", Napi::String::New(env, counter.name));
    object.Set("unit", Napi::String::New(env, counter.unit));
    object.Set("group", Napi::String::New(env, counter.group));
    object.Set("reason", Napi::String::New(env, counter.reason));
    object.Set("scope", counter.scope);
    list.Set(list.Length(), object);
  }
  return list;
}

} // namespace varscope
