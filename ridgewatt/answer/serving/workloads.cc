// The programs that share a board: sweeps, and models on the board's twin.
#include <algorithm>

#include "ridgewatt/answer/serve.h"
#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/base/error.h"

namespace ridgewatt::answer {
namespace {

std::shared_ptr<const workload::DeployedWorkload> deployed(const std::string& model,
                                                           WorkloadKind kind, Runtime runtime,
                                                           workload::Precision precision) {
  workload::DeployOptions options;
  options.kind = kind;
  options.runtime = runtime;
  options.precision = precision;
  return std::make_shared<const workload::DeployedWorkload>(model, options);
}

void add_models(const ScheduledModels& models, const std::string& board,
                schedule::ScheduleWorkloads& workloads) {
  if (!models.inference.empty()) {
    const auto model = deployed(models.inference, WorkloadKind::kInference,
                                models.inference_runtime, models.inference_precision);
    const EstimateQuestion question{.modes = models.modes,
                                    .batches = models.inference_batches.empty()
                                                   ? batches_to_schedule(*model)
                                                   : models.inference_batches};
    workloads.inference = estimate_sweep(question, model, board);
    workloads.uses.push_back(device_use(question, model, board));
  }
  for (const auto& name : models.training) {
    const auto model =
        deployed(name, WorkloadKind::kTraining, Runtime::kPytorchEager, models.training_precision);
    const EstimateQuestion question{.modes = models.modes,
                                    .batches = models.training_batch
                                                   ? std::vector{*models.training_batch}
                                                   : batches_to_schedule(*model)};
    workloads.background.push_back({estimate_sweep(question, model, board), 0});
    workloads.uses.push_back(device_use(question, model, board));
  }
}

// Given busy shares, in the order of the programs, replace the twin's estimates for models.
void add_busy_shares(const std::vector<double>& shares, schedule::ScheduleWorkloads& workloads) {
  const std::size_t programs = workloads.background.size() + (workloads.inference ? 1 : 0);
  if (!shares.empty() && shares.size() != programs) {
    throw UsageError("--busy-share must be given for every program or for none", "",
                     "give the shares in the order inference, training, non-urgent");
  }
  workloads.uses.resize(std::max(programs, workloads.uses.size()));
  for (std::size_t i = 0; i < shares.size(); ++i) {
    workloads.uses[i] = [busy = shares[i], known = workloads.uses[i]](const auto& point) {
      schedule::DeviceUse use = known ? known(point) : schedule::DeviceUse{};
      use.busy_share = busy;
      return use;
    };
  }
}

// Throws if the sweep is of another kind than its role in the plan.
void require_kind(const Sweep& sweep, WorkloadKind role) {
  const auto kind = find_name<WorkloadKind>(sweep.kind);  // absent: a phase
  if (!kind || *kind == role) return;
  const std::string needed(name_of(role));
  throw UsageError("the sweep of the " + needed + " has rows of the kind " + sweep.kind,
                   sweep.source, "give a sweep of " + needed + "; the column kind states it");
}

}  // namespace

std::vector<int> batches_to_schedule(const workload::DeployedWorkload& model) {
  if (model.options().kind == WorkloadKind::kTraining) return {usual_batch(model)};
  if (const auto fixed = fixed_batch(model)) return {*fixed};
  return {1, 2, 4, 8, 16, 32};
}

TrustedSweep read_program(const std::string& path, WorkloadKind kind, bool keep_outliers) {
  std::vector<Sweep> sweeps = read_sweeps(path);
  if (sweeps.size() > 1) {
    std::erase_if(sweeps, [&](const Sweep& one) { return workload_kind_of(one.kind) != kind; });
  }
  Sweep sweep = choose_sweep(std::move(sweeps), std::nullopt, path);
  require_kind(sweep, kind);
  if (keep_outliers) return {average_repeats(std::move(sweep)), path, 0, 0};
  return drop_flagged_rows(sweep, path);
}

void ScheduleRequest::check() const {
  if (!models.inference.empty() && !inference_sweep.empty()) {
    throw UsageError("--inference and --inference-sweep both give the inference", "",
                     "give one of them");
  }
  if (!models.training.empty() && !training_sweeps.empty()) {
    throw UsageError("--training and --training-sweep both give the training", "",
                     "give one of them");
  }
}

schedule::PlanProblem checked_problem(const ScheduleRequest& asked) {
  asked.check();
  if (asked.has_inference() && !(asked.problem.arrival_rate_hz > 0)) {
    throw UsageError("an inference needs an arrival rate", "",
                     "give --arrival-rate in requests per second");
  }
  asked.problem.check(asked.has_inference());
  return asked.problem;
}

schedule::ScheduleWorkloads workloads_to_schedule(const ScheduleRequest& asked,
                                                  ScheduleSweeps sweeps, const std::string& board) {
  asked.check();
  if (asked.non_urgent_rates_hz.size() > sweeps.non_urgent.size()) {
    throw UsageError("--non-urgent-rate gives more rates than there are non-urgent inferences", "");
  }
  if (sweeps.inference) require_kind(*sweeps.inference, WorkloadKind::kInference);
  for (const Sweep& sweep : sweeps.training) require_kind(sweep, WorkloadKind::kTraining);
  for (const Sweep& sweep : sweeps.non_urgent) require_kind(sweep, WorkloadKind::kInference);
  schedule::ScheduleWorkloads workloads;
  workloads.switch_s = asked.switch_s;
  add_models(asked.models, board, workloads);
  // So far `uses` contains only training models. The inference goes to the first place.
  if (sweeps.inference && !workloads.uses.empty()) {
    workloads.uses.insert(workloads.uses.begin(), nullptr);
  }
  if (sweeps.inference) workloads.inference = std::move(sweeps.inference);
  for (Sweep& sweep : sweeps.training) workloads.background.push_back({std::move(sweep), 0});
  for (std::size_t i = 0; i < sweeps.non_urgent.size(); ++i) {
    const bool given = i < asked.non_urgent_rates_hz.size();
    workloads.background.push_back(
        {std::move(sweeps.non_urgent[i]), given ? asked.non_urgent_rates_hz[i] : 0});
  }
  add_busy_shares(asked.busy_shares, workloads);
  return workloads;
}

}  // namespace ridgewatt::answer
