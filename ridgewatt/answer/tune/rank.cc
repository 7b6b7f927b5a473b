// Answers the question of tune.h for all boards, or for all runtimes of one board.
#include <algorithm>

#include "ridgewatt/answer/predict/runtime_choices.h"
#include "ridgewatt/answer/tune.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/device/board.h"

namespace ridgewatt::answer {
namespace {

void sort_best_first(std::vector<TuneAnswer>& answers) {
  std::stable_sort(answers.begin(), answers.end(), [](const TuneAnswer& a, const TuneAnswer& b) {
    if (a.outcome.best.has_value() != b.outcome.best.has_value()) return a.outcome.best.has_value();
    return a.outcome.best && a.outcome.best->objective < b.outcome.best->objective;
  });
}

}  // namespace

TuneRanking rank_boards(const TuneQuestion& question,
                        const std::shared_ptr<const workload::DeployedWorkload>& workload) {
  TuneRanking ranking;
  for (const auto& name : list_boards()) {
    try {
      ranking.answers.push_back(tune_on_twin(question, workload, name));
    } catch (const NotSupportedError& error) {
      ranking.left_out.push_back(name + ": " + error.what());
    }
  }
  sort_best_first(ranking.answers);
  return ranking;
}

TuneRanking rank_runtimes(const TuneQuestion& question,
                          const std::shared_ptr<const workload::DeployedWorkload>& workload,
                          const std::string& device,
                          const std::vector<workload::Precision>& precisions) {
  TuneRanking ranking{TuneRanking::Over::kRuntimes, {}, {}};
  for (const RuntimeChoice& choice : runtime_choices(precisions, load_board(device).has_gpu())) {
    const auto leave_out = [&](const Error& error) {
      ranking.left_out.push_back(choice.name() + ": " + error.what());
    };
    try {
      ranking.answers.push_back(tune_on_twin(question, deployed_as(*workload, choice), device));
    } catch (const NotSupportedError& error) {
      leave_out(error);
    } catch (const UsageError& error) {  // the runtime would launch no kernels
      leave_out(error);
    }
  }
  if (ranking.answers.empty()) {
    throw NotSupportedError("no runtime can run the model", "--runtime all",
                            ranking.left_out.front());
  }
  sort_best_first(ranking.answers);
  return ranking;
}

}  // namespace ridgewatt::answer
