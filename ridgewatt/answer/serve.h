// Planning of inference and training on one board: which operating points are candidates, which
// plan is best, and which points to profile in advance if the arrival rate varies.
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
#include <span>
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
#include "ridgewatt/tune/limits.h"

namespace ridgewatt::answer {

struct PlannedPoints {
  std::vector<schedule::Candidate> candidates;
  std::string idle_source;  // source of the idle power, as text
};
// Returns the candidates: the points that the sweeps of all workloads have in common. Their idle
// power is `idle_power_w`. If absent, it is that of the twin of the sweeps' board or, without a
// twin, the lowest power in the sweeps.
PlannedPoints planned_points(const schedule::ScheduleWorkloads& workloads,
                             std::optional<double> idle_power_w = {});

// Returns the plan with the most training. If no plan is feasible, returns the nearest miss. If
// inference alone is feasible, the nearest miss is the plan without training.
schedule::Plan best_plan(std::vector<schedule::Candidate> candidates,
                         const schedule::PlanProblem& problem);

// A model that shares the board of a twin with others.
struct ScheduledModel {
  std::shared_ptr<const workload::DeployedWorkload> workload;
  // Question of estimate_sweep(). A schedule keeps the device busy, so inference never waits for a
  // loader.
  EstimateQuestion question;
  std::shared_ptr<const twin::TwinModel> on_twin;

  Sweep sweep(const std::string& device) const {
    return estimate_sweep(question, workload, device);
  }
};
// Empty `batches`: batches_to_schedule().
ScheduledModel scheduled_model(const std::shared_ptr<const workload::DeployedWorkload>& workload,
                               const std::string& modes, std::vector<int> batches,
                               const std::string& device);
// Leaves out a batch of a model if it does not fit the memory of the board together with the
// smallest batches of the other models. Each program has its own framework and CUDA context. Throws
// NotSupportedError if no batches fit.
void fit_together(std::span<ScheduledModel> models, const std::string& device);

// If there are fewer cores than threads, the loader workers of a training delay its launching
// thread. Delays the launching thread of each inference as much.
void share_cores(std::span<ScheduledModel> models, const std::string& device);

// Returns a function for ScheduleWorkloads::uses. It estimates the shares of its time in which a
// model uses the GPU and the CPU.
std::function<schedule::DeviceUse(const OperatingPoint&)> device_use(
    std::shared_ptr<const twin::TwinModel> model);

// What the figures of a program are based on.
struct ProgramGround {
  std::string program;  // "resnet50 inference"
  std::string ground;   // TwinModel::provenance()
  twin::TwinFitError fit;
};
// Returns one entry per program that is a model on a twin.
std::vector<ProgramGround> grounds_of(const schedule::ScheduleWorkloads& workloads);

// Models that replace sweeps. The board's twin estimates their cost.
struct ScheduledModels {
  std::string inference = {};
  std::vector<std::string> training = {};
  std::string device = {};
  std::string modes = "all";
  std::vector<int> inference_batches = {};  // empty: batches_to_schedule()
  std::optional<int> training_batch = {};   // absent: batches_to_schedule()
  Runtime inference_runtime = Runtime::kPytorchEager;
  workload::Precision inference_precision = workload::Precision::kFp32;
  workload::Precision training_precision = workload::Precision::kFp32;
  std::vector<std::shared_ptr<const workload::DeployedWorkload>> loaded = {};  // further models

  bool empty() const { return inference.empty() && training.empty() && loaded.empty(); }
  // Returns the models, the inference first.
  std::vector<std::shared_ptr<const workload::DeployedWorkload>> load() const;
};
// Returns the default batches: the batch that the model file fixes, otherwise 16 for training and
// 1, 2, 4, .., 32 for inference.
std::vector<int> batches_to_schedule(const workload::DeployedWorkload& model);

// The programs that share a board and their requirements, as text that a user enters.
struct ScheduleRequest {
  std::string inference_sweep = {};  // CSV files
  std::vector<std::string> training_sweeps = {}, non_urgent = {};
  std::vector<double> non_urgent_rates_hz = {};
  schedule::PlanProblem problem = {};
  bool keep_outliers = false;               // keeps the rows that the quality check flags
  std::optional<double> idle_power_w = {};  // absent: see planned_points()
  double switch_s = 0;                      // time to switch between programs
  // The share of its run time in which each program keeps the device busy: inference, then
  // training, then non-urgent. Empty: from the twin for models, unknown for sweeps.
  std::vector<double> busy_shares = {};
  ScheduledModels models = {};

