// Positional reads of a regular file. Traces are read, not mapped: a file that somebody cuts short
// while it is read then gives a failed read and not a SIGBUS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace varscope {

class File {
public:
  // Throws TraceError when the path cannot be opened or is not a regular file.
  explicit File(const std::string &path);
  ~File();
  File(const File &) = delete;
  File &operator=(const File &) = delete;

  // Size now; it grows while the process runs.
  uint64_t size() const;

  // True if all `bytes` could be read.
  bool read(uint64_t offset, void *to, size_t bytes) const;

private:
  int descriptor_;
};

// Reads ahead, for passes over a file from front to back.
class Window {
public:
  explicit Window(const File &file) : file_(file) {}

  // `bytes` bytes at `offset`, valid until the next call; nullptr if the file does not have them.
  const uint8_t *at(uint64_t offset, size_t bytes);

private:
  const File &file_;
  std::vector<uint8_t> buffer_;
  uint64_t start_ = 0;
  size_t held_ = 0;
};

} // namespace varscope
