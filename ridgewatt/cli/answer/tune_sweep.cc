// tune on a sweep that plays the board.
#include <algorithm>

#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/answer/tune_command.h"
#include "ridgewatt/cli/model_cost.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/sweep/replay.h"
#include "ridgewatt/twin/twin_model.h"

namespace ridgewatt::cli {
namespace {

// Observations of earlier searches, so that the next question starts from them.
std::vector<Observation> known_observations(const TuneOptions& options) {
  if (options.observations.empty()) return {};
  try {
    return read_sweep(options.observations).observations;
  } catch (const NotFoundError&) {
    return {};
  }
}

void keep_observations(const TuneOptions& options, const Sweep& workload,
                       std::vector<Observation> known, const SearchSummary& summary) {
  if (options.observations.empty()) return;
  for (const auto& step : summary.steps) known.push_back(step.seen);
  Sweep kept = workload.without_rows();
  kept.observations = std::move(known);
  write_output(options.observations, write_sweep_csv({kept}));
}

// What the twin of the board says of every point, as one more reference.
std::vector<Observation> twin_view(const TuneOptions& options, const Sweep& sweep,
                                   const SearchSpace& space, CostCaveats& caveats) {
  const bool training = sweep.kind == "training";
  auto cost = std::make_shared<ModelCost>(
      options.model, training ? WorkloadKind::kTraining : WorkloadKind::kInference,
      options.precision);
  const TwinModel model(load_twin(load_board(options.device)),
                        [cost](int batch) { return (*cost)(batch); });
  std::vector<Observation> rows;
  for (const auto& point : space.points()) {
    rows.push_back(model.observe_as(sweep.provenance, point));
  }
  caveats = model.estimator(space.points().front().batch).cost().caveats;
  return rows;
}

Sweep read_board(const Context& context, const TuneOptions& options) {
  Sweep sweep = read_trusted_sweep(context, options.sweep, options.keep_outliers, options.workload);
  if (options.batches.empty()) return sweep;
  std::erase_if(sweep.observations, [&](const Observation& row) {
    return std::find(options.batches.begin(), options.batches.end(), row.point.batch) ==
           options.batches.end();
  });
  if (sweep.observations.empty()) {
    throw UsageError("the sweep holds none of these batches", "--batch");
  }
  return sweep;
}

}  // namespace

void tune_sweep(const Context& context, const TuneOptions& options) {
  Sweep sweep = read_board(context, options);
  const auto governed = take_governed(sweep);
  const SearchSpace space(sweep.points());
  auto prior = std::make_shared<SurrogatePrior>(space);
  for (const auto& path : options.references) {
    prior->add_reference(space,
                         read_trusted_sweep(context, path, options.keep_outliers).observations);
  }
  std::optional<CostCaveats> caveats;
  if (!options.model.empty() && !options.device.empty()) {
    prior->add_reference(space, twin_view(options, sweep, space, caveats.emplace()));
  }
  const auto names = named_modes(options, space);
  StrategyOptions strategy = strategy_options(context, options);
  strategy.known = known_observations(options);
  strategy.prior = prior;
  for (const auto& name : names) strategy.presets.push_back(name.mode);

  ReplayProfiler profiler(sweep);
  const SearchSummary summary = tune(space, options.goal.goal(), profiler, strategy);
  keep_observations(options, sweep, strategy.known, summary);
  TuneReport report = search_report(context, options, space, summary);
  report.caveats = std::move(caveats);
  report.workload = sweep.workload + " " + sweep.kind;
  report.provenance = profiler.provenance();
  report.origin = sweep.origin_of(Provenance::kReplayed);
  report.others = compare_with_sweep(report.goal, sweep, names);
  const auto governors = compare_with_governors(report.goal, governed);
  report.others.insert(report.others.end(), governors.begin(), governors.end());
  if (!options.device.empty()) name_presets(report, load_board(options.device));
  print_report(context, report, options.trace);
}

}  // namespace ridgewatt::cli
