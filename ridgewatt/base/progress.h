// Progress of long work on standard error: one line that is redrawn on a terminal, with the time
// that is left; a plain line every ten seconds in a log; nothing when quiet.
#pragma once

#include <cstddef>
#include <string>

#include "ridgewatt/base/clock.h"

namespace ridgewatt {

class Progress {
 public:
  // `total` steps of work called `label`.
  Progress(std::string label, std::size_t total, bool quiet = false);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `done` steps are finished; `note` says what is being done now. Cheap: draws at most 10 times a
  // second.
  void update(std::size_t done, const std::string& note = "");

 private:
  void clear_line();

  std::string label_;
  std::size_t total_;
  bool quiet_;
  bool terminal_;
  bool drawn_ = false;
  Stopwatch begun_;
  Stopwatch drawn_last_;
};

}  // namespace ridgewatt
