// Answers the question on a real board: sets, measures and stores each point that the search
// profiles.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "ridgewatt/answer/tune/tune_parts.h"
#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/measure/live_profiler.h"
#include "ridgewatt/measure/placeholders.h"
#include "ridgewatt/tune/answer.h"
#include "ridgewatt/tune/strategy.h"

namespace ridgewatt::answer {
namespace {

void check_governors(const LiveBoard& board) {
  const auto known = board.control.governors();
  for (const auto& name : board.governors) {
    if (!contains(known, name)) {
      throw UsageError("the board has no such governor", name,
                       fmt::format("choose one of {}", fmt::join(known, ", ")));
    }
  }
}

// Profiles each governor at the batch of the answer. Governors that fail are listed in `left_out`.
std::vector<Observation> profile_governors(const LiveBoard& board, measure::LiveProfiler& profiler,
                                           const tune::SearchSummary& summary,
                                           std::vector<std::string>& left_out) {
  std::vector<Observation> governed;
  const auto& like = summary.answer ? summary.answer : summary.miss;
  if (!like) return governed;  // nothing could be profiled
  for (const auto& name : board.governors) {
    OperatingPoint point;
    point.mode.governor = name;
    point.batch = like->point.batch;
    try {
      governed.push_back(profiler.profile(point));
    } catch (const measure::PointFailedError& error) {
      left_out.push_back(fmt::format("governor {} was not compared: {}", name, error.what()));
    }
  }
  return governed;
}

// Reports the points that could not be profiled. Throws if none could be.
void add_failures(TuneAnswer& found, const measure::LiveProfiler& profiler, bool nothing_seen) {
  const auto& failures = profiler.failures();
  if (failures.empty()) return;
  if (nothing_seen) throw Error("no operating point could be profiled", failures.front());
  found.trace.left_out.push_back(fmt::format("{} could not be profiled; the first reason: {}",
                                             counted(failures.size(), "point"), failures.front()));
}

void add_comparison(TuneAnswer& found, const Sweep& seen, const std::vector<tune::NamedMode>& names,
                    const std::vector<Observation>& governed) {
  compare_profiled(found, seen, names);
  const auto governors = tune::compare_with_governors(found.outcome.goal, governed);
  found.outcome.compared.insert(found.outcome.compared.end(), governors.begin(), governors.end());
}

// The board's modes, or thread counts if they replace modes.
KnobSpace modes_of(const LiveBoard& board) {
  if (!measure::threads_replace_modes(board.profile.measure.command, board.sysfs)) {
    return board.control.space();
  }
  KnobSpace::Levels levels;
  auto& cores = levels[Knob::kCpuCores];
  cores.resize(static_cast<std::size_t>(measure::online_cpus(board.sysfs)));
  std::iota(cores.begin(), cores.end(), 1);
  return KnobSpace(levels);
}

// A search needs a power. If none was measured, every point gets the same power, which has no
// effect on the choice, and without_power() removes it from the result of the search.
class StandInPower : public Profiler {
 public:
  explicit StandInPower(Profiler& profiler) : profiler_(profiler) {}
  Observation profile(const OperatingPoint& point) override {
    Observation seen = profiler_.profile(point);
    if (std::isfinite(seen.power_w)) return seen;
    unknown_ = true;
    seen.power_w = 1;
    return seen;
  }
  Provenance provenance() const override { return profiler_.provenance(); }
  bool unknown() const { return unknown_; }

