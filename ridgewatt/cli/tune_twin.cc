// tune on a board's twin: every point is estimated, nothing is profiled.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/parallel.h"
#include "ridgewatt/cli/model_cost.h"
#include "ridgewatt/cli/tune_command.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/platform/twin_profiler.h"
#include "ridgewatt/roofline/twin_model.h"
#include "ridgewatt/tune/choice.h"

namespace ridgewatt::cli {
namespace {

std::vector<int> batches_of(const TuneOptions& options) {
  if (!options.batches.empty()) return options.batches;
  return {options.training ? 16 : 1};
}

Prediction estimate(const TwinModel& model, const OperatingPoint& point, double interval) {
  const TimePower cost = model(point);
  return {estimate_of(cost.time_s, model.time_log_sd(), interval),
          estimate_of(cost.power_w, model.power_log_sd(), interval),
          estimate_of(cost.energy_j(), model.energy_log_sd(), interval)};
}

// The goal with the slowdown reference that the twin gives.
Goal with_reference(Goal goal, const TwinModel& model, const SearchSpace& space) {
  if (!goal.needs_reference()) return goal;
  const OperatingPoint& top = space[space.top()];
  goal.reference_time_s = model(top).time_s / std::max(top.batch, 1);
  return goal;
}

ComparedPoint estimated(const Goal& goal, const std::string& name, const TwinModel& model,
                        const OperatingPoint& point) {
  return compared(goal, name, point, estimate(model, point, kDefaultInterval));
}

// MAXN and presets, each at the batch that is best for the goal.
void compare_with_board(TuneReport& report, const TuneOptions& options, const TwinModel& model,
                        const SearchSpace& space, const std::vector<int>& batches) {
  for (const auto& [name, mode] : named_modes(options, space)) {
    std::vector<Observation> rows;
    for (const int batch : batches) {
      const OperatingPoint point{mode, batch};
      const TimePower cost = model(point);
      rows.push_back({point, cost.time_s, cost.power_w});
    }
    auto chosen = best_feasible(report.goal, rows);
    if (!chosen) chosen = nearest_miss(report.goal, rows);
    if (chosen) {
      report.others.push_back(estimated(report.goal, name, model, rows[*chosen].point));
    }
  }
}

// The best of all points, by their estimates.
void choose_among_all(TuneReport& report, const TuneOptions& options, const TwinModel& model,
                      const SearchSpace& space) {
  const bool cautious = options.confidence != 0.5;
  std::vector<Prediction> costs(space.size());
  parallel_for(space.size(), [&](std::size_t i) {
    costs[i] = estimate(model, space[i],
                        cautious ? std::abs(2 * options.confidence - 1) : kDefaultInterval);
  });
  const Choice choice = choose(report.goal, space.points(), costs,
                               cautious ? Caution::kUpperEnds : Caution::kMeans, kTwinTie);
  if (choice.best) report.answer = estimated(report.goal, "answer", model, space[*choice.best]);
  if (choice.miss) report.miss = estimated(report.goal, "nearest miss", model, space[*choice.miss]);
}

TuneReport tune_board(const Context& context, TuneOptions options, const std::string& device) {
  options.device = device;
  const Board board = load_board(device);
  const Twin twin = load_twin(board);
  const WorkloadKind kind = options.training ? WorkloadKind::kTraining : WorkloadKind::kInference;
  auto cost = std::make_shared<ModelCost>(options.model, kind, options.precision);
  const TwinModel model(twin, [cost](int batch) { return (*cost)(batch); });
  std::vector<int> fitting;
  for (const int batch : batches_of(options)) {
    if (batch < 1) throw UsageError("a batch must be 1 or more", "--batch");
    if (model.fits_memory(batch)) fitting.push_back(batch);
  }
  const std::vector<int> batches = fitting.empty() ? batches_of(options) : fitting;
  const SearchSpace space(knob_space(board), batches);

  TuneReport report;
  report.goal = options.goal.goal();
  if (options.strategy) {
    TwinProfiler profiler(model);
    StrategyOptions strategy = strategy_options(context, options);
    for (const auto& name : named_modes(options, space)) strategy.presets.push_back(name.mode);
    const SearchSummary summary = tune(space, report.goal, profiler, strategy);
    report = search_report(context, options, space, summary);
    if (report.answer) {
      report.answer = estimated(report.goal, "answer", model, report.answer->point);
    }
  } else {
    report.goal = with_reference(report.goal, model, space);
    report.strategy = "exhaustive";
    choose_among_all(report, options, model, space);
  }
  const WorkloadCost& priced =
      model.estimator(report.answer ? report.answer->point.batch : batches.front()).cost();
  report.workload =
      fmt::format("{}, {}, {}, on {}", options.model, options.training ? "training" : "inference",
                  precision_name(priced.precision), board.title);
  report.caveats = priced.caveats;
  report.device = device;
  report.twin_status = twin.status;
  report.seed = context.seed;
  report.provenance = "modelled";
  report.remark = model.provenance();
  report.memory_known = true;
  report.memory_bytes = priced.peak_memory_bytes;
  report.board_memory_bytes = twin.memory_bytes;
  report.fits_memory = !fitting.empty();
  if (fitting.empty()) {
    report.miss = report.answer ? report.answer : report.miss;
    report.answer.reset();
  }
  report.considered = space.size();
  report.job_samples = options.dataset_size * options.epochs;
  compare_with_board(report, options, model, space, batches);
  return report;
}

// Every board's best, the best board first; boards without an answer last.
void rank_boards(const Context& context, const TuneOptions& options) {
  std::vector<TuneReport> reports;
  std::vector<std::string> skipped;
  for (const auto& name : list_boards()) {
    try {
      reports.push_back(tune_board(context, options, name));
    } catch (const NotSupportedError& error) {
      skipped.push_back(name + ": " + error.what());
    }
  }
  std::stable_sort(reports.begin(), reports.end(), [](const auto& a, const auto& b) {
    if (a.answer.has_value() != b.answer.has_value()) return a.answer.has_value();
    return a.answer && a.answer->objective < b.answer->objective;
  });
  print_ranking(context, reports);
  for (const auto& line : skipped) remark(context, "left out: " + line);
}

}  // namespace

void tune_twin(const Context& context, const TuneOptions& options) {
  if (options.device == "all") return rank_boards(context, options);
  print_report(context, tune_board(context, options, options.device), options.trace);
}

}  // namespace ridgewatt::cli
