// Numbers the edges of the state transition graph: pairs of states, in order of appearance.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace varscope {

class EdgeTable {
public:
  int32_t edge(int32_t from, int32_t to) {
    const auto index = static_cast<size_t>(from);
    if (index >= recent_.size())
      recent_.resize(index + 1);
    Recent &recent = recent_[index];
    // Most states are followed by the same one over and over.
    if (recent.edge >= 0 && recent.to == to)
      return recent.edge;
    const uint64_t key = uint64_t{static_cast<uint32_t>(from)} << 32 | static_cast<uint32_t>(to);
    const auto [place, added] = numbers_.try_emplace(key, static_cast<int32_t>(edges_.size()));
    if (added)
      edges_.emplace_back(from, to);
    recent = {to, place->second};
    return place->second;
  }

  const std::vector<std::pair<int32_t, int32_t>> &edges() const {
    return edges_;
  }

private:
  struct Recent {
    int32_t to = -1, edge = -1;
  };
  std::vector<Recent> recent_;
  std::unordered_map<uint64_t, int32_t> numbers_;
  std::vector<std::pair<int32_t, int32_t>> edges_;
};

} // namespace varscope