 private:
  Profiler& profiler_;
  bool unknown_ = false;
};

// The points of a search, with those of earlier runs.
class Points {
 public:
  Points(const measure::LiveProfiler& profiler, const std::vector<Observation>& known,
         const tune::SearchSummary& summary)
      : profiler_(profiler), points_(known) {
    for (const auto& step : summary.steps) points_.push_back(step.seen);
  }
  const std::vector<Observation>& all() const { return points_; }
  std::vector<Observation> stored() const {
    std::vector<Observation> stored = points_;
    std::erase_if(stored, [&](const auto& one) { return profiler_.has_measured(one.point); });
    return stored;
  }
  std::optional<Observation> best(const tune::Goal& goal) const {
    const auto best = tune::best_feasible(goal, points_);
    return best ? std::optional(points_[*best]) : std::nullopt;
  }
  void drop(const OperatingPoint& point) {
    std::erase_if(points_, [&](const auto& one) { return one.point == point; });
  }
  void drop_stored() {
    std::erase_if(points_, [&](const auto& one) { return !profiler_.has_measured(one.point); });
  }
  void add(const Observation& seen) { points_.push_back(seen); }

 private:
  const measure::LiveProfiler& profiler_;
  std::vector<Observation> points_;
};

// Returns the number of steps that are results of earlier runs. They cost the board nothing.
std::size_t count_taken(const measure::LiveProfiler& profiler, int minibatches,
                        tune::SearchSummary& summary) {
  std::size_t taken = 0;
  for (auto& [seen, verdict, reason] : summary.steps) {
    if (profiler.has_measured(seen.point)) continue;
    ++taken;
    reason += ", from the store";
    summary.board_time_s -= minibatches * seen.time_s;
    summary.board_energy_j -= minibatches * seen.energy_j();
  }
  return taken;
}

// The program or the board may have changed since an earlier run. A point from the store becomes
// the answer only after it was measured again.
void confirm(measure::LiveProfiler& profiler, const TuneQuestion& question, int minibatches,
             Points& points, tune::SearchSummary& summary) {
  constexpr int kMostAgain = 5;
  tune::Goal goal = question.goal;
  goal.reference_time_s = summary.reference_time_s;
  for (int tries = 0; summary.answer && !profiler.has_measured(summary.answer->point); ++tries) {
    const OperatingPoint point = summary.answer->point;
    summary.answer.reset();
    if (tries == kMostAgain) {
      points.drop_stored();
      summary.answer = points.best(goal);
      break;
    }
    points.drop(point);
    try {
      const Observation seen = profiler.profile_again(point);
      points.add(seen);
      ++summary.again;
      summary.steps.push_back({seen, tune::judge(goal, seen), "in the store, measured again"});
      summary.board_time_s += minibatches * seen.time_s;
      summary.board_energy_j += minibatches * seen.energy_j();
      // With noisy measurements, the strategy's answer stands if it keeps the limits.
      const bool kept = summary.steps.back().verdict.feasibility == tune::Feasibility::kFeasible;
      if (kept && question.noise > tune::kNoisy) summary.answer = seen;
    } catch (const measure::PointFailedError&) {  // listed in profiler.failures()
    }
    if (!summary.answer) summary.answer = points.best(goal);
    if (!summary.answer || summary.answer->point != point) summary.near_best.reset();
  }
  summary.feasible = summary.answer.has_value();
  if (summary.feasible) return summary.miss.reset();
  const auto miss = tune::nearest_miss(goal, points.all());
  summary.miss = miss ? std::optional(points.all()[*miss]) : std::nullopt;
}

// The flags of the profiles of this run, and whether the answer has one.
std::string flags_text(const measure::LiveProfiler& profiler, const tune::SearchSummary& summary) {
  std::size_t flagged = 0, measured = 0;
  PointFlags all;
  for (const auto& step : summary.steps) {
    if (!profiler.has_measured(step.seen.point)) continue;
    const PointFlags flags = profiler.measured_flags(step.seen.point);
    ++measured;
    flagged += flags.empty() ? 0 : 1;
    all.add(flags);
  }
  if (flagged == 0) return "";
  const bool answer = summary.answer && !profiler.measured_flags(summary.answer->point).empty();
  return fmt::format("{} of {} flagged when measured ({}){}", flagged, counted(measured, "profile"),
                     all.text(), answer ? ", the answer among them" : "");
}

tune::SearchSummary without_power(tune::SearchSummary summary) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  for (auto* seen : {&summary.answer, &summary.miss}) {
    if (*seen) (*seen)->power_w = kUnknown;
  }
  for (auto& step : summary.steps) step.seen.power_w = kUnknown;
  summary.board_energy_j = kUnknown;
  return summary;
}

}  // namespace

