// Evaluates the grants of a schedule executor: the interference of two programs, the cost of
// switching between them, and their power while they share a board. A grant is the executor's
// permission for one program to use the device.
//
//   LastGrants last;
//   options.on_grant = [&](const auto& record) { last.add(record); };
//   executor.run();
//   last.switch_costs();
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "ridgewatt/measure/sampler.h"
#include "ridgewatt/platform/mode_control.h"
#include "ridgewatt/platform/power_source.h"
#include "ridgewatt/schedule/interference.h"
#include "ridgewatt/schedule/live.h"
#include "ridgewatt/schedule/live_programs.h"
#include "ridgewatt/schedule/measure_sharing.h"
#include "ridgewatt/schedule/switch_cost.h"

namespace ridgewatt::answer {

// The result of a run of an executor.
struct ScheduleRun {
  schedule::ExecutorSummary executor;
  std::optional<schedule::Interference> interference = {};  // absent: not measured
  struct Live {
    schedule::LiveSummary summary;
    std::size_t restarts = 0;  // restarts of programs
  };
  std::optional<Live> live = {};  // absent: the schedule does not re-plan
  std::vector<schedule::SwitchCost> switches = {};
};

// Programs of a schedule that re-plans while it runs, and their measured or modelled costs.
struct LiveQuestion {
  std::vector<schedule::LiveProgram> programs;
  std::vector<Sweep> inference, training;
  std::vector<std::string> training_names;  // one per training; empty if the file has no name
  std::vector<schedule::LiveProgramEntry> commands;  // programs that have a command
  std::vector<std::string> remarks;                  // which rows of sweeps were left out
};
// Reads a file of programs (schedule/live_programs.h). Models run on the twin of the board in the
// file.
LiveQuestion live_programs(const std::string& path, bool keep_outliers);
// Returns the interference since `native_from_s`, when native sharing began. Throws NoSolutionError
// if too few minibatches overlap.
schedule::Interference interference_of(std::span<const schedule::GrantRecord> grants,
                                       double native_from_s);

// Collects recent grants to compute the cost of switches.
class LastGrants {
 public:
  void add(const schedule::GrantRecord& record);
  // Returns the cost for each program that ran often enough both after another program and after
  // itself. If `until_s` > 0, grants that were released later do not count, because they may have
  // shared the device.
  std::vector<schedule::SwitchCost> switch_costs(double until_s = 0) const;

 private:
  std::vector<schedule::GrantRecord> grants_;
};

// Returns the modes whose knob values the device offers. Throws InputError if there are none.
std::vector<schedule::LiveMode> offered_modes(std::vector<schedule::LiveMode> modes,
                                              const platform::ModeControl& control);

// Samples the power of the board while programs share it.
class SharingPower {
 public:
  // `sysfs` must outlive this object. Sampling lasts at most `longest_s`.
  SharingPower(const platform::Sysfs& sysfs, double rate_hz, double longest_s);
  void stop();
  // Returns the mean and interval of the power in a phase, from one value per round; its `count` is
  // 0 if the power is unknown. `origin_s`: time on the sampler's clock at which the spans' time
  // starts.
  MeanInterval of(schedule::SharingPhase phase, const std::vector<schedule::SharingSpan>& spans,
                  double origin_s) const;

 private:
  platform::PowerMeter meter_;
  std::optional<measure::Sampler> sampler_;
  std::vector<double> times_s_, powers_w_;
};

struct MeasuredSharing {
  schedule::SharingMeasurement measured;
  std::array<MeanInterval, 4> power_w;  // indexed by SharingPhase; count 0: unknown
};
// Adds the power of each phase. See SharingPower::of().
MeasuredSharing with_power(schedule::SharingMeasurement measured, const SharingPower& power,
                           double origin_s);

}  // namespace ridgewatt::answer
