// Executes a schedule, and evaluates its grants: the interference of two programs, the cost of
// switching between them, and their power while they share a board. A grant is the executor's
// permission for one program to use the device.
//
//   ServeOptions options{.log = "grants.csv", .say = [](const auto& line) { std::cerr << line; }};
//   follow(best_plan(sweeps, problem), options.executor);
//   serve_cycle(options).switches;
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ridgewatt/measure/sampler.h"
#include "ridgewatt/platform/mode_control.h"
#include "ridgewatt/platform/power_source.h"
#include "ridgewatt/schedule/interference.h"
#include "ridgewatt/schedule/live.h"
#include "ridgewatt/schedule/live_programs.h"
#include "ridgewatt/schedule/measure_sharing.h"
#include "ridgewatt/schedule/plan.h"
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
  std::optional<Live> live = {};  // absent: no re-planning
  std::vector<schedule::SwitchCost> switches = {};
  std::string log_fault = {};  // why the log lacks grants (schedule/grant_log.h)
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
// Likewise, for one inference program and training programs. Throws UsageError without an inference
// workload or a latency limit.
LiveQuestion live_programs(schedule::ScheduleWorkloads workloads,
                           const schedule::PlanProblem& problem);

// Collects recent grants to compute the cost of switches.
class LastGrants {
 public:
  void add(const schedule::GrantRecord& record);
  // Returns the cost for each program that ran often enough both after another program and after
  // itself. If `until_s` > 0, ignores grants released after that time, because they may have shared
  // the device.
  std::vector<schedule::SwitchCost> switch_costs(double until_s = 0) const;

 private:
  std::vector<schedule::GrantRecord> grants_;
};

// How a schedule is executed.
struct ServeOptions {
  schedule::ExecutorOptions executor = {};
  std::string log = {};                              // CSV of every grant; empty: none
  platform::JetsonModeControl* control = nullptr;    // sets modes; null: none are set
  std::optional<PowerMode> mode = {};                // mode of the cycle, for `control`
  bool measure_interference = false;                 // in the second half of the duration
  std::function<void(const std::string&)> say = {};  // receives remarks
  bool say_events = true;                            // `say` also receives each event with its time
};
// Executes a cycle until its duration ends or a signal arrives. Restores the mode of the device.
// Throws NoSolutionError if the interference is measured and too few minibatches overlap.
ScheduleRun serve_cycle(ServeOptions options);
// Executes a schedule whose plan follows the arrivals, and starts the programs that have a command.
// Sets the names (`training`) and the functions in `live`.
enum class EndedProgram { kStart, kLeave };
ScheduleRun serve_live(const LiveQuestion& question, schedule::LiveOptions live, double max_power_w,
                       EndedProgram ended, ServeOptions options);

struct MeasuredSharing {
  schedule::SharingMeasurement measured;
  std::array<MeanInterval, 4> power_w;  // indexed by SharingPhase; count 0: unknown
};
// Two programs whose effect on each other is measured.
struct SharingQuestion {
  std::string a = {}, b = {};  // commands, for the shell
  std::string socket = {};     // of the workers; empty: the default
  schedule::SharingOptions sharing = {};
  double rate_hz = 100;  // of power samples
};
// Starts both programs as workers and runs each alone, both in turns, and both at the same time.
// `sysfs` is the board whose power is sampled. `say` receives remarks.
MeasuredSharing measure_sharing(const platform::Sysfs& sysfs, const SharingQuestion& question,
                                const std::function<void(const std::string&)>& say);

}  // namespace ridgewatt::answer
