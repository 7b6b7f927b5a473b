#include "ridgewatt/answer/tune_on_board.h"

#include <fmt/format.h>

#include <algorithm>

#include "ridgewatt/answer/tune/tune_parts.h"
#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/tune/strategy.h"

namespace ridgewatt::answer {
namespace {

const campaign::BoardKind& kind_of(const RunningCampaign& running) {
  if (!running.board_kind.empty()) return running.plan.kind(running.board_kind);
  if (running.plan.boards.size() != 1) {
    throw UsageError("the campaign plan has several kinds of boards", "",
                     "choose one with --board-kind");
  }
  return running.plan.boards.front();
}

// The points of this kind of board with the requested batches.
tune::SearchSpace space_of(const TuneQuestion& question, const campaign::BoardKind& kind) {
  std::vector<OperatingPoint> points;
  for (const auto& planned : kind.points) {
    const auto& wanted = question.batches;
    const bool batch_asked = wanted.empty() || contains(wanted, planned.point.batch);
    if (batch_asked && planned.point.mode.governor.empty()) points.push_back(planned.point);
  }
  if (points.empty())
    throw UsageError("the campaign plan has no point with a batch size of --batch", "",
                     "give batches of the plan");
  return tune::SearchSpace(std::move(points));
}

void check_strategy(const TuneQuestion& question, std::size_t boards) {
  const std::string name = question.strategy.value_or("auto");
  const tune::Strategy& strategy = tune::find_strategy(name);
  if (boards < 2 || strategy.in_parallel) return;
  throw UsageError("the strategy profiles one point at a time, so it cannot use several boards",
                   "--strategy " + name,
                   "use " + tune::names_where(tune::strategies(), &tune::Strategy::in_parallel));
}

}  // namespace

TuneAnswer tune_on_campaign(const TuneQuestion& asked, const RunningCampaign& running) {
  const campaign::BoardKind& kind = kind_of(running);
  TuneQuestion question = asked;
  const std::string idle_power = count_idle(question, kind.name);
  check_strategy(question, running.options.boards);
  const tune::SearchSpace space = space_of(question, kind);
  const std::string board = kind.fake() ? kind.name.substr(5) : kind.name;
  const auto names = named_modes(board, space);
  tune::StrategyOptions strategy = strategy_options(question);
  strategy.budget.minibatches = std::max(running.plan.profile.measure.window.minibatches, 1);
  for (const auto& name : names) strategy.presets.push_back(name.mode);
  campaign::CampaignBoards boards(running.plan, kind, running.executor, running.store,
                                  running.options);
  if (tune::find_strategy(strategy.strategy).remembers) strategy.known = boards.known();
  const auto known = strategy.known;
  const tune::SearchSummary summary = tune::tune(space, question.goal, boards, strategy);

  TuneAnswer found = search_answer(question, space, summary);
  const auto& series = running.plan.profile.series;
  found.source.workload = series.workload + " " + series.kind;
  found.source.device = kind.name;
  found.source.provenance = boards.provenance();
  found.source.idle_power = idle_power;
  found.source.origin = {series.workload, series.kind, kind.name, found.source.provenance};
  Sweep seen;
  seen.observations = known;
  for (const auto& step : summary.steps) seen.observations.push_back(step.seen);
  const auto& failures = boards.failures();
  if (seen.observations.empty()) {
    throw Error("no operating point could be profiled",
                failures.empty() ? kind.name : failures.front());
  }
  if (!failures.empty()) {
    found.trace.left_out.push_back(fmt::format("{} ended without a result; the first reason: {}",
                                               counted(failures.size(), "task"), failures.front()));
  }
  const auto& aside = boards.set_aside();
  found.trace.left_out.insert(found.trace.left_out.end(), aside.begin(), aside.end());
  compare_profiled(found, seen, names);
  const std::size_t count = boards.serials().size();
  found.source.remark = fmt::format(
      "{} known, {} profiled in {:.0f} s by up to {} at the same time; points are kept in {}{}",
      counted(known.size(), "point"), summary.steps.size(), summary.wall_clock_s,
      counted(running.options.boards, "board"), running.store.path(),
      count > 1 ? fmt::format(
                      "; they are from {}, and differences between these boards are not corrected",
                      counted(count, "board"))
                : "");
  return found;
}

}  // namespace ridgewatt::answer
