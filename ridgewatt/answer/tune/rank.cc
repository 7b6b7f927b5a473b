// Answers the question of tune.h for all boards, or for all runtimes of one board.
#include <exception>
#include <utility>

#include "ridgewatt/answer/predict/runtime_choices.h"
#include "ridgewatt/answer/tune.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/sort.h"
#include "ridgewatt/device/board.h"

namespace ridgewatt::answer {
namespace {

// The answers by their objective, then those without an answer by the excess of their nearest miss,
// then those whose memory does not hold the minibatch.
void sort_best_first(std::vector<TuneAnswer>& answers) {
  const auto place = [](const TuneAnswer& one) {
    const auto& outcome = one.outcome;
    if (outcome.best) return std::pair(0, outcome.best->objective);
    const bool near = outcome.miss && outcome.fits_memory;
    return near ? std::pair(1, outcome.miss->verdict.excess) : std::pair(2, 0.0);
  };
  sort_stably(answers,
              [&](const TuneAnswer& a, const TuneAnswer& b) { return place(a) < place(b); });
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
  std::exception_ptr empty;  // error of a runtime that would launch no kernels
  for (const RuntimeChoice& choice : runtime_choices(precisions, load_board(device).has_gpu())) {
    const auto leave_out = [&](const Error& error) {
      ranking.left_out.push_back(choice.name() + ": " + error.what());
    };
    try {
      ranking.answers.push_back(tune_on_twin(question, deployed_as(*workload, choice), device));
    } catch (const NotSupportedError& error) {
      leave_out(error);
    } catch (const UsageError& error) {
      leave_out(error);
      empty = std::current_exception();
    }
  }
  if (ranking.answers.empty()) {
    if (empty) std::rethrow_exception(empty);
    throw NotSupportedError("no runtime can run the model", "--runtime all",
                            ranking.left_out.front());
  }
  sort_best_first(ranking.answers);
  return ranking;
}

}  // namespace ridgewatt::answer
