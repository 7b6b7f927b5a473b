// What a tuned program has said since shortly before the present window began: marks and samples of
// power, and of the whole time how much it did and drew.
#pragma once

#include <span>
#include <vector>

#include "ridgewatt/measure/in_place.h"

namespace ridgewatt::measure {

class ProgramLog {
 public:
  // `program` must outlive it.
  explicit ProgramLog(TunedProgram& program) : program_(program) {}

  void begin() { last_mark_s_ = program_.now_s(); }
  // Takes in news of the program; returns the samples of power among them.
  std::span<const TimedPower> step();
  // IoError when the program has marked no minibatch for so long.
  void require_marks(double silence_s) const;
  // Keeps of the past what the beginning of a window is found from, at this pace.
  void begin_window(double pace_s);

  // Minibatches that began then or later.
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
