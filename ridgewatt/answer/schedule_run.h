// What the grants of an executor show: interference of two programs, costs of switches, and the
// power of each phase of a measurement of sharing.
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

// A run of an executor.
struct ScheduleRun {
  schedule::ExecutorSummary executor;
  std::optional<schedule::Interference> interference = {};  // if it was measured
  struct Live {
    schedule::LiveSummary summary;
    std::size_t restarts = 0;  // of programs
  };
  std::optional<Live> live = {};  // if the schedule plans again
  std::vector<schedule::SwitchCost> switches = {};
};

// What a schedule that plans again serves.
struct LiveQuestion {
  std::vector<schedule::LiveProgram> programs;
  std::vector<Sweep> inference, training;
  std::vector<std::string> training_names;           // where a file names them
  std::vector<schedule::LiveProgramEntry> commands;  // those with a command
  std::vector<std::string> remarks;                  // rows of sweeps that were left out
};
// From a file of programs (schedule/live_programs.h). Models run on the twin of its board.
LiveQuestion live_programs(const std::string& path, bool keep_outliers);
// The interference from `native_from_s` on. NoSolutionError without enough minibatches.
schedule::Interference interference_of(std::span<const schedule::GrantRecord> grants,
                                       double native_from_s);

// The last grants, which determine the costs of switches.
class LastGrants {
 public:
  void add(const schedule::GrantRecord& record);
  // For each worker that ran often enough after another one and after itself. `until_s` > 0 leaves
  // out later grants, which may have shared the device.
  std::vector<schedule::SwitchCost> switch_costs(double until_s = 0) const;

 private:
  std::vector<schedule::GrantRecord> grants_;
};

// The modes that the device can be set to. InputError without any.
std::vector<schedule::LiveMode> offered_modes(std::vector<schedule::LiveMode> modes,
                                              const platform::ModeControl& control);

// Samples the power of the board while programs share it.
class SharingPower {
 public:
  // `sysfs` must outlive this. Samples for at most `longest_s`.
  SharingPower(const platform::Sysfs& sysfs, double rate_hz, double longest_s);
  void stop();
  // Mean power of the spans of a phase, one value per round. `origin_s`: start of the spans' time.
  MeanInterval of(schedule::SharingPhase phase, const std::vector<schedule::SharingSpan>& spans,
                  double origin_s) const;

 private:
  platform::PowerMeter meter_;
  std::optional<measure::Sampler> sampler_;
  std::vector<double> times_s_, powers_w_;
};

struct MeasuredSharing {
  schedule::SharingMeasurement measured;
  std::array<MeanInterval, 4> power_w;  // by SharingPhase; count 0: unknown
};
MeasuredSharing with_power(schedule::SharingMeasurement measured, const SharingPower& power,
                           double origin_s);

}  // namespace ridgewatt::answer
