#include "addon_columns.h"

#include <algorithm>
#include <string>

namespace varscope {
namespace {

// Takes columns out of one object; `capacity` becomes the length of the shortest.
class Taker {
public:
  explicit Taker(const Napi::Object &from) : from_(from) {}

  int32_t *narrow(const char *name) {
    return take<Napi::Int32Array, int32_t>(name, napi_int32_array);
  }
  int16_t *small(const char *name) {
    return take<Napi::Int16Array, int16_t>(name, napi_int16_array);
  }
  int64_t *wide(const char *name) {
    return take<Napi::BigInt64Array, int64_t>(name, napi_bigint64_array);
  }
  size_t capacity() const {
    return capacity_;
  }

private:
  const Napi::Object &from_;
  size_t capacity_ = SIZE_MAX;

  template <typename Array, typename Element>
  Element *take(const char *name, napi_typedarray_type type) {
    const Napi::Value value = from_.Get(name);
    if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != type)
      throw Napi::TypeError::New(from_.Env(), std::string("column ") + name +
                                                  " is missing or of the wrong type");
    Array array = value.As<Array>();
    capacity_ = std::min(capacity_, array.ElementLength());
    return array.Data();
  }
};

} // namespace

Columns takeColumns(const Napi::Object &from) {
  Taker taker(from);
  Columns columns{};
  columns.rank = taker.narrow("rank");
  columns.thread = taker.small("thread");
  columns.state = taker.narrow("state");
  columns.edge = taker.narrow("edge");
  columns.before_ns = taker.wide("before_ns");
  columns.start_ns = taker.wide("start_ns");
  columns.end_ns = taker.wide("end_ns");
  columns.bytes = taker.wide("bytes");
  columns.before_bytes = taker.wide("before_bytes");
  columns.peer = taker.narrow("peer");
  columns.communicator = taker.narrow("communicator");
  columns.tag = taker.narrow("tag");
  columns.requests = taker.narrow("requests");
  columns.completed = taker.narrow("completed");
  columns.file = taker.narrow("file");
  columns.capacity = taker.capacity();
  return columns;
}

WorkColumns takeWorkColumns(const Napi::Object &from) {
  Taker taker(from);
  WorkColumns columns{};
  columns.work = taker.narrow("work");
  columns.rank = taker.narrow("rank");
  columns.thread = taker.small("thread");
  columns.state = taker.narrow("state");
  columns.edge = taker.narrow("edge");
  columns.bytes = taker.wide("bytes");
  columns.before_bytes = taker.wide("before_bytes");
  columns.peer = taker.narrow("peer");
  columns.communicator = taker.narrow("communicator");
  columns.tag = taker.narrow("tag");
  columns.requests = taker.narrow("requests");
  columns.completed = taker.narrow("completed");
  columns.file = taker.narrow("file");
  columns.capacity = taker.capacity();
  return columns;
}

CounterColumns takeCounterColumns(const Napi::Object &from) {
  Taker taker(from);
  CounterColumns columns{};
  columns.rank = taker.narrow("rank");
  columns.thread = taker.small("thread");
  columns.at_ns = taker.wide("at_ns");
  columns.counter = taker.small("counter");
  columns.value = taker.wide("value");
  columns.capacity = taker.capacity();
  return columns;
}

TransferColumns takeTransferColumns(const Napi::Object &from) {
  Taker taker(from);
  TransferColumns columns{};
  columns.rank = taker.narrow("rank");
  columns.thread = taker.small("thread");
  columns.start_state = taker.narrow("start_state");
  columns.posted_ns = taker.wide("posted_ns");
  columns.completed_ns = taker.wide("completed_ns");
  columns.waited_ns = taker.wide("waited_ns");
  columns.bytes = taker.wide("bytes");
  columns.peer = taker.narrow("peer");
  columns.communicator = taker.narrow("communicator");
  columns.tag = taker.narrow("tag");
  columns.wait_thread = taker.small("wait_thread");
  columns.wait_state = taker.narrow("wait_state");
  columns.outcome = taker.small("outcome");
  columns.receive = taker.small("receive");
  columns.capacity = taker.capacity();
  return columns;
}

} // namespace varscope
