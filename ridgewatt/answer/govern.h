// The question of a job or a service over hours: which mode at which time keeps a deadline, an
// energy budget, a power cap or a latency?
//
//   const GovernPlan plan = govern_plan(question, "agx-orin", knob_space(board));
//   const GovernAnswer day = govern_day(question, plan);  // on the board's twin
//   const GovernAnswer run = govern_here(question, plan, device, control, live);  // a program
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/govern/live.h"
#include "ridgewatt/govern/policy.h"
#include "ridgewatt/platform/local_device.h"
#include "ridgewatt/platform/mode_control.h"
#include "ridgewatt/sweep/provenance.h"
#include "ridgewatt/sweep/sweep.h"
#include "ridgewatt/twin/twin.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::answer {

struct GovernQuestion {
  // The workload of the program: a model, or profiled points.
  std::string model;
  workload::DeployOptions deployed;
  std::optional<Sweep> samples;
  int batch = 0;  // 0: that of the model
  // The goal.
  std::string deadline;  // local time "14:00", or a duration "90min"
  double minibatches = 0, dataset_size = 0, epochs = 1;
  std::optional<double> day_energy_j, max_power_w, max_latency_s;
  double day_s = 24 * 3600.0;  // length of the budget and of a simulated day
  double arrival_hz = 0;       // rate of requests at the peak of a simulated day
  govern::PolicyOptions policy;
  std::uint64_t seed = 1;
};

// The candidates, with prior knowledge about them.
struct GovernPlan {
  std::string board;
  twin::Twin twin;
  govern::Goal goal;
  std::vector<OperatingPoint> points;
  govern::ModePrior prior;
  std::string workload;
  std::shared_ptr<const workload::DeployedWorkload> model;  // null: the question has points
  std::optional<workload::CostCaveats> caveats;             // of the model
};
// UsageError without a goal or a workload, InputError without usable points.
GovernPlan govern_plan(const GovernQuestion& question, const std::string& board,
                       const KnobSpace& space);

// One step of a live or simulated run.
struct GovernStep {
  double begin_s = 0;
  PowerMode mode;  // meaningless while `resting`
  bool resting = false;
  govern::Decision decision;
  govern::Window seen;
  double minibatches = 0, energy_j = 0;  // until its end
};

struct GovernAnswer {
  govern::Goal goal;
  std::string device, workload, how;  // how it ended
  Provenance provenance = Provenance::kModelled;
  double end_s = 0, minibatches = 0, energy_j = 0;
  double late_share = 0, over_share = 0;
  std::size_t switches = 0, trials = 0;
  std::size_t modes = 0;  // number of candidate modes
  std::vector<GovernStep> steps;
  int status = 0;  // of the program
  // Whether the goal was kept, within govern::tolerance().
  bool held() const;
};

// A random day on the board's twin, perturbed like a fake board. UsageError without a model.
GovernAnswer govern_day(const GovernQuestion& question, const GovernPlan& plan);

// Runs a program on the local board until the program or the goal ends; calls `report` (may be
// empty) with all steps after each step. Restores the first mode of the board in every case. Throws
// what govern_program throws.
GovernAnswer govern_here(const GovernQuestion& question, const GovernPlan& plan,
                         const platform::LocalDevice& device, platform::JetsonModeControl& control,
                         const govern::LiveOptions& live,
                         const std::function<void(const std::vector<GovernStep>&)>& report = {});

}  // namespace ridgewatt::answer
