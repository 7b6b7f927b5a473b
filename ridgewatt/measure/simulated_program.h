// A program on a fake board in simulated time, for testing in-place tuning. It combines the load of
// platform/fake_load.h with sensors, delayed clock changes and external disturbances. No real time
// passes, and the seed determines the result.
//
//   SimulatedProgram program(load, {.seed = 1});
//   InPlaceProfiler profiler(program, options, Provenance::kFake);
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/base/random.h"
#include "ridgewatt/measure/in_place.h"
#include "ridgewatt/platform/fake_disturbance.h"
#include "ridgewatt/platform/fake_load.h"

namespace ridgewatt::measure {

struct SimulatedProgramOptions {
  double rate_hz = 100;  // of power samples
  // Time to write a mode and read it back, and time from the beginning of the write to its effect.
  double write_s = 0.008;
  double effect_s = 0.005;
  double power_noise = 0.003;                         // relative standard deviation of a sample
  double start_s = 0.5;                               // until the first minibatch begins
  int minibatches = std::numeric_limits<int>::max();  // number after which the program ends
  double room_celsius = 45;
  std::vector<platform::FakeDisturbance> disturbances = {};
  std::uint64_t seed = 1;
};

class SimulatedProgram final : public TunedProgram {
 public:
  // `load` must outlive this object.
  SimulatedProgram(platform::FakeLoad& load, SimulatedProgramOptions options);

  double now_s() const override { return now_s_; }
  bool wait(double at_most_s, std::vector<TimedMark>& marks,
            std::vector<TimedPower>& power) override;
  void set(const PowerMode& mode) override;
  Surroundings surroundings() override;
  // Time and power in a mode at the current time, without noise.
  twin::TimePower truth(const PowerMode& mode) const;

 private:
  twin::TimePower at(const PowerMode& mode) const;
  void advance(double until_s, bool until_news);

  platform::FakeLoad& load_;
  SimulatedProgramOptions options_;
  Random random_;
  double now_s_ = 0;
  PowerMode mode_, next_;
  double effective_s_ = 0;  // time at which `next_` becomes `mode_`
  double left_ = 0;         // rest of the current minibatch, as a multiple of the mean minibatch
  int done_ = 0;
  double sample_s_ = 0;  // time of the next sample
  double sampled_s_ = 0, sampled_j_ = 0;
  std::vector<TimedMark> marks_;
  std::vector<TimedPower> power_;
  mutable std::map<PowerMode, twin::TimePower> truths_;
};

}  // namespace ridgewatt::measure
