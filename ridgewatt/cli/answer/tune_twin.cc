// tune on a board's twin: every point is estimated, nothing is profiled.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/parallel.h"
#include "ridgewatt/cli/answer/tune_command.h"
#include "ridgewatt/cli/model_cost.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/tune/limits.h"
#include "ridgewatt/twin/twin_model.h"
#include "ridgewatt/twin/twin_profiler.h"

namespace ridgewatt::cli {
namespace {

// What is asked of and fits the memory; all of what was asked where nothing fits.
std::vector<int> batches_of(const TuneOptions& options, const Goal& goal, const TwinModel& model) {
  if (options.batches.empty()) {
    return batches_to_try(goal, options.training,
                          [&](int batch) { return model.fits_memory(batch); });
  }
  std::vector<int> fitting;
  for (const int batch : options.batches) {
    if (batch < 1) throw UsageError("a batch must be 1 or more", "--batch");
    if (model.fits_memory(batch)) fitting.push_back(batch);
  }
  return fitting.empty() ? options.batches : fitting;
}

Prediction estimate(const TwinModel& model, const OperatingPoint& point, double interval) {
  const MinibatchCost cost = model(point);
  const EstimateError error = model.error(point);
  return {estimate_of(cost.period_s, error[kTime], interval),
          estimate_of(cost.power_w, error[kPower], interval),
          estimate_of(cost.energy_j(), error[kEnergy], interval)};
}

// The goal with the slowdown reference that the twin gives.
Goal with_reference(Goal goal, const TwinModel& model, const SearchSpace& space) {
  if (!goal.needs_reference()) return goal;
  const OperatingPoint& top = space[space.top()];
  goal.reference_time_s = model(top).period_s / std::max(top.batch, 1);
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
    for (const int batch : batches) rows.push_back(model.observe({mode, batch}));
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
  add_mends(report, space.points(), costs, cautious ? Caution::kUpperEnds : Caution::kMeans);
}

// A search on the twin in place of the board.
TuneReport search_on_twin(const Context& context, const TuneOptions& options,
                          const TwinModel& model, const SearchSpace& space) {
  TwinProfiler profiler(model);
  StrategyOptions strategy = strategy_options(context, options);
  for (const auto& name : named_modes(options, space)) strategy.presets.push_back(name.mode);
  TuneReport report =
      search_report(context, options, space, tune(space, options.goal.goal(), profiler, strategy));
  for (auto* point : {&report.answer, &report.miss}) {
    if (*point) *point = estimated(report.goal, (*point)->name, model, (*point)->point);
  }
  return report;
}

// What the report says of its answer beside its cost.
void add_facts(TuneReport& report, const TwinModel& model, const WorkloadCost& priced) {
  report.memory_known = true;
  report.memory = model.memory(priced.batch);
  report.remark = model.provenance();
  report.twin_error = model.twin().fit;
  if (const auto& shown = report.answer ? report.answer : report.miss) {
    report.widened_by = model.widened_by(shown->point.batch);
  }
  if (!report.answer) return;
  const auto& point = report.answer->point;
  report.confidence = limit_confidence(report.goal, point, report.answer->cost);
  if (report.job_samples > 0) {
    report.job = job_cost(model(point), point.batch, report.job_samples);
  }
}

TuneReport tune_board(const Context& context, TuneOptions options, const std::string& device) {
  options.device = device;
  const Board board = load_board(device);
  const Twin twin = load_twin(board);
  const WorkloadKind kind = options.training ? WorkloadKind::kTraining : WorkloadKind::kInference;
  auto cost = std::make_shared<ModelCost>(options.model, kind, options.precision);
  const TwinModel model(twin, [cost](int batch) { return (*cost)(batch); });
  const std::vector<int> batches = batches_of(options, options.goal.goal(), model);
  const SearchSpace space(knob_space(board), batches);

  TuneReport report;
  report.goal = options.goal.goal();
  if (options.strategy) {
    report = search_on_twin(context, options, model, space);
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
  report.origin = {options.model,    options.training ? "training" : "inference",
                   board.name,       Provenance::kModelled,
                   kModelledRuntime, twin.status};
  report.seed = context.seed;
  report.provenance = "modelled";
  report.batches = batches;
  report.batches_asked = !options.batches.empty();
  report.fits_memory = model.fits_memory(batches.front());
  if (!report.fits_memory) {
    report.miss = report.answer ? report.answer : report.miss;
    report.answer.reset();
    report.mends.clear();
  }
  report.considered = space.size();
  report.job_samples = options.dataset_size * options.epochs;
  add_facts(report, model, priced);
  compare_with_board(report, options, model, space, batches);
  name_presets(report, board);
  return report;
}

// Other boards, and other BSPs of this one, that keep the limits which this one cannot.
std::vector<BoardWithAnswer> boards_with_answer(const Context& context, const TuneOptions& options,
                                                const Board& board) {
  std::vector<std::string> names;
  for (const auto& bsp : board.bsps) {
    const bool embedded = board.source.starts_with("embedded");
    if (embedded && bsp.name != board.bsp) names.push_back(board.name + "@" + bsp.name);
  }
  for (const auto& name : list_boards()) {
    if (name != board.name) names.push_back(name);
  }
  std::vector<BoardWithAnswer> found;
  for (const auto& name : names) {
    try {
      const TuneReport report = tune_board(context, options, name);
      if (!report.answer) continue;
      found.push_back({name, report.origin.twin, report.answer->cost.power_w.mean});
    } catch (const NotSupportedError&) {
      continue;  // nothing is known of it
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.power_w < b.power_w; });
  return found;
}

// "--batch 2 would do", where the user asked of others.
std::string other_batch(const Context& context, TuneOptions options) {
  if (options.batches.empty()) return "";
  options.batches.clear();
  const TuneReport report = tune_board(context, options, options.device);
  return report.answer ? fmt::format("--batch {} would do", report.answer->point.batch) : "";
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
  TuneReport report = tune_board(context, options, options.device);
  if (!report.answer) {
    report.boards = boards_with_answer(context, options, load_board(options.device));
    report.advice = other_batch(context, options);
  }
  print_report(context, report, options.trace);
}

}  // namespace ridgewatt::cli
