#include "definitions.h"

#include <algorithm>
#include <cstring>

#include "limits.h"

namespace varscope {
namespace {

// The text up to the next NUL; false if there is none before `end`.
bool takeText(const uint8_t *&at, const uint8_t *end, std::string &text) {
  const auto *stop = std::find(at, end, uint8_t{0});
  if (stop == end)
    return false;
  text.assign(at, stop);
  at = stop + 1;
  return true;
}

template <typename Head> bool takeHead(const uint8_t *&at, const uint8_t *end, Head &head) {
  if (static_cast<size_t>(end - at) < sizeof head)
    return false;
  std::memcpy(&head, at, sizeof head);
  at += sizeof head;
  return true;
}

std::string hexadecimal(const uint8_t *bytes, size_t count) {
  static const char digits[] = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    text += digits[bytes[i] >> 4];
    text += digits[bytes[i] & 15];
  }
  return text;
}

const char *takeProcess(Definitions &into, const uint8_t *at, const uint8_t *end) {
  while (at < end) {
    std::string key, value;
    if (!takeText(at, end, key) || !takeText(at, end, value))
      return "a text has no end";
    into.process.emplace_back(key, value);
  }
  return nullptr;
}

const char *takeModule(Definitions &into, const uint8_t *at, const uint8_t *end) {
  vst_module head;
  std::string path;
  if (!takeHead(at, end, head) || !takeText(at, end, path))
    return "it is too short";
  if (head.module >= kMaxDefinitions || head.build_id_bytes > sizeof head.build_id)
    return "its numbers are beyond reason";
  into.modules.push_back({head.module, path, hexadecimal(head.build_id, head.build_id_bytes)});
  return nullptr;
}

const char *takeState(Definitions &into, const uint8_t *at, const uint8_t *end) {
  vst_state head;
  std::string call;
  if (!takeHead(at, end, head) || !takeText(at, end, call))
    return "it is too short";
  if (head.state >= kMaxDefinitions || head.module >= kMaxDefinitions || (head.offset >> 63) != 0 ||
      head.path > kMaxDefinitions)
    return "its numbers are beyond reason";
  const int32_t path = static_cast<int32_t>(head.path) - 1;
  into.states.push_back({head.state, head.module, head.offset, head.category, path, call});
  return nullptr;
}

// FNV-1a over the members as int32, as the format defines `members_hash`.
uint64_t hashMembers(const std::vector<vst_rank_run> &runs) {
  uint64_t hash = 0xcbf29ce484222325U;
  for (const vst_rank_run &run : runs)
    for (uint32_t i = 0; i < run.count; ++i) {
      const auto member = static_cast<int32_t>(run.first + int64_t{run.stride} * i);
      uint8_t bytes[sizeof member];
      std::memcpy(bytes, &member, sizeof member);
      for (const uint8_t byte : bytes)
        hash = (hash ^ byte) * 0x100000001b3U;
    }
  return hash;
}

bool runFits(const vst_rank_run &run) {
  if (run.count == 0 || run.count > kMaxCommunicatorSize)
    return false;
  const int64_t last = run.first + int64_t{run.stride} * (run.count - 1);
  return last >= INT32_MIN && last <= INT32_MAX;
}

const char *takeCommunicator(Definitions &into, const uint8_t *at, const uint8_t *end) {
  Communicator made{};
  if (!takeHead(at, end, made.head))
    return "it is too short";
  if (made.head.communicator >= kMaxDefinitions || made.head.size > kMaxCommunicatorSize ||
      made.head.ordinal > INT32_MAX || made.head.remote_size > kMaxCommunicatorSize)
    return "its numbers are beyond reason";
  if (static_cast<size_t>(end - at) != uint64_t{made.head.runs} * sizeof(vst_rank_run))
    return "its members are missing";
  uint64_t members = 0;
  for (uint32_t i = 0; i < made.head.runs; ++i) {
    vst_rank_run run;
    if (!takeHead(at, end, run) || !runFits(run))
      return "its members make no sense";
    members += run.count;
    made.runs.push_back(run);
  }
  if (members != made.head.size || hashMembers(made.runs) != made.head.members_hash)
    return "its members contradict their count or hash";
  into.communicators.push_back(std::move(made));
  return nullptr;
}

const char *takeThread(Definitions &into, const uint8_t *at, const uint8_t *end) {
  ThreadLife life;
  if (!takeHead(at, end, life.head) || !takeText(at, end, life.name))
    return "it is too short";
  const bool odd = life.head.thread > kMaxThreads ||
                   (life.head.parent > kMaxThreads && life.head.parent != VST_NO_NUMBER) ||
                   life.head.system_thread > INT32_MAX || life.head.ended > 1;
  if (odd)
    return "its numbers are beyond reason";
  into.threads.push_back(std::move(life));
  return nullptr;
}

const char *takeFile(Definitions &into, const uint8_t *at, const uint8_t *end) {
  FileDefinition made{};
  if (!takeHead(at, end, made.head) || !takeText(at, end, made.path))
    return "it is too short";
  if (made.head.file >= kMaxDefinitions)
    return "its numbers are beyond reason";
  into.files.push_back(std::move(made));
  return nullptr;
}

} // namespace

const char *Definitions::take(const Block &block, const uint8_t *payload) {
  const uint8_t *at = payload;
  const uint8_t *end = payload + block.head.payload_bytes;
  switch (block.head.type) {
  case VST_BLOCK_PROCESS:
    return takeProcess(*this, at, end);
  case VST_BLOCK_MODULE:
    return takeModule(*this, at, end);
  case VST_BLOCK_STATE:
    return takeState(*this, at, end);
  case VST_BLOCK_PATH:
    return takePath(paths, at, end);
  case VST_BLOCK_COMMUNICATOR:
    return takeCommunicator(*this, at, end);
  case VST_BLOCK_THREAD:
    return takeThread(*this, at, end);
  case VST_BLOCK_FILE:
    return takeFile(*this, at, end);
  case VST_BLOCK_PROBES:
    return takeProbes(probes, block, payload);
  case VST_BLOCK_CLOCK: {
    vst_clock clock;
    if (!takeHead(at, end, clock))
      return "it is too short";
    clocks.push_back(clock);
    return nullptr;
  }
  case VST_BLOCK_PROBLEM: {
    std::string text;
    if (!takeText(at, end, text))
      return "a text has no end";
    problems.push_back(text);
    return nullptr;
  }
  case VST_BLOCK_END:
    ended = true;
    return nullptr;
  default:
    return nullptr;
  }
}

} // namespace varscope
