#include <algorithm>
#include <cstdio>

#include "addon.h"

namespace varscope {
namespace {

Napi::BigInt big(Napi::Env env, uint64_t value) {
  return Napi::BigInt::New(env, value);
}

Napi::BigInt big(Napi::Env env, int64_t value) {
  return Napi::BigInt::New(env, value);
}

template <typename Item, typename Make>
Napi::Array list(Napi::Env env, const std::vector<Item> &items, const Make &make) {
  Napi::Array array = Napi::Array::New(env, items.size());
  for (size_t i = 0; i < items.size(); ++i)
    array.Set(static_cast<uint32_t>(i), make(items[i]));
  return array;
}

Napi::Array lines(Napi::Env env, const std::vector<std::string> &texts) {
  return list(env, texts, [&](const std::string &text) { return Napi::String::New(env, text); });
}

std::string hexadecimal(uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%llx", static_cast<unsigned long long>(value));
  return text;
}

Napi::Object describeCommunicator(Napi::Env env, const Communicator &communicator) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("number", communicator.head.communicator);
  object.Set("ordinal", communicator.head.ordinal);
  object.Set("membersHash", hexadecimal(communicator.head.members_hash));
  object.Set("size", communicator.head.size);
  object.Set("remoteSize", communicator.head.remote_size);
  // first, stride, count of each run of world ranks
  Napi::Int32Array runs = Napi::Int32Array::New(env, communicator.runs.size() * 3);
  for (size_t i = 0; i < communicator.runs.size(); ++i) {
    runs[3 * i] = communicator.runs[i].first;
    runs[3 * i + 1] = communicator.runs[i].stride;
    runs[3 * i + 2] = static_cast<int32_t>(communicator.runs[i].count);
  }
  object.Set("runs", runs);
  return object;
}

Napi::Object describeCount(Napi::Env env, const vst_count &count, double nanosecondsPerTick) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("state", count.state);
  object.Set("calls", static_cast<double>(count.calls));
  object.Set("timed", static_cast<double>(count.timed));
  object.Set("timedNs", static_cast<double>(count.ticks) * nanosecondsPerTick);
  return object;
}

Napi::Object describePath(Napi::Env env, const Path &path) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("number", path.number);
  object.Set("frames", list(env, path.frames, [&](const vst_frame &frame) {
               Napi::Object entry = Napi::Object::New(env);
               entry.Set("module", frame.module);
               entry.Set("offset", big(env, frame.offset));
               return entry;
             }));
  return object;
}

Napi::Object describeThread(Napi::Env env, const Thread &thread, double nanosecondsPerTick) {
  Napi::Object object = Napi::Object::New(env);
  const bool told = thread.counters.has_value();
  const vst_staging counters = thread.counters.value_or(vst_staging{});
  object.Set("thread", thread.number);
  object.Set("counted", told);
  object.Set("written", static_cast<double>(counters.written));
  object.Set("intercepted", static_cast<double>(counters.intercepted));
  object.Set("lost", static_cast<double>(counters.lost));
  object.Set("sampledOut", static_cast<double>(counters.sampled_out));
  object.Set("sealed", static_cast<double>(thread.sealed));
  object.Set("damaged", static_cast<double>(thread.damaged));
  object.Set("unsealed", static_cast<double>(thread.unsealed.size()));
  object.Set("leftOut", list(env, thread.leftOut, [&](const vst_count &count) {
               return describeCount(env, count, nanosecondsPerTick);
             }));
  return object;
}

Napi::Array describeLives(Napi::Env env, const TraceFile &trace) {
  size_t segment = 0;
  return list(env, trace.definitions.threads, [&](const ThreadLife &life) {
    Napi::Object object = Napi::Object::New(env);
    const bool placed = trace.clock->holds(life.head.tick);
    object.Set("thread", life.head.thread);
    object.Set("systemThread", life.head.system_thread);
    object.Set("parent",
               life.head.parent == VST_NO_NUMBER ? -1 : static_cast<int32_t>(life.head.parent));
    object.Set("kind", life.head.kind);
    object.Set("module",
               life.head.module == VST_NO_NUMBER ? -1.0 : static_cast<double>(life.head.module));
    object.Set("offset", big(env, life.head.offset));
    object.Set("ended", life.head.ended != 0);
    object.Set("atNs",
               big(env, placed ? trace.clock->nanoseconds(life.head.tick, segment) : int64_t{0}));
    object.Set("placed", placed);
    object.Set("name", Napi::String::New(env, life.name));
    return object;
  });
}

