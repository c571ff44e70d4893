#include <algorithm>
#include <memory>
#include <string>

#include "addon.h"
#include "decoder.h"
#include "trace_error.h"

namespace varscope {
namespace {

Napi::Error failure(Napi::Env env, const std::exception &error) {
  return Napi::Error::New(env, error.what());
}

template <typename Array, typename Element>
Element *column(const Napi::Object &columns, const char *name, napi_typedarray_type type,
                size_t &capacity) {
  const Napi::Value value = columns.Get(name);
  if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != type)
    throw Napi::TypeError::New(columns.Env(),
                               std::string("column ") + name + " is missing or of the wrong type");
  Array array = value.As<Array>();
  capacity = std::min(capacity, array.ElementLength());
  return array.Data();
}

Columns takeColumns(const Napi::Object &from) {
  size_t capacity = SIZE_MAX;
  const auto narrow = [&](const char *name) {
    return column<Napi::Int32Array, int32_t>(from, name, napi_int32_array, capacity);
  };
  const auto wide = [&](const char *name) {
    return column<Napi::BigInt64Array, int64_t>(from, name, napi_bigint64_array, capacity);
  };
  Columns columns{};
  columns.rank = narrow("rank");
  columns.thread = column<Napi::Int16Array, int16_t>(from, "thread", napi_int16_array, capacity);
  columns.state = narrow("state");
  columns.edge = narrow("edge");
  columns.before_ns = wide("before_ns");
  columns.start_ns = wide("start_ns");
  columns.end_ns = wide("end_ns");
  columns.bytes = wide("bytes");
  columns.before_bytes = wide("before_bytes");
  columns.peer = narrow("peer");
  columns.communicator = narrow("communicator");
  columns.tag = narrow("tag");
  columns.requests = narrow("requests");
  columns.completed = narrow("completed");
  columns.capacity = capacity;
  return columns;
}

std::vector<int32_t> takeNumbers(const Napi::Value &value) {
  const auto array = value.As<Napi::Int32Array>();
  return {array.Data(), array.Data() + array.ElementLength()};
}

class Trace : public Napi::ObjectWrap<Trace> {
public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(
        env, "Trace",
        {InstanceMethod<&Trace::description>("describe"), InstanceMethod<&Trace::begin>("begin"),
         InstanceMethod<&Trace::next>("next"), InstanceMethod<&Trace::finish>("finish")});
  }

  explicit Trace(const Napi::CallbackInfo &info) : Napi::ObjectWrap<Trace>(info) {
    try {
      trace_ = std::make_unique<TraceFile>(info[0].As<Napi::String>().Utf8Value());
    } catch (const TraceError &error) {
      throw failure(info.Env(), error);
    }
  }

private:
  std::unique_ptr<TraceFile> trace_;
  std::unique_ptr<Decoder> decoder_;
  Napi::ObjectReference edges_; // keeps the table alive while it is used

  Napi::Value description(const Napi::CallbackInfo &info) {
    return describe(info.Env(), *trace_);
  }

  // begin(states, communicators, subtract, edges)
  void begin(const Napi::CallbackInfo &info) {
    bool lossless = false;
    Mapping mapping{takeNumbers(info[0]), takeNumbers(info[1]),
                    info[2].As<Napi::BigInt>().Int64Value(&lossless)};
    const auto edges = info[3].As<Napi::Object>();
    edges_ = Napi::Persistent(edges);
    try {
      decoder_ =
          std::make_unique<Decoder>(*trace_, std::move(mapping), Edges::Unwrap(edges)->table);
    } catch (const TraceError &error) {
      throw failure(info.Env(), error);
    }
  }

  // next(columns): rows written
  Napi::Value next(const Napi::CallbackInfo &info) {
    if (!decoder_)
      throw Napi::Error::New(info.Env(), "next() needs begin() first");
    const Columns columns = takeColumns(info[0].As<Napi::Object>());
    return Napi::Number::New(info.Env(), static_cast<double>(decoder_->next(columns)));
  }

  // finish(): what decoding found out; the file is closed
  Napi::Value finish(const Napi::CallbackInfo &info) {
    const Napi::Env env = info.Env();
    if (!decoder_)
      throw Napi::Error::New(env, "finish() needs begin() first");
    Napi::Object result = Napi::Object::New(env);
    Napi::Array damage = Napi::Array::New(env);
    for (const std::string &line : decoder_->damage())
      damage.Set(damage.Length(), Napi::String::New(env, line));
    result.Set("damage", damage);
    result.Set("rows", static_cast<double>(decoder_->rows()));
    result.Set("lastEndNs", Napi::BigInt::New(env, decoder_->lastEnd()));
    decoder_.reset();
    edges_.Reset();
    return result;
  }
};

} // namespace

Napi::Function defineTrace(Napi::Env env) {
  return Trace::define(env);
}

} // namespace varscope
