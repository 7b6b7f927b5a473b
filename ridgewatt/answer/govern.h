// Governs the power mode of a job or service over hours: chooses which mode to use when, so that a
// deadline, an energy budget, a power cap or a latency limit is met (govern/policy.h).
//
//   const GovernPlan plan = govern_plan(question, "agx-orin", knob_space(board));
//   const GovernAnswer day = govern_day(question, plan);  // simulated on the board's twin
//   const GovernAnswer run = govern_here(question, plan, device, control, live);  // real program
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/govern/live.h"
#include "ridgewatt/govern/phases.h"
#include "ridgewatt/govern/policy.h"
#include "ridgewatt/platform/local_device.h"
#include "ridgewatt/platform/mode_control.h"
#include "ridgewatt/sweep/provenance.h"
#include "ridgewatt/sweep/sweep.h"
#include "ridgewatt/twin/twin.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::answer {

struct GovernQuestion {
  // The workload: `model`, or `samples` with its profiled points.
  std::string model;
  workload::DeployOptions deployed;
  std::optional<Sweep> samples;
  int batch = 0;  // 0: the batch of the model
  // The goal: at least one of `deadline`, `day_energy_j`, `max_power_w` and `max_latency_s`.
  //
  // Local time ("14:00") or duration ("90min"). Requires the size of the job: `minibatches`, or
  // `dataset_size` with `epochs`.
  std::string deadline;
  double minibatches = 0, dataset_size = 0, epochs = 1;  // `dataset_size`: samples; 0: unknown
  // Energy of `day_s` seconds; power cap; limit of the time per minibatch.
  std::optional<double> day_energy_j, max_power_w, max_latency_s;
  // Period of the energy budget, and length of a simulated day without a deadline.
  double day_s = 24 * 3600.0;
  double arrival_hz = 0;  // peak rate of requests in a simulated day
  govern::PolicyOptions policy;
  std::uint64_t seed = 1;
};

// The candidate modes, with prior estimates of their cost.
struct GovernPlan {
  std::string board;
  twin::Twin twin;
  govern::Goal goal;
  std::vector<OperatingPoint> points;
  govern::ModePrior prior;
  std::string workload;
  std::shared_ptr<const workload::DeployedWorkload> model;  // null if the question has samples
  std::optional<workload::CostCaveats> caveats;             // of `model`
};
// Throws UsageError without a goal or a workload, and InputError if no sample has fixed clocks and
// the batch of the question.
GovernPlan govern_plan(const GovernQuestion& question, const std::string& board,
                       const KnobSpace& space);

// The policy's plan before the first step, which shows whether the goal can be reached.
govern::Decision first_plan(const GovernQuestion& question, const GovernPlan& plan);

// One step of a live or simulated run.
struct GovernStep {
  double begin_s = 0;  // since the start of the run
  PowerMode mode;      // while `resting`: the mode in which the board idles
  bool resting = false;
  govern::Decision decision;
  govern::Window seen;                   // what was measured during the step
  double minibatches = 0, energy_j = 0;  // totals from the start of the run to the end of this step
};

struct GovernAnswer {
  govern::Goal goal;
  std::string device, workload, how;  // `how`: how the run ended
  Provenance provenance = Provenance::kModelled;
  double end_s = 0, minibatches = 0, energy_j = 0;
  // Shares of time or steps in which latency or power exceeded the limit.
  double late_share = 0, over_share = 0;
  // Changes of mode; steps that tried a mode to learn its cost.
  std::size_t switches = 0, trials = 0;
  std::size_t modes = 0;  // number of candidate modes
  std::size_t malformed_marks = 0;
  std::vector<GovernStep> steps;
  int status = 0;  // exit status of the program
  // Returns whether the goal was met, within govern::tolerance().
  bool held() const;
};

// Simulates a random day on a twin whose parameters are perturbed like those of a fake board.
// Throws UsageError if the plan has no model.
GovernAnswer govern_day(const GovernQuestion& question, const GovernPlan& plan);

// Runs a program on the local board until the program or the goal ends. Calls `report`, unless
// empty, with all steps after each step. Restores the original mode of the board in every case.
// Throws the errors of govern::govern_program().
GovernAnswer govern_here(const GovernQuestion& question, const GovernPlan& plan,
                         const platform::LocalDevice& device, platform::JetsonModeControl& control,
                         const govern::LiveOptions& live,
                         const std::function<void(const std::vector<GovernStep>&)>& report = {});

// Modes for the phases that a program marks (govern/phases.h), in place of a goal.
struct PhasesQuestion {
  std::vector<std::string> command = {};
  std::optional<pid_t> process = {};    // a running program, in place of `command`
  std::vector<std::string> modes = {};  // PHASE=MODE: "prefill=MAXN", "decode=gpu=612"
  double least_times = govern::PhaseOptions{}.least_times;
};
struct PhasesAnswer {
  govern::PhaseOutcome outcome;
  int status = 0;  // exit status of the program
};
// Sets the modes until the program ends, and restores the original mode of the board in every case.
// `mode_of_file` reads the mode of a phase that is given as FILE.json. Throws UsageError for text
// without "=", and the errors of hold_phases().
using ModeOfFile = PowerMode(const std::string& path, const std::string& phase);
PhasesAnswer govern_phases(const PhasesQuestion& question, const platform::LocalDevice& device,
                           platform::JetsonModeControl& control, ModeOfFile* mode_of_file);

}  // namespace ridgewatt::answer
