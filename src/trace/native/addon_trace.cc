#include <memory>
#include <string>

#include "addon.h"
#include "addon_columns.h"
#include "decoder.h"
#include "trace_error.h"
#include "transfers.h"

namespace varscope {
namespace {

Napi::Error failure(Napi::Env env, const std::exception &error) {
  return Napi::Error::New(env, error.what());
}

std::vector<int32_t> takeNumbers(const Napi::Value &value) {
  const auto array = value.As<Napi::Int32Array>();
  return {array.Data(), array.Data() + array.ElementLength()};
}

// Columns of the table `gaps`, but for the rank.
Napi::Object describeGaps(Napi::Env env, const std::vector<Gap> &gaps) {
  Napi::Object object = Napi::Object::New(env);
  Napi::Int16Array thread = Napi::Int16Array::New(env, gaps.size());
  Napi::BigInt64Array start = Napi::BigInt64Array::New(env, gaps.size());
  Napi::BigInt64Array end = Napi::BigInt64Array::New(env, gaps.size());
  Napi::BigInt64Array calls = Napi::BigInt64Array::New(env, gaps.size());
  for (size_t i = 0; i < gaps.size(); ++i) {
    thread[i] = static_cast<int16_t>(gaps[i].thread);
    start[i] = gaps[i].start;
    end[i] = gaps[i].end;
    calls[i] = static_cast<int64_t>(gaps[i].calls);
  }
  object.Set("thread", thread);
  object.Set("start_ns", start);
  object.Set("end_ns", end);
  object.Set("calls", calls);
  return object;
}

class Trace : public Napi::ObjectWrap<Trace> {
public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(
        env, "Trace",
        {InstanceMethod<&Trace::description>("describe"), InstanceMethod<&Trace::begin>("begin"),
         InstanceMethod<&Trace::next>("next"), InstanceMethod<&Trace::finish>("finish"),
         InstanceMethod<&Trace::beginCounters>("beginCounters"),
         InstanceMethod<&Trace::nextCounters>("nextCounters"),
         InstanceMethod<&Trace::finishCounters>("finishCounters"),
         InstanceMethod<&Trace::beginTransfers>("beginTransfers"),
         InstanceMethod<&Trace::nextTransfers>("nextTransfers"),
         InstanceMethod<&Trace::finishTransfers>("finishTransfers")});
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
  std::unique_ptr<CounterDecoder> counters_;
  std::unique_ptr<TransferDecoder> transfers_;
  Napi::ObjectReference edges_; // keeps the table alive while it is used

  Napi::Value description(const Napi::CallbackInfo &info) {
    return describe(info.Env(), *trace_);
  }

  static Mapping takeMapping(const Napi::CallbackInfo &info) {
    bool lossless = false;
    return {takeNumbers(info[0]), takeNumbers(info[1]), takeNumbers(info[2]),
            info[3].As<Napi::BigInt>().Int64Value(&lossless)};
  }

  // begin(states, communicators, files, subtract, edges)
  void begin(const Napi::CallbackInfo &info) {
    Mapping mapping = takeMapping(info);
    const auto edges = info[4].As<Napi::Object>();
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

  template <typename AnyDecoder>
  static Napi::Object outcome(Napi::Env env, const AnyDecoder &decoder) {
    Napi::Object result = Napi::Object::New(env);
    Napi::Array damage = Napi::Array::New(env);
    for (const std::string &line : decoder.damage())
      damage.Set(damage.Length(), Napi::String::New(env, line));
    result.Set("damage", damage);
    result.Set("rows", static_cast<double>(decoder.rows()));
    return result;
  }

  // beginTransfers(states, communicators, files, subtract)
  void beginTransfers(const Napi::CallbackInfo &info) {
    try {
      transfers_ = std::make_unique<TransferDecoder>(*trace_, takeMapping(info));
    } catch (const TraceError &error) {
      throw failure(info.Env(), error);
    }
  }

  // nextTransfers(columns): rows written
  Napi::Value nextTransfers(const Napi::CallbackInfo &info) {
    if (!transfers_)
      throw Napi::Error::New(info.Env(), "nextTransfers() needs beginTransfers() first");
    const TransferColumns columns = takeTransferColumns(info[0].As<Napi::Object>());
    return Napi::Number::New(info.Env(), static_cast<double>(transfers_->next(columns)));
  }

  // finishTransfers(): what decoding found out; the file is closed
  Napi::Value finishTransfers(const Napi::CallbackInfo &info) {
    if (!transfers_)
      throw Napi::Error::New(info.Env(), "finishTransfers() needs beginTransfers() first");
    const Napi::Object result = outcome(info.Env(), *transfers_);
    transfers_.reset();
    return result;
  }

  // finish(): what decoding found out; the file is closed
  Napi::Value finish(const Napi::CallbackInfo &info) {
    const Napi::Env env = info.Env();
    if (!decoder_)
      throw Napi::Error::New(env, "finish() needs begin() first");
    Napi::Object result = outcome(env, *decoder_);
    result.Set("lastEndNs", Napi::BigInt::New(env, decoder_->lastEnd()));
    result.Set("gaps", describeGaps(env, decoder_->gaps()));
    decoder_.reset();
    edges_.Reset();
    return result;
  }

  // beginCounters(numbers, subtract)
  void beginCounters(const Napi::CallbackInfo &info) {
    bool lossless = false;
    try {
      counters_ = std::make_unique<CounterDecoder>(
          *trace_, takeNumbers(info[0]), info[1].As<Napi::BigInt>().Int64Value(&lossless));
    } catch (const TraceError &error) {
      throw failure(info.Env(), error);
    }
  }

  // nextCounters(columns): rows written
  Napi::Value nextCounters(const Napi::CallbackInfo &info) {
    if (!counters_)
      throw Napi::Error::New(info.Env(), "nextCounters() needs beginCounters() first");
    const CounterColumns columns = takeCounterColumns(info[0].As<Napi::Object>());
    return Napi::Number::New(info.Env(), static_cast<double>(counters_->next(columns)));
  }

  // finishCounters(): lines on what was damaged
  Napi::Value finishCounters(const Napi::CallbackInfo &info) {
    Napi::Array damage = Napi::Array::New(info.Env());
    if (counters_)
      for (const std::string &line : counters_->damage())
        damage.Set(damage.Length(), Napi::String::New(info.Env(), line));
    counters_.reset();
    return damage;
  }
};

} // namespace

Napi::Function defineTrace(Napi::Env env) {
  return Trace::define(env);
}

} // namespace varscope
