#include <algorithm>

#include "addon.h"
#include "addon_columns.h"
#include "work_table.h"

namespace varscope {
namespace {

class Works : public Napi::ObjectWrap<Works> {
public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(env, "Works", {InstanceMethod<&Works::number>("number")});
  }

  explicit Works(const Napi::CallbackInfo &info) : Napi::ObjectWrap<Works>(info) {}

private:
  WorkTable table_;

  // number(calls, rows, work, fresh): works in `fresh`, or -1 if the calls are irregular
  Napi::Value number(const Napi::CallbackInfo &info) {
    const Napi::Env env = info.Env();
    const Columns calls = takeColumns(info[0].As<Napi::Object>());
    const int64_t rows = info[1].As<Napi::Number>().Int64Value();
    if (!info[2].IsTypedArray() ||
        info[2].As<Napi::TypedArray>().TypedArrayType() != napi_int32_array)
      throw Napi::TypeError::New(env, "work must be an Int32Array");
    auto work = info[2].As<Napi::Int32Array>();
    const WorkColumns fresh = takeWorkColumns(info[3].As<Napi::Object>());
    if (rows < 0 || static_cast<size_t>(rows) > std::min(calls.capacity, work.ElementLength()))
      throw Napi::RangeError::New(env, "number() has more rows than its buffers");
    const size_t works = table_.number(calls, static_cast<size_t>(rows), work.Data(), fresh);
    return Napi::Number::New(env, works == WorkTable::kIrregular ? -1 : static_cast<double>(works));
  }
};

} // namespace

Napi::Function defineWorks(Napi::Env env) {
  return Works::define(env);
}

} // namespace varscope
