// Which plan serves several programs at given rates in time and trains most: ranked in closed form,
// decided by simulating the first of the ranking (PlanBook for more than one inference program).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "ridgewatt/schedule/dynamic.h"
#include "ridgewatt/schedule/live/virtual_board.h"

namespace ridgewatt::schedule::live {

// Factors on planned times: of each program, and of training.
struct TimeFactors {
  std::vector<double> inference;
  double training = 1;
  bool operator==(const TimeFactors&) const = default;
};

class LiveBook {
 public:
  LiveBook(std::vector<LiveMode> modes, std::vector<LiveProgram> programs,
           const DispatchSettings& settings, std::uint64_t seed);

  const std::vector<LiveMode>& modes() const { return modes_; }
  const std::vector<LiveProgram>& programs() const { return programs_; }

  // The plan for these rates (one per program), which are rounded up to steps of 5 %.
  const LivePlan& choose(std::span<const double> rates_hz);
  const Trial& trial(const LivePlan& plan, std::span<const double> rates_hz);
  bool meets(const LivePlan& plan, std::span<const double> rates_hz);

  // Times that were measured, as factors of each mode on those that it came with. What was known of
  // plans is forgotten.
  void correct(std::span<const TimeFactors> of_modes);

 private:
  using Steps = std::vector<int>;
  Steps steps_of(std::span<const double> rates_hz) const;
  std::vector<double> rates_of(const Steps& steps) const;
  struct Ranked {
    double worth = 0;
    LivePlan plan;
  };
  // Training rounds per second that the plan leaves time for; nothing when it cannot be in time.
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
  std::map<std::pair<std::size_t, int>, std::vector<double>> arrivals_;  // by program and step
};

}  // namespace ridgewatt::schedule::live
