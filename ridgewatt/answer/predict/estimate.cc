#include "ridgewatt/answer/estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "ridgewatt/answer/board/known_power.h"
#include "ridgewatt/answer/predict/estimate_rows.h"
#include "ridgewatt/answer/predict/runtime_choices.h"
#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/progress.h"
#include "ridgewatt/base/sort.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/sweep/mode_list.h"
#include "ridgewatt/twin/twin_model.h"

namespace ridgewatt::answer {
namespace {

std::shared_ptr<const twin::TwinModel> model_on(
    const EstimateQuestion& question,
    const std::shared_ptr<const workload::DeployedWorkload>& workload, const twin::Twin& twin) {
  return std::make_shared<const twin::TwinModel>(twin, workload, question.run,
                                                 usual_batch(*workload));
}

// In the order of the question, each once.
std::vector<int> batches_of(const EstimateQuestion& question,
                            const workload::DeployedWorkload& workload) {
  if (question.batches.empty()) return {usual_batch(workload)};
  std::vector<int> batches;
  for (const int batch : question.batches) {
    if (!contains(batches, batch)) batches.push_back(batch);
  }
  return batches;
}

// A workload in several runtimes and precisions. The cost of each is computed once.
class Deployments {
 public:
  using Workload = std::shared_ptr<const workload::DeployedWorkload>;
  explicit Deployments(Workload asked) : asked_(std::move(asked)) {
    all_[{asked_->options().runtime, asked_->options().precision}] = asked_;
  }
  Workload operator()(Runtime runtime, workload::Precision precision) {
    Workload& known = all_[{runtime, precision}];
    if (!known) known = deployed_as(*asked_, {runtime, precision});
    return known;
  }

