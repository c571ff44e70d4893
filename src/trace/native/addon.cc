#include "addon.h"

namespace varscope {

Napi::Function Edges::define(Napi::Env env) {
  return DefineClass(env, "Edges", {InstanceMethod<&Edges::list>("list")});
}

// Pairs from, to one after the other; their position is the number of the edge.
Napi::Value Edges::list(const Napi::CallbackInfo &info) {
  const auto &edges = table.edges();
  Napi::Int32Array pairs = Napi::Int32Array::New(info.Env(), edges.size() * 2);
  for (size_t i = 0; i < edges.size(); ++i) {
    pairs[2 * i] = edges[i].first;
    pairs[2 * i + 1] = edges[i].second;
  }
  return pairs;
}

namespace {

Napi::Object start(Napi::Env env, Napi::Object exports) {
  exports.Set("Trace", defineTrace(env));
  exports.Set("Works", defineWorks(env));
  exports.Set("Edges", Edges::define(env));
  exports.Set("writeTrace", Napi::Function::New(env, writeTrace));
  return exports;
}

} // namespace

NODE_API_MODULE(trace, start)

} // namespace varscope
