// What a trace file says about itself: process, modules, states, communicators, clock, problems.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "block_index.h"
#include "file.h"
#include "paths.h"
#include "probes.h"
#include "trace_format.h"

namespace varscope {

struct Module {
  uint32_t number;
  std::string path, buildId; // build id in hexadecimal
};

struct State {
  uint32_t number, module;
  uint64_t offset;
  uint32_t category;
  int32_t path; // number of its path in the file; -1: known by its site alone
  std::string call;
};

struct Communicator {
  vst_communicator head;
  std::vector<vst_rank_run> runs;
};

struct ThreadLife {
  vst_thread head;
  std::string name;
};

struct FileDefinition {
  vst_file head;
  std::string path;
};

struct Definitions {
  std::vector<std::pair<std::string, std::string>> process; // VST_KEY_* and value, in file order
  std::vector<Module> modules;
  std::vector<State> states;
  std::vector<Path> paths;
  std::vector<Communicator> communicators;
  std::vector<ThreadLife> threads; // THREAD blocks, in file order
  std::vector<FileDefinition> files;
  std::vector<vst_clock> clocks;
  std::vector<Probe> probes; // in file order
  std::vector<std::string> problems;
  bool ended = false; // an END block is there

  // Takes in one block of any type. Returns nullptr, or why its contents make no sense.
  const char *take(const Block &block, const uint8_t *payload);
};

} // namespace varscope
