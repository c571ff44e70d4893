// writeTrace(path, description) with the shape NativeTrace of src/trace/native.ts.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "addon.h"
#include "trace_error.h"
#include "writer.h"

namespace varscope {
namespace {

double number(const Napi::Object &from, const char *key) {
  return from.Get(key).As<Napi::Number>().DoubleValue();
}

int32_t int32(const Napi::Object &from, const char *key) {
  return from.Get(key).As<Napi::Number>().Int32Value();
}

uint32_t uint32(const Napi::Object &from, const char *key) {
  return from.Get(key).As<Napi::Number>().Uint32Value();
}

int64_t wide(const Napi::Value &value) {
  bool lossless = false;
  return value.IsBigInt() ? value.As<Napi::BigInt>().Int64Value(&lossless)
                          : value.As<Napi::Number>().Int64Value();
}

std::string text(const Napi::Object &from, const char *key) {
  return from.Get(key).As<Napi::String>().Utf8Value();
}

std::string terminated(const std::string &text) {
  return text + '\0';
}

void forEach(const Napi::Object &from, const char *key,
             const std::function<void(const Napi::Value &)> &take) {
  const Napi::Array array = from.Get(key).As<Napi::Array>();
  for (uint32_t i = 0; i < array.Length(); ++i)
    take(array.Get(i));
}

// The clock of the file: ticks for nanoseconds of the job's time.
struct TickMaker {
  int64_t base;          // CLOCK_MONOTONIC at time 0
  double ticksPerSecond; // of the counter; 0: ticks are nanoseconds

  uint64_t length(int64_t ns) const {
    return ticksPerSecond > 0
               ? static_cast<uint64_t>(static_cast<double>(ns) * ticksPerSecond / 1e9)
               : static_cast<uint64_t>(ns);
  }

  uint64_t operator()(int64_t ns) const {
    const auto monotonic = static_cast<uint64_t>(base + ns);
    if (ticksPerSecond <= 0)
      return monotonic;
    return static_cast<uint64_t>(static_cast<long double>(monotonic) *
                                 static_cast<long double>(ticksPerSecond) / 1e9L);
  }
};

void addClock(TraceWriter &writer, const TickMaker &tick, int64_t ns, int64_t realtimeOffset) {
  const auto monotonic = static_cast<uint64_t>(tick.base + ns);
  const vst_clock clock{tick(ns), monotonic, monotonic + static_cast<uint64_t>(realtimeOffset)};
  writer.add(VST_BLOCK_CLOCK, bytesOf(clock));
}

void addPaths(TraceWriter &writer, const Napi::Object &from) {
  uint32_t count = 0;
  forEach(from, "paths", [&](const Napi::Value &value) {
    const auto frames = value.As<Napi::Array>();
    std::string rest;
    for (uint32_t i = 0; i < frames.Length(); ++i) {
      const auto object = frames.Get(i).As<Napi::Object>();
      const vst_frame frame{static_cast<uint64_t>(wide(object.Get("offset"))),
                            uint32(object, "module"), 0};
      rest += bytesOf(frame);
    }
    const vst_path head{count++, frames.Length()};
    writer.add(VST_BLOCK_PATH, bytesOf(head), rest);
  });
}

void addDefinitions(TraceWriter &writer, const Napi::Object &from) {
  std::string pairs;
  forEach(from, "process", [&](const Napi::Value &pair) {
    const auto words = pair.As<Napi::Array>();
    pairs += terminated(words.Get(0U).As<Napi::String>().Utf8Value());
    pairs += terminated(words.Get(1U).As<Napi::String>().Utf8Value());
  });
  writer.add(VST_BLOCK_PROCESS, pairs);
  uint32_t count = 0;
  forEach(from, "modules", [&](const Napi::Value &value) {
    vst_module module{};
    module.module = count++;
    const auto object = value.As<Napi::Object>();
    const auto id = object.Get("buildId").As<Napi::Uint8Array>();
    module.build_id_bytes =
        static_cast<uint32_t>(std::min(id.ElementLength(), sizeof module.build_id));
    std::copy_n(id.Data(), module.build_id_bytes, module.build_id);
    writer.add(VST_BLOCK_MODULE, bytesOf(module), terminated(text(object, "path")));
  });
  addPaths(writer, from);
  count = 0;
  forEach(from, "states", [&](const Napi::Value &value) {
    const auto object = value.As<Napi::Object>();
    const vst_state state{
        count++, uint32(object, "module"), static_cast<uint64_t>(wide(object.Get("offset"))),
        uint32(object, "category"), static_cast<uint32_t>(1 + int32(object, "path"))};
    writer.add(VST_BLOCK_STATE, bytesOf(state), terminated(text(object, "call")));
  });
}

void addCommunicators(TraceWriter &writer, const Napi::Object &from) {
  uint32_t count = 0;
  forEach(from, "communicators", [&](const Napi::Value &value) {
    const auto object = value.As<Napi::Object>();
    const auto members = object.Get("members").As<Napi::Int32Array>();
    vst_communicator head{};
    head.communicator = count++;
    head.ordinal = uint32(object, "ordinal");
    head.rank = uint32(object, "rank");
    head.remote_size = uint32(object, "remoteSize");
    head.size = static_cast<uint32_t>(members.ElementLength());
    head.members_hash = 0xcbf29ce484222325U;
    std::string runs;
    for (size_t i = 0; i < members.ElementLength();) {
      vst_rank_run run{members[i], 1, 1};
      if (i + 1 < members.ElementLength())
        run.stride = members[i + 1] - members[i];
      while (i + run.count < members.ElementLength() &&
             members[i + run.count] == run.first + run.stride * static_cast<int32_t>(run.count))
        ++run.count;
      i += run.count;
      ++head.runs;
      runs += bytesOf(run);
    }
    for (const char byte :
         std::string_view(reinterpret_cast<const char *>(members.Data()), members.ByteLength()))
      head.members_hash = (head.members_hash ^ static_cast<uint8_t>(byte)) * 0x100000001b3U;
    writer.add(VST_BLOCK_COMMUNICATOR, bytesOf(head), runs);
  });
}

// Columns as src/trace/write-synthetic.ts hands them over: checked there for equal length.
struct Rows {
  explicit Rows(const Napi::Object &from)
      : thread(narrow(from, "thread")), state(narrow(from, "state")), peer(narrow(from, "peer")),
        communicator(narrow(from, "communicator")), tag(narrow(from, "tag")),
        requests(narrow(from, "requests")), completed(narrow(from, "completed")),
        skipped(narrow(from, "skipped")), start(from.Get("startNs")), end(from.Get("endNs")),
        bytes(from.Get("bytes")) {}

