// Why a trace file cannot be used at all: one line that reads on after "RANK.vst: ".
#pragma once

#include <stdexcept>

namespace varscope {

class TraceError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

} // namespace varscope
