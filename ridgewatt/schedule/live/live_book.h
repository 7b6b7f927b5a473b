// Finds the plan with the most training that serves several programs, at given rates, in time.
// Plans are ranked by formulas, and the first plans of the ranking are then simulated. The
// counterpart of PlanBook for several inference programs.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "ridgewatt/schedule/dynamic.h"
#include "ridgewatt/schedule/live/virtual_board.h"

namespace ridgewatt::schedule::live {

// Factors on planned times, one per inference program and one for training.
struct TimeFactors {
  std::vector<double> inference;
  double training = 1;
  bool operator==(const TimeFactors&) const = default;
};

class LiveBook {
 public:
  // Throws UsageError without modes or programs, or if a program has no positive, finite latency
  // bound.
  LiveBook(std::vector<LiveMode> modes, std::vector<LiveProgram> programs,
           const DispatchSettings& settings, std::uint64_t seed);

  const std::vector<LiveMode>& modes() const { return modes_; }
  const std::vector<LiveProgram>& programs() const { return programs_; }

  // Returns the plan for these rates (one per program), rounded up to steps of 5 %.
  const LivePlan& choose(std::span<const double> rates_hz);
  // Return the simulated result of a plan at these rates, and whether it serves in time.
  const Trial& trial(const LivePlan& plan, std::span<const double> rates_hz);
  bool meets(const LivePlan& plan, std::span<const double> rates_hz);

  // Sets the ratios of measured times to the times of the constructor, one per mode. Clears all
  // cached results.
  void correct(std::span<const TimeFactors> of_modes);

 private:
  using Steps = std::vector<int>;
  Steps steps_of(std::span<const double> rates_hz) const;
  std::vector<double> rates_of(const Steps& steps) const;
  struct Ranked {
    double worth = 0;
    LivePlan plan;
  };
  // Training rounds per second in the remaining time of the plan; empty if it cannot serve in time.
  std::optional<double> fill_hz(const LivePlan& plan, std::span<const double> rates_hz) const;
  void rank_mode(std::size_t mode, bool trains, std::span<const double> rates_hz,
                 std::vector<Ranked>& into) const;
  std::vector<Ranked> ranked(bool trains, std::span<const double> rates_hz) const;

  std::vector<LiveMode> planned_, modes_;
  std::vector<LiveProgram> programs_;
  DispatchSettings settings_;
  std::uint64_t seed_;
  std::map<Steps, LivePlan> choices_;
  std::vector<std::pair<std::pair<LivePlan, Steps>, Trial>> trials_;
  std::map<std::pair<std::size_t, int>, std::vector<double>> arrivals_;  // key: program and step
};

}  // namespace ridgewatt::schedule::live