  // Nanoseconds or bytes come as doubles or, where they are larger, as bigints.
  struct Wide {
    explicit Wide(const Napi::Value &value) {
      const auto array = value.As<Napi::TypedArray>();
      if (array.TypedArrayType() == napi_float64_array)
        doubles = value.As<Napi::Float64Array>().Data();
      else
        integers = value.As<Napi::BigInt64Array>().Data();
      length = array.ElementLength();
    }
    int64_t operator[](size_t i) const {
      return integers != nullptr ? integers[i] : static_cast<int64_t>(doubles[i]);
    }
    const double *doubles = nullptr;
    const int64_t *integers = nullptr;
    size_t length;
  };

  static const int32_t *narrow(const Napi::Object &from, const char *key) {
    return from.Get(key).As<Napi::Int32Array>().Data();
  }

  vst_record record(size_t i, const TickMaker &tick) const {
    vst_record record{};
    record.enter = tick(start[i]);
    record.exit = tick(end[i]);
    record.bytes = static_cast<uint64_t>(bytes[i]);
    record.state = static_cast<uint32_t>(state[i]);
    record.communicator = static_cast<uint32_t>(communicator[i]); // -1 is VST_NO_COMMUNICATOR
    record.peer = peer[i];
    record.tag = tag[i];
    record.requests = static_cast<uint32_t>(requests[i]);
    record.completed = static_cast<uint32_t>(completed[i]);
    record.skipped = static_cast<uint32_t>(skipped[i]);
    return record;
  }

