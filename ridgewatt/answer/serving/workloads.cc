// The programs that share a board: sweeps, and models on the board's twin.
#include <fmt/format.h>

#include <algorithm>

#include "ridgewatt/answer/board/known_power.h"
#include "ridgewatt/answer/serve.h"
#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/twin/twin.h"
#include "ridgewatt/twin/twin_model.h"

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

void add_models(const ScheduledModels& asked, const std::string& board,
                schedule::ScheduleWorkloads& workloads) {
  std::vector<ScheduledModel> models;
  std::vector<int> training_batches;
  if (asked.training_batch) training_batches = {*asked.training_batch};
  for (const auto& workload : asked.load()) {
    const bool inference = workload->options().kind == WorkloadKind::kInference;
    models.push_back(scheduled_model(
        workload, asked.modes, inference ? asked.inference_batches : training_batches, board));
  }
  fit_together(models, board);
  share_cores(models, board);
  for (const ScheduledModel& model : models) {
    if (model.workload->options().kind == WorkloadKind::kInference) {
      workloads.inference = model.sweep(board);
    } else {
      workloads.background.push_back({model.sweep(board), 0});
    }
    workloads.uses.push_back(device_use(model.on_twin));
    workloads.models.push_back(model.on_twin);
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

std::shared_ptr<const twin::TwinModel> on_twin(const ScheduledModel& model,
                                               const std::string& device) {
  return std::make_shared<const twin::TwinModel>(twin::load_twin(load_board(device)),
                                                 model.workload, model.question.run,
                                                 usual_batch(*model.workload));
}

}  // namespace

std::vector<std::shared_ptr<const workload::DeployedWorkload>> ScheduledModels::load() const {
  std::vector<std::shared_ptr<const workload::DeployedWorkload>> models;
  if (!inference.empty()) {
    models.push_back(
        deployed(inference, WorkloadKind::kInference, inference_runtime, inference_precision));
  }
  for (const auto& name : training) {
    models.push_back(
        deployed(name, WorkloadKind::kTraining, Runtime::kPytorchEager, training_precision));
  }
  models.insert(models.end(), loaded.begin(), loaded.end());
  std::stable_partition(models.begin(), models.end(), [](const auto& model) {
    return model->options().kind == WorkloadKind::kInference;
  });
  return models;
}

ScheduledModel scheduled_model(const std::shared_ptr<const workload::DeployedWorkload>& workload,
                               const std::string& modes, std::vector<int> batches,
                               const std::string& device) {
  const Board board = load_board(device);
  const twin::Twin twin = twin::load_twin(board);
  require_power(twin, board.name, "name a board with a GPU, or give measured sweeps");
  if (batches.empty()) batches = batches_to_schedule(*workload);
  ScheduledModel model{workload, {.modes = modes, .batches = std::move(batches)}, nullptr};
  if (workload->options().kind == WorkloadKind::kInference) {
    model.question.run.loader_s_per_sample = 0;
  }
  model.on_twin = on_twin(model, device);
  return model;
}

void fit_together(std::span<ScheduledModel> models, const std::string& device) {
  if (models.size() < 2) return;
  const auto needed = [](const ScheduledModel& model, int batch) {
    return model.on_twin->memory(batch).needed_bytes();
  };
  std::vector<double> least;
  double all = 0;
  for (const ScheduledModel& model : models) {
    const auto& batches = model.question.batches;
    const int smallest = *std::min_element(batches.begin(), batches.end());
    all += least.emplace_back(needed(model, smallest));
  }
  const auto& any = models.front();
  const double free = any.on_twin->memory(any.question.batches.front()).free_bytes();
  if (all > free) {
    throw NotSupportedError(
        fmt::format("the programs together need {} of memory, and the system leaves {}",
                    format_si(all, "B"), format_si(free, "B")),
        device, "use smaller batches or models, or a board with more memory");
  }
  for (std::size_t i = 0; i < models.size(); ++i) {
    std::erase_if(models[i].question.batches,
                  [&](int batch) { return needed(models[i], batch) + (all - least[i]) > free; });
  }
}

void share_cores(std::span<ScheduledModel> models, const std::string& device) {
  const auto kind_of = [](const ScheduledModel& model) { return model.workload->options().kind; };
  std::vector<std::shared_ptr<const twin::Estimator>> trainings;
  for (const ScheduledModel& model : models) {
    if (kind_of(model) != WorkloadKind::kTraining) continue;
    trainings.emplace_back(model.on_twin,
                           &model.on_twin->estimator(model.question.batches.front()));
  }
  if (trainings.empty()) return;
  for (ScheduledModel& model : models) {
    if (kind_of(model) != WorkloadKind::kInference) continue;
    model.question.run.others = trainings;
    model.on_twin = on_twin(model, device);
  }
}

std::vector<ProgramGround> grounds_of(const schedule::ScheduleWorkloads& workloads) {
  std::vector<const Sweep*> sweeps;
  if (workloads.inference) sweeps.push_back(&*workloads.inference);
  for (const auto& background : workloads.background) sweeps.push_back(&background.sweep);
  std::vector<ProgramGround> grounds;
  for (std::size_t i = 0; i < std::min(sweeps.size(), workloads.models.size()); ++i) {
    if (workloads.models[i] == nullptr) continue;
    const twin::TwinModel& model = *workloads.models[i];
    grounds.push_back(
        {sweeps[i]->workload + " " + sweeps[i]->kind, model.provenance(), model.twin().fit});
  }
  return grounds;
}

std::vector<int> batches_to_schedule(const workload::DeployedWorkload& model) {
  if (model.options().kind == WorkloadKind::kTraining) return {usual_batch(model)};
  if (const auto fixed = fixed_batch(model)) return {*fixed};
  return {1, 2, 4, 8, 16, 32};
}

TrustedSweep read_program(const std::string& path, WorkloadKind kind, bool keep_outliers) {
  std::vector<Sweep> sweeps = read_sweeps(path);
  if (sweeps.size() > 1) {
    std::erase_if(sweeps, [&](const Sweep& one) {
      return one.kind_stated && workload_kind_of(one.kind) != kind;
    });
  }
  Sweep sweep = choose_sweep(std::move(sweeps), std::nullopt, path);
  sweep.take_role(kind);
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
  if (sweeps.inference) sweeps.inference->take_role(WorkloadKind::kInference);
  for (Sweep& sweep : sweeps.training) sweep.take_role(WorkloadKind::kTraining);
  for (Sweep& sweep : sweeps.non_urgent) sweep.take_role(WorkloadKind::kInference);
  schedule::ScheduleWorkloads workloads;
  workloads.switch_s = asked.switch_s;
  add_models(asked.models, board, workloads);
  // So far `uses` contains only training models. The inference goes to the first place.
  if (sweeps.inference && !workloads.uses.empty()) {
    workloads.uses.insert(workloads.uses.begin(), nullptr);
    workloads.models.insert(workloads.models.begin(), nullptr);
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
