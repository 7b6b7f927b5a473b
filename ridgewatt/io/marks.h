// Writes marks for the program that measures this one (docs/guide/measure.md).
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "ridgewatt/base/error.h"

namespace ridgewatt {

// Writes a line such as "minibatch 12.345678901" to the descriptor in RIDGEWATT_MARK_FD; does
// nothing if the variable is not set. The line contains the time, because the reader may receive
// several marks together. Throws IoError.
inline void write_mark(const char* kind, double time_s) {
  const char* descriptor = std::getenv("RIDGEWATT_MARK_FD");
  if (descriptor == nullptr) return;
  const std::string line = fmt::format("{} {:.9f}\n", kind, time_s);
  if (::write(std::atoi(descriptor), line.data(), line.size()) < 0) {
    throw IoError("cannot write a mark of a minibatch");
  }
}

}  // namespace ridgewatt
