#include "ridgewatt/answer/estimate.h"

#include <algorithm>
#include <map>

#include "ridgewatt/base/error.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/sweep/mode_list.h"

namespace ridgewatt::answer {
namespace {

std::shared_ptr<const twin::TwinModel> model_on(
    const EstimateQuestion& question,
    const std::shared_ptr<const workload::DeployedWorkload>& workload, const Board& board) {
  return std::make_shared<const twin::TwinModel>(twin::load_twin(board), workload, question.run,
                                                 usual_batch(workload->options().kind));
}

std::vector<int> batches_of(const EstimateQuestion& question,
                            const workload::DeployedWorkload& workload) {
  return question.batches.empty() ? std::vector{usual_batch(workload.options().kind)}
                                  : question.batches;
}

void add_rows(const Board& board, const twin::TwinModel& model, const std::vector<PowerMode>& modes,
              const std::vector<int>& batches, std::vector<EstimateRow>& rows) {
  for (const auto& mode : modes) {
    for (const int batch : batches) {
      rows.push_back({board.name, model.twin().runtime, mode, batch,
                      model.estimator(batch).breakdown(mode), model.error({mode, batch}),
                      model.twin().fit, model.memory(batch), preset_name(board, mode),
                      model.twin().status, model.widened_by(batch)});
    }
  }
}

}  // namespace

bool EstimateAnswer::fits_memory() const {
  return std::any_of(rows.begin(), rows.end(), [](const auto& row) { return row.memory.fits(); });
}

int usual_batch(WorkloadKind kind) {
  return kind == WorkloadKind::kTraining ? 16 : 1;
}

EstimateAnswer estimate_on_board(const EstimateQuestion& question,
                                 const std::shared_ptr<const workload::DeployedWorkload>& workload,
                                 const std::string& device) {
  const Board board = load_board(device);
  EstimateAnswer found;
  found.model = model_on(question, workload, board);
  add_rows(board, *found.model,
           select_modes(board, question.modes.empty() ? "presets" : question.modes),
           batches_of(question, *workload), found.rows);
  return found;
}

EstimateAnswer estimate_over_boards(
    const EstimateQuestion& question,
    const std::shared_ptr<const workload::DeployedWorkload>& workload) {
  EstimateAnswer found;
  std::map<std::string, std::shared_ptr<const twin::TwinModel>> models;
  for (const auto& name : list_boards()) {
    const Board board = load_board(name);
    const auto model = model_on(question, workload, board);
    try {
      add_rows(board, *model, select_modes(board, question.modes.empty() ? "maxn" : question.modes),
               batches_of(question, *workload), found.rows);
      models[board.name] = model;
    } catch (const NotSupportedError& error) {
      found.left_out.push_back({name, error.what()});
    }
  }
  std::stable_sort(
      found.rows.begin(), found.rows.end(), [](const EstimateRow& a, const EstimateRow& b) {
        if (a.memory.fits() != b.memory.fits()) return a.memory.fits();
        return a.estimate.total.period_s / a.batch < b.estimate.total.period_s / b.batch;
      });
  if (!found.rows.empty()) found.model = models.at(found.rows.front().board);
  return found;
}

}  // namespace ridgewatt::answer
