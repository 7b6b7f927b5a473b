// Marks and power samples of a tuned program since shortly before the current window began, and
// totals for the whole run.
#pragma once

#include <span>
#include <vector>

#include "ridgewatt/measure/in_place.h"

namespace ridgewatt::measure {

class ProgramLog {
 public:
  // `program` must outlive this object.
  explicit ProgramLog(TunedProgram& program) : program_(program) {}

  void begin() { last_mark_s_ = program_.now_s(); }
  // Waits for marks or samples; returns the new power samples.
  std::span<const TimedPower> step();
  // Throws IoError if the program has marked no minibatch for `silence_s`.
  void require_marks(double silence_s) const;
  // Drops marks and samples that the next window does not need, given the minibatch time `pace_s`.
  void begin_window(double pace_s);

  // Minibatches that began at `begin_s` or later.
  std::vector<MarkedMinibatch> since(double begin_s) const;
  const std::vector<TimedMark>& marks() const { return marks_; }
  const std::vector<TimedPower>& power() const { return power_; }
  double last_power_s() const { return last_power_s_; }
  int minibatches() const { return minibatches_; }
  double energy_j() const { return energy_j_; }
  bool ended() const { return ended_; }

 private:
  TunedProgram& program_;
  std::vector<TimedMark> marks_;
  std::vector<TimedPower> power_;
  double last_mark_s_ = 0, last_power_s_ = 0;
  int minibatches_ = 0;
  double energy_j_ = 0;
  bool ended_ = false;
};

}  // namespace ridgewatt::measure
