#include "fuzz_guided.h"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include "crc32c.h"
#include "fuzz_change.h"
#include "fuzz_coverage.h"

namespace fuzz {

namespace {

/** Longest an input may take. */
constexpr unsigned kPatienceSeconds = 10;
constexpr long kProgressSeconds = 20;
/** Bounds on the corpus, in memory and in the folder. */
constexpr size_t kMostInputs = 4000;
constexpr size_t kMostFiles = 400;
constexpr size_t kMostBytes = 400 << 10;

struct Totals {
  size_t inputs = 0, rows = 0, refused = 0;
};

class Guided {
public:
  Guided(uint64_t seed, std::string folder, std::string current, Reader read)
      : random_(seed), folder_(std::move(folder)), current_(std::move(current)), read_(read) {
    for (const auto &entry : std::filesystem::directory_iterator(folder_)) {
      const Bytes bytes = load(entry.path());
      ++files_;
      if (!bytes.empty())
        attempt(bytes, false);
    }
  }

  bool empty() const {
    return inputs_.empty();
  }

  void step() {
    // Files found lately have been changed less than others.
    const size_t recent = inputs_.size() < 20 ? inputs_.size() : 20;
    const size_t back =
        random_() % 2 == 0 ? below(random_, recent) : below(random_, inputs_.size());
    Bytes bytes = inputs_[inputs_.size() - 1 - back];
    const Bytes &other = inputs_[below(random_, inputs_.size())];
    for (size_t changes = size_t{1} << below(random_, 5); changes > 0; --changes) {
      if (random_() % 8 == 0)
        changeBlocks(bytes, other, random_);
      else
        change(bytes, random_);
    }
    if (random_() % 8 != 0)
      mendChecksums(bytes);
    attempt(bytes, true);
  }

  void tell(long seconds) const {
    std::printf(
        "%ld s: %zu inputs, %zu refused, %zu rows; %zu steps in the reader, corpus of %zu\n",
        seconds, totals_.inputs, totals_.refused, totals_.rows, stepsSeen(), inputs_.size());
    std::fflush(stdout);
  }

private:
  void attempt(const Bytes &bytes, bool keep) {
    write(current_, bytes);
    alarm(kPatienceSeconds);
    startCoverage();
    const bool usable = read_(current_, totals_.rows);
    const size_t found = newCoverage();
    alarm(0);
    ++totals_.inputs;
    totals_.refused += usable ? 0 : 1;
    if (found == 0 || bytes.size() > kMostBytes || inputs_.size() == kMostInputs)
      return;
    inputs_.push_back(bytes);
    if (keep && files_ < kMostFiles) {
      const uint32_t name = varscope::crc32c(0, bytes.data(), bytes.size());
      write(folder_ + "/" + std::to_string(name) + ".vst", bytes);
      ++files_;
    }
  }

  static void write(const std::string &path, const Bytes &bytes) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char *>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    file.close();
    if (file)
      return;
    std::fprintf(stderr, "fuzz-reader: cannot write %s\n", path.c_str());
    std::exit(2);
  }

  Random random_;
  std::string folder_, current_;
  Reader read_;
  std::vector<Bytes> inputs_;
  size_t files_ = 0;
  Totals totals_;
};

} // namespace

int guided(uint64_t seed, long seconds, const std::string &corpus, const std::string &current,
           Reader read) {
  using Clock = std::chrono::steady_clock;
  Guided fuzzer(seed, corpus, current, read);
  if (fuzzer.empty()) {
    std::fprintf(stderr, "fuzz-reader: nothing in %s can be read\n", corpus.c_str());
    return 2;
  }
  const auto start = Clock::now();
  long told = 0, passed = 0;
  while (passed < seconds) {
    for (int i = 0; i < 16; ++i)
      fuzzer.step();
    passed = static_cast<long>(
        std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - start).count());
    if (passed - told >= kProgressSeconds) {
      fuzzer.tell(passed);
      told = passed;
    }
  }
  fuzzer.tell(passed);
  return 0;
}

} // namespace fuzz
