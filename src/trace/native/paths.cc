#include "paths.h"

#include <cstring>

#include "limits.h"

namespace varscope {

const char *takePath(std::vector<Path> &paths, const uint8_t *at, const uint8_t *end) {
  vst_path head;
  const auto bytes = static_cast<size_t>(end - at);
  if (bytes < sizeof head)
    return "it is too short";
  std::memcpy(&head, at, sizeof head);
  if (head.path >= kMaxDefinitions || head.frames == 0 || head.frames > kMaxPathFrames)
    return "its numbers are beyond reason";
  if (bytes - sizeof head != head.frames * sizeof(vst_frame))
    return "its frames are missing";
  Path path{head.path, std::vector<vst_frame>(head.frames)};
  std::memcpy(path.frames.data(), at + sizeof head, head.frames * sizeof(vst_frame));
  for (const vst_frame &frame : path.frames)
    if (frame.module >= kMaxDefinitions || (frame.offset >> 63) != 0)
      return "its frames make no sense";
  paths.push_back(std::move(path));
  return nullptr;
}

} // namespace varscope