  bool has_inference() const { return !inference_sweep.empty() || !models.inference.empty(); }
  void check() const;  // throws UsageError if a program is given both as model and as sweep
};
// Reads the sweep of the given kind from a file. Averages repeats, and drops the rows that the
// quality check flags unless `keep_outliers` is set.
TrustedSweep read_program(const std::string& path, WorkloadKind kind, bool keep_outliers);
// Returns `asked.problem` after checking it. Throws UsageError if inference has no arrival rate.
schedule::PlanProblem checked_problem(const ScheduleRequest& asked);
// The sweeps of the request's files.
struct ScheduleSweeps {
  std::optional<Sweep> inference = {};
  std::vector<Sweep> training = {}, non_urgent = {};
};
// Combines these sweeps with the request's models on the twin of `board`, and adds the request's
// rates and busy shares.
schedule::ScheduleWorkloads workloads_to_schedule(const ScheduleRequest& asked,
                                                  ScheduleSweeps sweeps, const std::string& board);

struct SharingRow {
  schedule::Candidate candidate;  // costs of both programs, each running alone
  schedule::SharingForecast forecast;
};
struct SharingAnswer {
  std::string programs[2];  // "resnet50 inference"
  std::vector<SharingRow> rows;
  std::string idle_source;
  RowOrigin origin;
  std::vector<ProgramGround> grounds;  // of the programs that are models
};
// Predicts how two programs slow each other down, in each of their common modes and batches, if
// they run at the same time or in turns. Throws UsageError unless there are exactly two workloads.
SharingAnswer predict_sharing(const schedule::ScheduleWorkloads& workloads,
                              std::optional<double> idle_power_w = {},
                              double switching = schedule::kNativeSwitching);

struct PlanQuestion {
  schedule::ScheduleWorkloads workloads;
  schedule::PlanProblem problem;
  std::optional<double> idle_power_w = {};  // absent: see planned_points()
  // One of plan_strategy_names(): "exhaustive" uses all points. Other strategies profile at most
  // `profiles` points.
  std::string strategy = "exhaustive";
  int profiles = 15;
  std::vector<Sweep> inference_references = {}, training_references = {};  // of other workloads
  std::uint64_t seed = 1;
  // Required probability that each limit is met, given the errors of the twins of the models. 0.5:
  // the estimates must meet the limits. Only with "exhaustive".
  double confidence = 0.5;
};
// PlanQuestion as text that a user enters.
struct PlanRequest {
  ScheduleRequest schedule = {};
  std::string strategy = "exhaustive";
  int profiles = 15;
  std::vector<std::string> inference_references = {}, training_references = {};  // CSV files
  std::uint64_t seed = 1;
  double confidence = 0.5;
};
struct PlanAnswer {
  schedule::PlanProblem problem;
  schedule::Plan plan;            // see best_plan()
  schedule::ServingPlan serving;  // the plan as input of a simulation
  std::string strategy, idle_source;
  std::uint64_t seed = 1;
  RowOrigin origin;
  // Forecast for the plan's programs under native sharing. Absent if there are not two programs.
  std::optional<schedule::SharingForecast> native;
  std::vector<ProgramGround> grounds;  // of the programs that are models
  // For a feasible plan of models: the probability that it meets each limit, given the errors of
  // the estimates.
  std::vector<tune::LimitConfidence> confidence;
  std::vector<schedule::Plan> profiled;  // one for each profiled point, in order
};
// Finds the mode, inference batch and training minibatches per cycle with the most training within
// the limits. Throws UsageError on an invalid question, and the errors of schedule::join_sweeps().
PlanAnswer plan_schedule(const PlanQuestion& question);

struct ArrivalsQuestion {
  double least_rate_hz = 0, most_rate_hz = 0;  // range of the arrival rate
  double headroom = 0;                         // plan for rates higher by this fraction
  std::string strategy = "auto";               // one of plan_strategy_names()
  int profiles = 50;                           // number of profiles for each of three rates
  std::uint64_t seed = 1;
};
// Returns the points to profile before serving begins. First, a third of `profiles` is used to find
// the point that serves the most requests, which matters in overload. Only `auto` supports this
// objective. Then three searches maximize training: at the highest rate that can be served, at the
// geometric mean of this rate and the lowest rate, and at the lowest rate. Each search reuses the
// points of the searches before it. "exhaustive" returns all candidates.
std::vector<schedule::Candidate> profile_for_arrivals(const schedule::PlanSpace& space,
                                                      schedule::PlanProblem problem,
                                                      const ArrivalsQuestion& question);

// Sets the options so that the executor follows the cycle of the plan, which must be feasible.
void follow(const schedule::Plan& plan, schedule::ExecutorOptions& options);

}  // namespace ridgewatt::answer