// What the threads completed, added up.
Napi::Object describeTransfers(Napi::Env env, const TraceFile &trace) {
  uint64_t written = 0, there = 0, unmatched = 0;
  for (const ThreadTransfers &one : trace.transfers) {
    written += one.counters.written;
    unmatched += one.counters.unmatched;
    there += one.sealed + one.unsealed.size();
  }
  Napi::Object object = Napi::Object::New(env);
  object.Set("written", static_cast<double>(written));
  object.Set("there", static_cast<double>(there));
  object.Set("unmatched", static_cast<double>(unmatched));
  return object;
}

// Realtime - monotonic clock: median over the readings, so that one made while the time was being
// set does not count.
int64_t realtimeOffset(const std::vector<vst_clock> &clocks) {
  std::vector<int64_t> offsets;
  for (const vst_clock &clock : clocks)
    offsets.push_back(static_cast<int64_t>(clock.realtime_ns - clock.monotonic_ns));
  const auto middle = offsets.begin() + static_cast<std::ptrdiff_t>(offsets.size() / 2);
  std::nth_element(offsets.begin(), middle, offsets.end());
  return *middle;
}

void describeTimes(Napi::Env env, const TraceFile &trace, Napi::Object &object) {
  size_t segment = 0;
  const int64_t init = trace.clock->nanoseconds(trace.header.init_exit_tick, segment);
  object.Set("initExitNs", big(env, init));
  object.Set("lastNs", big(env, trace.clock->nanoseconds(trace.lastTick, segment)));
  object.Set("realtimeOffsetNs", big(env, realtimeOffset(trace.definitions.clocks)));
  const double tool =
      static_cast<double>(trace.header.tool_ticks) * trace.clock->nanosecondsPerTick();
  object.Set("toolNs", tool);
  object.Set("callsNs",
             static_cast<double>(trace.header.call_ticks) * trace.clock->nanosecondsPerTick());
  object.Set("callCostNs", static_cast<double>(trace.header.call_cost_picoseconds) / 1000);
}

} // namespace

Napi::Object describe(Napi::Env env, const TraceFile &trace) {
  const vst_header &header = trace.header;
  Napi::Object object = Napi::Object::New(env);
  object.Set("rank", header.world_rank);
  object.Set("worldSize", header.world_size);
  object.Set("pid", header.pid);
  object.Set("jobId", hexadecimal(header.job_id));
  object.Set("finalized", trace.finalized);
  object.Set("stopped", header.process_state == VST_STOPPED);
  object.Set("traceBytes", static_cast<double>(trace.bytes));
  describeTimes(env, trace, object);
  object.Set("process", list(env, trace.definitions.process, [&](const auto &pair) {
               Napi::Array entry = Napi::Array::New(env, 2);
               entry.Set(0U, Napi::String::New(env, pair.first));
               entry.Set(1U, Napi::String::New(env, pair.second));
               return entry;
             }));
  object.Set("modules", list(env, trace.definitions.modules, [&](const Module &module) {
               Napi::Object entry = Napi::Object::New(env);
               entry.Set("number", module.number);
               entry.Set("path", module.path);
               entry.Set("buildId", module.buildId);
               return entry;
             }));
  object.Set("states", list(env, trace.definitions.states, [&](const State &state) {
               Napi::Object entry = Napi::Object::New(env);
               entry.Set("number", state.number);
               entry.Set("module", state.module);
               entry.Set("offset", big(env, state.offset));
               entry.Set("category", state.category);
               entry.Set("call", state.call);
               entry.Set("path", state.path);
               return entry;
             }));
  object.Set("paths", list(env, trace.definitions.paths,
                           [&](const Path &path) { return describePath(env, path); }));
  object.Set("communicators",
             list(env, trace.definitions.communicators,
                  [&](const Communicator &c) { return describeCommunicator(env, c); }));
  object.Set("files", list(env, trace.definitions.files, [&](const FileDefinition &file) {
               Napi::Object entry = Napi::Object::New(env);
               entry.Set("number", file.head.file);
               entry.Set("kind", file.head.kind);
               entry.Set("device", big(env, file.head.device));
               entry.Set("inode", big(env, file.head.inode));
               entry.Set("fileSystem", big(env, file.head.file_system));
               entry.Set("path", file.path);
               return entry;
             }));
  object.Set("threads", list(env, trace.threads, [&](const Thread &thread) {
               return describeThread(env, thread, trace.clock->nanosecondsPerTick());
             }));
  object.Set("counters", describeCounters(env, trace));
  object.Set("probes", describeProbes(env, trace));
  object.Set("lives", describeLives(env, trace));
  object.Set("transfers", describeTransfers(env, trace));
  object.Set("problems", lines(env, trace.definitions.problems));
  object.Set("damage", lines(env, trace.damage));
  return object;
}

} // namespace varscope
