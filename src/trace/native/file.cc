#include "file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace_error.h"

namespace varscope {

File::File(const std::string &path)
    // O_NONBLOCK: opening a named pipe must not wait for its writer.
    : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (descriptor_ < 0)
    throw TraceError(std::string("cannot be opened: ") + std::strerror(errno));
  struct stat status {};
  if (fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(descriptor_);
    throw TraceError("is not a regular file");
  }
}

File::~File() {
  close(descriptor_);
}

uint64_t File::size() const {
  struct stat status {};
  return fstat(descriptor_, &status) == 0 ? static_cast<uint64_t>(status.st_size) : 0;
}

bool File::read(uint64_t offset, void *to, size_t bytes) const {
  auto *next = static_cast<uint8_t *>(to);
  while (bytes > 0) {
    const ssize_t got = pread(descriptor_, next, bytes, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    next += got;
    offset += static_cast<uint64_t>(got);
    bytes -= static_cast<size_t>(got);
  }
  return true;
}

const uint8_t *Window::at(uint64_t offset, size_t bytes) {
  constexpr size_t kAhead = 1 << 20;
  if (offset >= start_ && offset - start_ <= held_ && bytes <= held_ - (offset - start_))
    return buffer_.data() + (offset - start_);
  const uint64_t size = file_.size();
  if (offset > size || bytes > size - offset)
    return nullptr;
  const size_t wanted =
      std::max(bytes, static_cast<size_t>(std::min<uint64_t>(kAhead, size - offset)));
  if (buffer_.size() < wanted)
    buffer_.resize(wanted);
  held_ = 0;
  if (!file_.read(offset, buffer_.data(), wanted))
    return nullptr;
  start_ = offset;
  held_ = wanted;
  return buffer_.data();
}

} // namespace varscope
