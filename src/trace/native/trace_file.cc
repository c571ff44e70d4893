#include "trace_file.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "counts.h"
#include "crc32c.h"
#include "limits.h"
#include "staging.h"
#include "trace_error.h"

namespace varscope {
namespace {

void readHeader(const File &file, vst_header &header) {
  const uint64_t size = file.size();
  if (size == 0)
    throw TraceError("is empty");
  char magic[sizeof header.magic] = {};
  if (file.read(0, magic, sizeof magic) && magic[0] == 0)
    throw TraceError("was never begun: its process ended while it started");
  if (!file.read(0, magic, sizeof magic) || std::memcmp(magic, VST_MAGIC, sizeof magic) != 0)
    throw TraceError("is not a varscope trace file");
  if (size < VST_HEADER_BYTES || !file.read(0, &header, sizeof header))
    throw TraceError("is cut short inside its header, nothing can be read");
  if (header.byte_order == __builtin_bswap32(VST_BYTE_ORDER))
    throw TraceError("was written on a machine of the other byte order; read it on such a machine");
  if (header.byte_order != VST_BYTE_ORDER)
    throw TraceError("has a damaged header: its byte order is unknown");
  if (header.major != VST_MAJOR)
    throw TraceError("has format " + std::to_string(header.major) + "." +
                     std::to_string(header.minor) + ", this varscope reads " +
                     std::to_string(VST_MAJOR) + ".x; use the version that wrote it");
}

void checkHeader(const vst_header &header) {
  if (header.fixed_checksum != 0 &&
      crc32c(0, &header, offsetof(vst_header, committed)) != header.fixed_checksum)
    throw TraceError("has a damaged header: its checksum is wrong");
  if (header.header_bytes != VST_HEADER_BYTES)
    throw TraceError("has a damaged header: it names a wrong length");
  if (header.world_size < 1 || header.world_size > kMaxWorldSize || header.world_rank < 0 ||
      header.world_rank >= header.world_size)
    throw TraceError("has a damaged header: rank " + std::to_string(header.world_rank) + " of " +
                     std::to_string(header.world_size));
}

template <typename Definition>
void keepFirst(std::vector<Definition> &all, uint32_t (*number)(const Definition &),
               const char *what, std::vector<std::string> &damage) {
  const auto before = [&](const Definition &a, const Definition &b) {
    return number(a) < number(b);
  };
  std::stable_sort(all.begin(), all.end(), before);
  const auto same = [&](const Definition &a, const Definition &b) {
    return number(a) == number(b);
  };
  const auto kept = std::unique(all.begin(), all.end(), same);
  if (kept != all.end())
    damage.push_back(std::to_string(all.end() - kept) + " " + what +
                     " are defined twice; the first definition is used");
  all.erase(kept, all.end());
}

void readDefinitions(const File &file, BlockIndex &index, TraceFile &trace) {
  Window window(file);
  for (const Block &block : index.blocks()) {
    if (block.head.type == VST_BLOCK_FRAGMENTS || block.head.type == VST_BLOCK_STAGING ||
        block.head.type == VST_BLOCK_COUNTS || block.head.type == VST_BLOCK_COUNTERS ||
        block.head.type == VST_BLOCK_COUNTER_STAGING || block.head.type == VST_BLOCK_TRANSFERS ||
        block.head.type == VST_BLOCK_TRANSFER_STAGING)
      continue;
    const uint8_t *payload = window.at(block.offset + sizeof(vst_block), block.head.payload_bytes);
    const char *reason =
        payload == nullptr ? "the file is cut short" : trace.definitions.take(block, payload);
    if (reason == nullptr && block.head.type == VST_BLOCK_COUNTER_SET)
      reason = takeCounterSet(block, payload, trace.counters);
    if (reason != nullptr)
      index.addDamage(block, reason);
  }
  Definitions &all = trace.definitions;
  keepFirst<Module>(
      all.modules, [](const Module &m) { return m.number; }, "modules", trace.damage);
  keepFirst<State>(
      all.states, [](const State &s) { return s.number; }, "states", trace.damage);
  keepFirst<Path>(
      all.paths, [](const Path &p) { return p.number; }, "call paths", trace.damage);
  keepFirst<Communicator>(
      all.communicators, [](const Communicator &c) { return c.head.communicator; }, "communicators",
      trace.damage);
  keepFirst<FileDefinition>(
      all.files, [](const FileDefinition &f) { return f.head.file; }, "files", trace.damage);
  trace.states = all.states.empty() ? 0 : all.states.back().number + 1;
}

void describeDamage(const BlockIndex &index, TraceFile &trace) {
  for (const Damage &damage : index.damages()) {
    trace.firstDamage = std::min(trace.firstDamage, damage.offset);
    trace.lastDamage = std::max(trace.lastDamage, damage.offset);
    std::string line = "block at byte " + std::to_string(damage.offset) + " damaged (" +
                       damage.reason + "), " + std::to_string(damage.bytes) + " bytes skipped";
    if (damage.records > 0)
      line += " that held " + std::to_string(damage.records) + " records";
    trace.damage.push_back(line);
  }
}

void checkEnd(const File &file, TraceFile &trace) {
  const vst_header &header = trace.header;
  trace.bytes = std::min(header.committed, file.size());
  if (header.committed < VST_HEADER_BYTES)
    trace.damage.push_back("its header says that it holds nothing");
  if (header.committed > file.size())
    trace.damage.push_back("the file is cut short: " + std::to_string(file.size()) + " of " +
                           std::to_string(header.committed) + " bytes are there");
  if (header.process_state < VST_RUNNING || header.process_state > VST_STOPPED)
    trace.damage.push_back("its header names an unknown process state");
  trace.finalized = header.process_state == VST_FINALIZED && trace.definitions.ended;
  if (header.process_state == VST_FINALIZED && !trace.definitions.ended)
    trace.damage.push_back("its end is missing although MPI_Finalize returned");
  if (header.process_state != VST_FINALIZED && trace.definitions.ended)
    trace.damage.push_back("its end is there although its header says that it was not closed");
}

void checkCounters(TraceFile &trace) {
  for (Thread &thread : trace.threads) {
    const std::string name = "thread " + std::to_string(thread.number) + ": ";
    if (!thread.counters) {
      trace.damage.push_back(name + "its counters are missing");
      continue;
    }
    const vst_staging &counters = *thread.counters;
    const uint64_t there = thread.sealed + thread.unsealed.size();
    if (counters.written > there)
      trace.damage.push_back(name + std::to_string(counters.written - there) + " of " +
                             std::to_string(counters.written) + " records are not there");
    // Unless all is over, one call can be counted but not yet recorded.
    const uint64_t told = counters.written + counters.lost + counters.sampled_out;
    const uint64_t most = trace.finalized ? told : told + 1;
    if (counters.intercepted < told || counters.intercepted > most)
      trace.damage.push_back(name + "its counters do not add up");
  }
}

void findLastTick(TraceFile &trace) {
  trace.lastTick = trace.header.init_exit_tick;
  const auto include = [&](uint64_t tick) {
    if (trace.clock->holds(tick))
      trace.lastTick = std::max(trace.lastTick, tick);
  };
  for (const vst_clock &clock : trace.definitions.clocks)
    include(clock.tick);
  for (const Thread &thread : trace.threads) {
    if (!thread.blocks.empty())
      include(thread.blocks.back().head.first_tick);
    if (!thread.unsealed.empty())
      include(thread.unsealed.back().exit);
  }
}

} // namespace

TraceFile::TraceFile(const std::string &name) : path(name), header{} {
  const File file(path);
  readHeader(file, header);
  checkHeader(header);
  BlockIndex index;
  index.extend(file, header.committed);
  takeSnapshot(file, *this, index);
  // After the snapshot: its records can name states that were defined a moment ago.
  readDefinitions(file, index, *this);
  chooseUnsealed(file, *this);
  describeDamage(index, *this);
  checkEnd(file, *this);
  readCounts(file, index, *this);
  checkCounters(*this);
  std::string problem;
  clock.emplace(header, definitions.clocks, problem);
  if (!problem.empty())
    damage.push_back(problem);
  if (!clock->holds(header.init_exit_tick))
    throw TraceError("has a damaged header: MPI_Init ended at an impossible time");
  findLastTick(*this);
}

} // namespace varscope
