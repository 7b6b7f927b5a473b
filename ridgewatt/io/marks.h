// Writes the marks of a measured program (docs/guide/measure.md).
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "ridgewatt/base/error.h"

namespace ridgewatt {

// Writes "minibatch 12.345678901" to the descriptor of RIDGEWATT_MARK_FD, if that is set.
// The time is part of the mark because a reader may read several marks at once.
inline void write_mark(const char* kind, double time_s) {
  const char* descriptor = std::getenv("RIDGEWATT_MARK_FD");
  if (descriptor == nullptr) return;
  const std::string line = fmt::format("{} {:.9f}\n", kind, time_s);
  if (::write(std::atoi(descriptor), line.data(), line.size()) < 0) {
    throw IoError("cannot write a mark");
  }
}

}  // namespace ridgewatt
