// The questions of serving: which operating points to plan with, and which to profile before
// arrivals of a changing rate come.
//
//   const PlannedPoints points = planned_points(workloads);
//   const PlanSpace space(points.candidates);
//   const auto known = profile_for_arrivals(space, problem, {.least_rate_hz = 20,
//                                                            .most_rate_hz = 120});
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/answer/estimate.h"
#include "ridgewatt/schedule/arrivals.h"
#include "ridgewatt/schedule/executor.h"
#include "ridgewatt/schedule/native_sharing.h"
#include "ridgewatt/schedule/plan.h"
#include "ridgewatt/schedule/plan_search.h"
#include "ridgewatt/schedule/simulate.h"
#include "ridgewatt/sweep/trusted_sweep.h"

namespace ridgewatt::answer {

struct PlannedPoints {
  std::vector<schedule::Candidate> candidates;
  std::string idle_source;  // where their idle power comes from, in words
};
// The joined sweeps of the workloads with idle power: as given, of the twin of the board that the
// sweeps name, or the least power in them.
PlannedPoints planned_points(const schedule::ScheduleWorkloads& workloads,
                             std::optional<double> idle_power_w = {});

// The plan with the most training, or the nearest miss: of an inference with which no training
// fits, the inference alone.
schedule::Plan best_plan(std::vector<schedule::Candidate> candidates,
                         const schedule::PlanProblem& problem);

// What a model keeps busy at a point, by the twin of a board; for ScheduleWorkloads::uses with the
// same question's estimate_sweep.
std::function<schedule::DeviceUse(const OperatingPoint&)> device_use(
    const EstimateQuestion& question,
    const std::shared_ptr<const workload::DeployedWorkload>& workload, const std::string& device);

// Models in place of sweeps: what they cost in a board's modes comes from its twin.
struct ScheduledModels {
  std::string inference = {};
  std::vector<std::string> training = {};
  std::string device = {};
  std::string modes = "all";
  std::vector<int> inference_batches = {};  // none: batches_to_schedule()
  std::optional<int> training_batch = {};   // the same
  Runtime inference_runtime = Runtime::kPytorchEager;
  workload::Precision inference_precision = workload::Precision::kFp32;
  workload::Precision training_precision = workload::Precision::kFp32;

  bool empty() const { return inference.empty() && training.empty(); }
};
// Where none are asked for: the batch that the file fixes; else 16 for training, and for inference
// 1 to 32.
std::vector<int> batches_to_schedule(const workload::DeployedWorkload& model);

// The programs that share a board, and what is asked of them, as a user writes it.
struct ScheduleRequest {
  std::string inference_sweep = {};  // CSV files
  std::vector<std::string> training_sweeps = {}, non_urgent = {};
  std::vector<double> non_urgent_rates_hz = {};
  schedule::PlanProblem problem = {};
  bool keep_outliers = false;
  std::optional<double> idle_power_w = {};
  double switch_s = 0;
  std::vector<double> busy_shares = {};  // of each program, the inference first
  ScheduledModels models = {};

  bool has_inference() const { return !inference_sweep.empty() || !models.inference.empty(); }
  void check() const;  // UsageError where a program is given twice
};
// Of a file with training and inference the part that is asked for; repeats averaged, without the
// rows that the quality check flags unless they are wanted.
TrustedSweep read_program(const std::string& path, WorkloadKind kind, bool keep_outliers);
// What is asked of the programs. UsageError without a rate of the inference.
schedule::PlanProblem checked_problem(const ScheduleRequest& asked);
// The sweeps of a request, as they were read.
struct ScheduleSweeps {
  std::optional<Sweep> inference = {};
  std::vector<Sweep> training = {}, non_urgent = {};
};
// Those and the models on the twin of a board, with what the request says about each.
schedule::ScheduleWorkloads workloads_to_schedule(const ScheduleRequest& asked,
                                                  ScheduleSweeps sweeps, const std::string& board);

struct SharingRow {
  schedule::Candidate candidate;  // both programs, each alone
  schedule::SharingForecast forecast;
};
struct SharingAnswer {
  std::string programs[2];  // "resnet50 inference"
  std::vector<SharingRow> rows;
  std::string idle_source;
  RowOrigin origin;
};
// What two programs do to each other in each of their modes and batches, at the same time and in
// turns. UsageError unless the workloads are two.
SharingAnswer predict_sharing(const schedule::ScheduleWorkloads& workloads,
                              std::optional<double> idle_power_w = {},
                              double switching = schedule::kNativeSwitching);

struct PlanQuestion {
  schedule::ScheduleWorkloads workloads;
  schedule::PlanProblem problem;
  std::optional<double> idle_power_w = {};  // see planned_points
  // One of plan_strategy_names(): the optimum of all points, or what a search finds that profiles
  // at most `profiles` of them.
  std::string strategy = "exhaustive";
  int profiles = 15;
  std::vector<Sweep> inference_references = {}, training_references = {};  // of other workloads
  std::uint64_t seed = 1;
};
// The same as a user writes it.
struct PlanRequest {
  ScheduleRequest schedule = {};
  std::string strategy = "exhaustive";
  int profiles = 15;
  std::vector<std::string> inference_references = {}, training_references = {};  // CSV files
  std::uint64_t seed = 1;
};
struct PlanAnswer {
  schedule::PlanProblem problem;
  schedule::Plan plan;            // as best_plan() has it
  schedule::ServingPlan serving;  // the plan as a simulation takes it
  std::string strategy, idle_source;
  std::uint64_t seed = 1;
  RowOrigin origin;
  // Of the plan's two programs, left to the driver; nothing where they are not two.
  std::optional<schedule::SharingForecast> native;
  std::vector<schedule::Plan> profiled;  // of each point that was profiled, in order
};
// Which mode, batch and training minibatches per cycle give the most training within the limits.
// Throws UsageError on a question that means nothing, and what join_sweeps throws.
PlanAnswer plan_schedule(const PlanQuestion& question);

struct ArrivalsQuestion {
  double least_rate_hz = 0, most_rate_hz = 0;  // of the arrivals
  double headroom = 0;                         // plan for this share more
  std::string strategy = "auto";               // one of plan_strategy_names()
  int profiles = 50;                           // for each of three rates
  std::uint64_t seed = 1;
};
// What is profiled before serving begins: a third of a search's budget looks for the point that
// serves most, for overloads (`auto` does; the others know one goal only); then come the most
// training at the highest rate that can be served, at a middle one and at the lowest, each knowing
// what those before saw.
std::vector<schedule::Candidate> profile_for_arrivals(const schedule::PlanSpace& space,
                                                      schedule::PlanProblem problem,
                                                      const ArrivalsQuestion& question);

// Grants in the cycle of a feasible plan.
void follow(const schedule::Plan& plan, schedule::ExecutorOptions& options);

}  // namespace ridgewatt::answer