TuneAnswer tune_on_board(const TuneQuestion& asked, LiveBoard& board) {
  TuneQuestion question = asked;
  const std::string idle_power = count_idle(question, board.profile.series.board);
  board.profile.power_optional = !tune::needs_power(question.goal);
  const std::vector<int> batches =
      question.batches.empty() ? std::vector<int>{0} : question.batches;
  measure::require_same_command(board.sysfs, board.store, board.profile.series,
                                board.profile.measure.command, batches);
  measure::LiveProfiler profiler(board.sysfs, board.control, board.store, board.profile);
  check_governors(board);
  const KnobSpace modes = modes_of(board);
  const tune::SearchSpace space(modes, batches);
  const auto names = preset_modes(board.control, modes);
  tune::StrategyOptions strategy = strategy_options(question);
  strategy.budget.minibatches = std::max(board.profile.measure.window.minibatches, 1);
  for (const auto& name : names) strategy.presets.push_back(name.mode);
  if (question.verify == 0 && tune::find_strategy(strategy.strategy).remembers) {
    strategy.known = profiler.take_known();
    std::erase_if(strategy.known, [&](const Observation& seen) { return !space.find(seen.point); });
  }
  ReportingProfiler reporting(profiler, board);
  StandInPower stand_in(reporting);
  tune::SearchSummary summary =
      question.verify > 0 ? verification_of(question, space, board.twin_board, board.workload,
                                            board.profile.series.provenance, strategy)
                                .search(stand_in)
                          : tune::tune(space, question.goal, stand_in, strategy);
  const std::size_t taken = count_taken(profiler, strategy.budget.minibatches, summary);
  Points points(profiler, strategy.known, summary);
  std::vector<Observation> stored = points.stored();
  if (!stored.empty()) {
    confirm(profiler, question, strategy.budget.minibatches, points, summary);
  }
  if (stand_in.unknown()) summary = without_power(std::move(summary));
  std::vector<std::string> left_out;
  const auto governed = profile_governors(board, profiler, summary, left_out);
  for (const auto& seen : governed) {
    if (!profiler.has_measured(seen.point)) stored.push_back(seen);
  }
  board.control.restore();

  TuneAnswer found = search_answer(question, space, summary);
  found.trace.left_out = std::move(left_out);
  found.trace.taken = taken;
  found.trace.stored = std::move(stored);
  for (const auto& line : measure::skipped_marks_remarks(profiler.malformed_marks())) {
    found.trace.left_out.push_back(line);
  }
  const store::Series& series = board.profile.series;
  found.source.workload = series.workload + " " + series.kind;
  found.source.device = series.board;
  found.source.provenance = profiler.provenance();
  found.source.idle_power = idle_power;
  if (stand_in.unknown()) {
    found.source.remark =
        "power is unknown: this machine has no power sensor; points without power are not stored";
  }
  if (const auto text = flags_text(profiler, summary); !text.empty()) {
    found.source.remark = (found.source.remark ? *found.source.remark + "; " : "") + text;
  }
  found.source.origin = {series.workload, series.kind, series.board, found.source.provenance};
  Sweep seen;
  seen.observations = points.all();
  if (stand_in.unknown()) {
    for (auto& one : seen.observations) one.power_w = std::numeric_limits<double>::quiet_NaN();
  }
  add_failures(found, profiler, seen.observations.empty());
  add_comparison(found, seen, names, governed);
  return found;
}

}  // namespace ridgewatt::answer
