// Answers the question on a sweep that simulates the board.
#include <algorithm>
#include <utility>

#include "ridgewatt/answer/predict.h"
#include "ridgewatt/answer/tune/tune_parts.h"
#include "ridgewatt/answer/tune_request.h"
#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/sweep/board_fit.h"
#include "ridgewatt/sweep/replay.h"
#include "ridgewatt/tune/strategy.h"
#include "ridgewatt/tune/surrogate.h"
#include "ridgewatt/twin/twin_model.h"

namespace ridgewatt::answer {
namespace {

// Keeps only the rows with the requested batches.
void keep_batches(const TuneQuestion& question, Sweep& sweep) {
  if (question.batches.empty()) return;
  std::erase_if(sweep.observations, [&](const Observation& row) {
    return !contains(question.batches, row.point.batch);
  });
  if (sweep.observations.empty()) {
    throw UsageError("the sweep has no row with a batch size of --batch", "",
                     "give batches of the sweep");
  }
}

// The twin's estimate of every point, as one more reference.
std::vector<Observation> twin_view(const ProfiledRows& asked, const twin::RunOptions& run,
                                   const tune::SearchSpace& space, workload::CostCaveats& caveats) {
  const twin::TwinModel model(twin::load_twin(load_board(asked.device)), asked.workload, run);
  std::vector<Observation> rows;
  for (const auto& point : space.points()) {
    rows.push_back(model.observe_as(asked.rows.provenance, point));
  }
  caveats = model.estimator(space.points().front().batch).cost().caveats;
  return rows;
}

// The prior from references and the twin, before the first profile.
std::shared_ptr<const tune::SurrogatePrior> prior_of(
    const ProfiledRows& asked, const twin::RunOptions& run, const tune::SearchSpace& space,
    std::optional<workload::CostCaveats>& caveats) {
  auto prior = std::make_shared<tune::SurrogatePrior>(space, predict::workload_groups());
  for (const auto& reference : asked.references) {
    prior->add_reference(space, reference.observations);
  }
  if (asked.workload && !asked.device.empty()) {
    prior->add_reference(space, twin_view(asked, run, space, caveats.emplace()));
  }
  return prior;
}

// Searches by the strategy, or verifies the twin's answer.
tune::SearchSummary searched(const TuneQuestion& question, const ProfiledRows& asked,
                             const tune::SearchSpace& space, Profiler& profiler,
                             const tune::StrategyOptions& options) {
  if (question.verify == 0) return tune::tune(space, question.goal, profiler, options);
  return verification_of(question, space, asked.device, asked.workload, asked.rows.provenance,
                         options)
      .search(profiler);
}

}  // namespace

TuneAnswer tune_on_sweep(const TuneQuestion& asked_question, ProfiledRows asked) {
  Sweep& sweep = asked.rows;
  TuneQuestion question = asked_question;
  if (!asked.device.empty()) fit_to_board(sweep, load_board(asked.device));
  keep_batches(question, sweep);
  const auto governed = tune::take_governed(sweep);
  const std::string idle_power =
      count_idle(question, asked.device.empty() ? sweep.board : asked.device, sweep.observations);
  const tune::SearchSpace space(sweep.points());
  std::optional<workload::CostCaveats> caveats;
  const auto names = named_modes(asked.device, space, sweep.board);
  tune::StrategyOptions strategy = strategy_options(question);
  strategy.known = std::move(asked.known);
  if (question.verify > 0 && asked.workload) {
    caveats = asked.workload->at(space.points().front().batch)->caveats;
  } else {
    strategy.prior = prior_of(asked, question.run, space, caveats);
  }
  for (const auto& name : names) strategy.presets.push_back(name.mode);

  ReplayProfiler profiler(sweep);
  TuneAnswer found =
      search_answer(question, space, searched(question, asked, space, profiler, strategy));
  found.source.caveats = std::move(caveats);
  found.source.workload = sweep.workload + " " + sweep.kind;
  found.source.provenance = profiler.provenance();
  found.source.idle_power = idle_power;
  if (auto text = unread_errors(sweep); !text.empty()) found.source.remark = std::move(text);
  found.source.origin = sweep.origin_of(Provenance::kReplayed);
  if (found.source.origin.board.empty()) found.source.origin.board = asked.device;
  compare_rows(found, sweep, names);
  const auto governors = tune::compare_with_governors(found.outcome.goal, governed);
  found.outcome.compared.insert(found.outcome.compared.end(), governors.begin(), governors.end());
  if (!asked.device.empty()) name_presets(found, load_board(asked.device));
  return found;
}

std::vector<Observation> known_observations(const std::string& path) {
  if (path.empty()) return {};
  try {
    return read_sweep(path).observations;
  } catch (const NotFoundError&) {
    return {};
  }
}

}  // namespace ridgewatt::answer