  const int32_t *thread, *state, *peer, *communicator, *tag, *requests, *completed, *skipped;
  Wide start, end, bytes;
};

void addRows(TraceWriter &writer, const Napi::Object &from, const TickMaker &tick) {
  const Rows rows(from.Get("columns").As<Napi::Object>());
  // The last `unsealed` records of a thread stay in its slots.
  const auto unsealed = from.Get("unsealed").As<Napi::Int32Array>();
  std::vector<uint64_t> left(unsealed.ElementLength());
  for (size_t i = 0; i < rows.start.length; ++i)
    ++left[static_cast<size_t>(rows.thread[i])];
  for (size_t i = 0; i < rows.start.length; ++i) {
    const auto thread = static_cast<uint32_t>(rows.thread[i]);
    writer.record(thread, rows.record(i, tick));
    if (--left[thread] == static_cast<uint64_t>(unsealed[thread]))
      writer.seal(thread);
  }
}

// One COUNTS block per thread that has any.
void addCounts(TraceWriter &writer, const Napi::Object &from, const TickMaker &tick) {
  std::map<uint32_t, std::vector<vst_count>> all;
  std::map<uint32_t, uint64_t> last;
  forEach(from, "leftOut", [&](const Napi::Value &item) {
    const auto object = item.As<Napi::Object>();
    vst_count count{};
    count.in_use = 1;
    count.state = uint32(object, "state");
    count.calls = static_cast<uint64_t>(number(object, "calls"));
    count.timed = static_cast<uint64_t>(number(object, "timed"));
    count.ticks = tick.length(wide(object.Get("timedNs")));
    const uint32_t thread = uint32(object, "thread");
    all[thread].push_back(count);
    last[thread] = tick(wide(object.Get("lastNs")));
  });
  for (const auto &[thread, counts] : all)
    writer.addCounts(thread, last[thread], counts);
}

// Columns of src/trace/write-synthetic.ts: transfers in order of completion.
void addTransfers(TraceWriter &writer, const Napi::Object &from, uint32_t threads) {
  const auto wide = [&](const char *key) { return from.Get(key).As<Napi::BigInt64Array>().Data(); };
  const auto narrow = [&](const char *key) { return from.Get(key).As<Napi::Int32Array>().Data(); };
  const int64_t *start = wide("startRecord"), *end = wide("endRecord"), *bytes = wide("bytes");
  const int32_t *thread = narrow("thread"), *startThread = narrow("startThread"),
                *flags = narrow("flags"), *peer = narrow("peer"), *tag = narrow("tag"),
                *communicator = narrow("communicator");
  const size_t rows = from.Get("startRecord").As<Napi::BigInt64Array>().ElementLength();
  for (uint32_t number = 0; number < threads; ++number) {
    std::vector<vst_transfer> all;
    for (size_t i = 0; i < rows; ++i)
      if (thread[i] == static_cast<int32_t>(number))
        all.push_back({static_cast<uint64_t>(end[i]), static_cast<uint64_t>(start[i]),
                       static_cast<uint64_t>(bytes[i]), static_cast<uint32_t>(startThread[i]),
                       static_cast<uint32_t>(flags[i]), peer[i], tag[i],
                       static_cast<uint32_t>(communicator[i]), 0});
    const uint32_t unsealed = std::min(uint32(from, "unsealed"), static_cast<uint32_t>(all.size()));
    if (!all.empty())
      writer.transfers(number, all, uint32(from, "blockTransfers"), unsealed);
  }
}

vst_header makeHeader(const Napi::Object &from, const TickMaker &tick) {
  vst_header header{};
  header.clock_kind = tick.ticksPerSecond > 0 ? VST_CLOCK_TSC : VST_CLOCK_MONOTONIC;
  header.ticks_per_second =
      tick.ticksPerSecond > 0 ? static_cast<uint64_t>(tick.ticksPerSecond) : 1000000000U;
  header.pid = uint32(from, "pid");
  header.job_id = static_cast<uint64_t>(wide(from.Get("jobId")));
  header.world_rank = int32(from, "rank");
  header.world_size = int32(from, "worldSize");
  header.init_exit_tick = tick(wide(from.Get("initExitNs")));
  header.tool_ticks = static_cast<uint64_t>(number(from, "toolTicks"));
  header.call_cost_picoseconds = static_cast<uint64_t>(number(from, "callCostPicoseconds"));
  header.call_ticks = static_cast<uint64_t>(number(from, "callTicks"));
  return header;
}

} // namespace

Napi::Value writeTrace(const Napi::CallbackInfo &info) {
  const auto from = info[1].As<Napi::Object>();
  const TickMaker tick{wide(from.Get("monotonicNs")), number(from, "ticksPerSecond")};
  const int64_t realtime = wide(from.Get("realtimeOffsetNs"));
  try {
    TraceWriter writer(info[0].As<Napi::String>().Utf8Value(), makeHeader(from, tick),
                       uint32(from, "blockRecords"));
    addDefinitions(writer, from);
    addCommunicators(writer, from);
    addClock(writer, tick, wide(from.Get("firstNs")), realtime);
    const auto threads = from.Get("unsealed").As<Napi::Int32Array>().ElementLength();
    writer.addThreads(static_cast<uint32_t>(threads));
    addRows(writer, from, tick);
    addCounts(writer, from, tick);
    if (from.Get("transfers").IsObject())
      addTransfers(writer, from.Get("transfers").As<Napi::Object>(),
                   static_cast<uint32_t>(threads));
    writer.count(0, static_cast<uint64_t>(number(from, "lost")),
                 static_cast<uint64_t>(number(from, "sampledOut")));
    forEach(from, "problems", [&](const Napi::Value &line) {
      writer.add(VST_BLOCK_PROBLEM, terminated(line.As<Napi::String>().Utf8Value()));
    });
    addClock(writer, tick, wide(from.Get("lastNs")), realtime);
    const bool finalized = from.Get("finalized").As<Napi::Boolean>();
    if (finalized)
      writer.add(VST_BLOCK_END, {});
    writer.close(finalized ? VST_FINALIZED : VST_RUNNING);
  } catch (const TraceError &error) {
    throw Napi::Error::New(info.Env(), error.what());
  }
  return info.Env().Undefined();
}

} // namespace varscope