 private:
  Workload asked_;
  std::map<std::pair<Runtime, workload::Precision>, Workload> all_;
};

EstimateRows sorted_by_sample_time(std::vector<EstimateRow> rows) {
  sort_stably(rows, [](const EstimateRow& a, const EstimateRow& b) {
    const bool fits = a.setting->memory.fits();
    if (fits != b.setting->memory.fits()) return fits;
    return a.estimate.total.period_s / a.setting->batch <
           b.estimate.total.period_s / b.setting->batch;
  });
  return EstimateRows(std::make_shared<const StoredRows>(std::move(rows)));
}

// Changes that shorten an inference row whose time goes mainly to launches: another runtime in the
// same precision, or a larger batch in the same runtime. Empty for other rows and for training.
std::vector<Remedy> launch_remedies(
    const EstimateQuestion& question,
    const std::shared_ptr<const workload::DeployedWorkload>& workload, const twin::Twin& twin,
    const EstimateRow& row) {
  std::vector<Remedy> remedies;
  if (row.estimate.dominant() != twin::Cause::kLaunch ||
      workload->options().kind == WorkloadKind::kTraining) {
    return remedies;
  }
  const double now_s = row.estimate.total.period_s / row.setting->batch;
  const auto add = [&](const std::string& what,
                       const std::shared_ptr<const workload::DeployedWorkload>& other, int batch) {
    try {
      const double then_s =
          model_on(question, other, twin)->estimator(batch)(row.mode).period_s / batch;
      if (then_s < 0.95 * now_s) remedies.push_back({what, then_s, now_s / then_s});
    } catch (const Error&) {
      // This combination cannot run, so it is not a remedy.
    }
  };
  for (const Runtime runtime : kRuntimes) {
    if (runtime == workload->options().runtime || is_eager(runtime) || is_on_cpu(runtime)) continue;
    add(std::string(name_of(runtime)),
        deployed_as(*workload, {runtime, workload->options().precision}), row.setting->batch);
  }
  const int larger = 8 * row.setting->batch;
  add("batch " + std::to_string(larger), workload, larger);
  sort_stably(remedies,
              [](const Remedy& a, const Remedy& b) { return a.s_per_sample < b.s_per_sample; });
  return remedies;
}

// An answer without rows.
EstimateAnswer begun(EstimateAnswer::Over over, const EstimateQuestion& question,
                     const std::shared_ptr<const workload::DeployedWorkload>& workload,
                     const std::string& device) {
  EstimateAnswer found;
  found.over = over;
  found.workload = workload;
  found.device = device;
  found.precision = workload->options().precision;
  found.job_samples = question.job_samples();
  return found;
}

}  // namespace

bool EstimateAnswer::fits_memory() const {
  return std::any_of(rows.begin(), rows.end(),
                     [](const auto& row) { return row.setting->memory.fits(); });
}

RowOrigin EstimateAnswer::origin(const EstimateRow& row) const {
  const EstimateSetting& of = *row.setting;
  return {workload->name(), std::string(name_of(workload->options().kind)),
          of.board,         Provenance::kModelled,
          of.runtime,       of.twin};
}

void EstimateAnswer::check() const {
  if (!rows.empty()) return;
  const bool boards = over == Over::kBoards;
  throw NotSupportedError(boards ? "no board can run the model" : "no runtime can run the model",
                          boards ? "--device all" : "--runtime all",
                          left_out.empty() ? "" : left_out.back().reason);
}

std::optional<int> fixed_batch(const workload::DeployedWorkload& workload) {
  const int own = workload.at(0)->batch;
  return own > 1 || !workload.has_batch() ? std::optional(own) : std::nullopt;
}

int usual_batch(const workload::DeployedWorkload& workload) {
  const bool training = workload.options().kind == WorkloadKind::kTraining;
  return fixed_batch(workload).value_or(training ? 16 : 1);
}

int smaller_batch_that_fits(const twin::TwinModel& model,
                            const workload::DeployedWorkload& workload, int batch) {
  if (fixed_batch(workload)) return 0;
  int smaller = batch / 2;
  while (smaller > 0 && !model.fits_memory(smaller)) smaller /= 2;
  return smaller;
}

EstimateAnswer estimate_on_board(const EstimateQuestion& question,
                                 const std::shared_ptr<const workload::DeployedWorkload>& workload,
                                 const std::string& device) {
  const Board board = load_board(device);
  const twin::Twin twin = twin::load_twin(board);
  EstimateAnswer found = begun(EstimateAnswer::Over::kModes, question, workload, device);
  found.model = model_on(question, workload, twin);
  Deployments deployments(workload);
  found.rows = EstimateRows(std::make_shared<const ComputedRows>(
      board, found.model, rivals_of(twin, *found.model, *workload, std::ref(deployments)),
      select_modes(board, question.modes.empty() ? "presets" : question.modes),
      batches_of(question, *workload)));
  if (!found.rows.empty()) {
    found.remedies = launch_remedies(question, workload, twin, found.rows.front());
  }
  return found;
}

EstimateAnswer estimate(const EstimateQuestion& question,
                        const std::shared_ptr<const workload::DeployedWorkload>& workload) {
  const bool every_board = question.device == "all";
  if (every_board && question.workload.all_runtimes) {
    throw UsageError("--device all and --runtime all cannot be combined", "",
                     "name one board or one runtime");
  }
  std::vector<workload::Precision> precisions;
  if (question.workload.precision) precisions = {*question.workload.precision};
  EstimateAnswer found =
      every_board ? estimate_over_boards(question, workload)
      : question.workload.all_runtimes
          ? estimate_over_runtimes(question, workload, question.device, precisions)
          : estimate_on_board(question, workload, question.device);
  add_holds(found, question.heat);
  return found;
}

Sweep estimate_sweep(const EstimateQuestion& question,
                     const std::shared_ptr<const workload::DeployedWorkload>& workload,
                     const std::string& device) {
  const Board board = load_board(device);
  const twin::Twin twin = twin::load_twin(board);
  require_power(twin, board.name, "name a board with a GPU, or give measured sweeps");
  const auto model = model_on(question, workload, twin);
  Sweep sweep;
  sweep.source = sweep.workload = workload->name();
  sweep.kind = name_of(workload->options().kind);
  sweep.board = board.name;
  sweep.provenance = Provenance::kModelled;
  sweep.runtime = model->twin().runtime;
  sweep.twin = model->twin().status;
  const auto modes = select_modes(board, question.modes.empty() ? "all" : question.modes);
  for (const int batch : batches_of(question, *workload)) {
    if (!model->fits_memory(batch)) continue;
    for (const auto& mode : modes) {
      check_work();
      sweep.observations.push_back(model->observe({mode, batch}));
      sweep.lines.push_back(0);
    }
  }
  if (sweep.observations.empty()) {
    throw NotSupportedError("no minibatch of the model fits into the memory of the board",
                            workload->name(), "use a smaller batch or a board with more memory");
  }
  return sweep;
}

EstimateAnswer estimate_over_boards(
    const EstimateQuestion& question,
    const std::shared_ptr<const workload::DeployedWorkload>& workload) {
  EstimateAnswer found = begun(EstimateAnswer::Over::kBoards, question, workload, "");
  std::vector<EstimateRow> rows;
  std::map<std::string, std::shared_ptr<const twin::TwinModel>> models;
  Deployments deployments(workload);
  for (const auto& name : list_boards()) {
    const Board board = load_board(name);
    const twin::Twin twin = twin::load_twin(board);
    const auto model = model_on(question, workload, twin);
    try {
      append_rows(
          ComputedRows(board, model, rivals_of(twin, *model, *workload, std::ref(deployments)),
                       select_modes(board, question.modes.empty() ? "maxn" : question.modes),
                       batches_of(question, *workload)),
          rows);
      models[board.name] = model;
    } catch (const NotSupportedError& error) {
      found.left_out.push_back({name, error.what()});
    }
  }
  found.rows = sorted_by_sample_time(std::move(rows));
  if (!found.rows.empty()) found.model = models.at(found.rows.front().setting->board);
  return found;
}

EstimateAnswer estimate_over_runtimes(
    const EstimateQuestion& question,
    const std::shared_ptr<const workload::DeployedWorkload>& workload, const std::string& device,
    const std::vector<workload::Precision>& precisions) {
  const Board board = load_board(device);
  const twin::Twin twin = twin::load_twin(board);
  const auto modes = select_modes(board, question.modes.empty() ? "maxn" : question.modes);
  EstimateAnswer found = begun(EstimateAnswer::Over::kRuntimes, question, workload, device);
  found.precision = precisions.size() == 1 ? std::optional(precisions.front()) : std::nullopt;
  // A question that fails for every runtime is one error.
  const auto eager = deployed_as(*workload, RuntimeChoice{});
  const auto counted = eager->at(batches_of(question, *workload).front());
  if (counted->kernels.empty()) {
    throw UsageError("the model has no operations that take time", counted->name,
                     "check that the model is not empty");
  }
  std::vector<EstimateRow> rows;
  std::map<std::pair<Runtime, workload::Precision>, std::shared_ptr<const twin::TwinModel>> models;
  Deployments deployments(workload);
  for (const RuntimeChoice& choice : runtime_choices(precisions, board.has_gpu())) {
    const auto leave_out = [&](const Error& error) {
      found.left_out.push_back({choice.name(), error.what()});
    };
    try {
      const auto deployed = deployments(choice.runtime, choice.precision);
      const auto model = model_on(question, deployed, twin);
      append_rows(
          ComputedRows(board, model, rivals_of(twin, *model, *deployed, std::ref(deployments)),
                       modes, batches_of(question, *workload)),
          rows);
      models[{choice.runtime, choice.precision}] = model;
    } catch (const NotSupportedError& error) {
      leave_out(error);
    } catch (const UsageError& error) {  // the runtime would launch no kernels
      leave_out(error);
    }
  }
  found.rows = sorted_by_sample_time(std::move(rows));
  if (!found.rows.empty()) {
    const EstimateSetting& first = *found.rows.front().setting;
    found.model = models.at({first.runtime, first.precision});
  }
  return found;
}

}  // namespace ridgewatt::answer
