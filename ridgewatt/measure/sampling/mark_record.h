// Marks of a run of any length in bounded memory. When there are too many marks, the older half is
// dropped, except the beginnings of open phases.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ridgewatt/measure/marks.h"

namespace ridgewatt::measure {

class MarkRecord {
 public:
  explicit MarkRecord(std::size_t most = std::size_t{1} << 20) : most_(most) {}

  // Throws UsageError for the end of a phase that is not open.
  void add(TimedMark mark);
  const std::vector<TimedMark>& marks() const { return marks_; }
  std::size_t forgotten() const { return forgotten_; }  // dropped minibatch marks

 private:
  void forget();

  std::size_t most_;
  std::vector<TimedMark> marks_;
  std::vector<std::string> open_;  // names of open phases
  std::size_t forgotten_ = 0;
};

}  // namespace ridgewatt::measure
