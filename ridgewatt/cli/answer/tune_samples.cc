// tune from a few samples: the few-shot predictor says what all points cost, nothing is profiled.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/answer/tune_command.h"
#include "ridgewatt/cli/model_cost.h"
#include "ridgewatt/cli/options/predict_options.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/predict/auto_predictor.h"
#include "ridgewatt/predict/twin_reference.h"
#include "ridgewatt/tune/limits.h"

namespace ridgewatt::cli {
namespace {

// All combinations of the knob levels that occur.
KnobSpace grid_of(const Sweep& samples) {
  const KnobSpace seen = samples.space();
  KnobSpace::Levels levels;
  for (const Knob knob : kKnobs) levels[knob] = seen.levels(knob);
  return KnobSpace(std::move(levels));
}

}  // namespace

void tune_samples(const Context& context, const TuneOptions& options) {
  const Sweep samples = read_samples(context, options.samples, options.keep_outliers,
                                     options.workload, options.device);
  const KnobSpace modes = options.device.empty()
                              ? grid_of(samples)
                              : knobs_of_samples(knob_space(load_board(options.device)), samples);
  std::vector<int> batches = options.batches.empty() ? samples.batches() : options.batches;
  const SearchSpace space(modes, batches);
  AutoPredictor predictor({space.points()});
  for (const auto& path : options.references) {
    const Sweep reference = read_trusted_sweep(context, path, options.keep_outliers);
    predictor.add_reference(reference_from_rows(reference.workload, reference.observations));
  }
  std::optional<CostCaveats> caveats;
  if (!options.model.empty() && !options.device.empty()) {
    const auto kind =
        samples.kind == "training" ? WorkloadKind::kTraining : WorkloadKind::kInference;
    const auto cost = std::make_shared<ModelCost>(options.model, kind, options.precision);
    caveats = (*cost)(batches.empty() ? 1 : std::max(batches.front(), 1)).caveats;
    predictor.add_reference(twin_reference(
        options.device, [cost](int batch) { return (*cost)(batch); }, samples.provenance,
        space.points()));
  }
  predictor.fit(samples.observations);

  const auto costs_at = [&](std::span<const OperatingPoint> points, double interval) {
    auto costs = predictor.predict(points, interval);
    use_measured(points, samples.observations, costs);
    return costs;
  };
  const auto cost_at = [&](const OperatingPoint& point) {
    return costs_at(std::array{point}, kDefaultInterval).front();
  };

  TuneReport report;
  report.goal = options.goal.goal();
  if (report.goal.needs_reference()) {
    const OperatingPoint& top = space[space.top()];
    report.goal.reference_time_s = cost_at(top).time_s.mean / std::max(top.batch, 1);
  }
  const bool cautious = options.confidence != 0.5;
  const auto costs =
      costs_at(space.points(), cautious ? std::abs(2 * options.confidence - 1) : kDefaultInterval);
  const Choice choice =
      choose(report.goal, space.points(), costs, cautious ? Caution::kUpperEnds : Caution::kMeans);
  const auto predicted = [&](const std::string& name, const OperatingPoint& point) {
    return compared(report.goal, name, point, cost_at(point));
  };
  if (choice.best) report.answer = predicted("answer", space[*choice.best]);
  if (choice.miss) report.miss = predicted("nearest miss", space[*choice.miss]);
  for (const auto& [name, mode] : named_modes(options, space)) {
    report.others.push_back(predicted(name, {mode, batches.empty() ? 0 : batches.back()}));
  }
  report.caveats = std::move(caveats);
  report.workload = samples.workload + " " + samples.kind;
  report.strategy = "predicted";
  report.seed = context.seed;
  const bool profiled =
      choice.best &&
      std::any_of(samples.observations.begin(), samples.observations.end(),
                  [&](const Observation& one) { return one.point == space[*choice.best]; });
  report.provenance =
      provenance_name(derived_provenance(samples.provenance, Provenance::kPredicted));
  if (profiled && report.provenance == "predicted") report.provenance = "profiled";
  report.remark = fmt::format(
      "few-shot predictor on {} profiled points; {}90 % intervals", samples.observations.size(),
      profiled ? "the answer is one of them and costs what was measured; " : "");
  report.considered = space.size();
  report.origin = samples.origin_of(Provenance::kPredicted);
  if (report.answer) {
    report.confidence = limit_confidence(report.goal, report.answer->point, report.answer->cost);
  }
  add_mends(report, space.points(), costs, cautious ? Caution::kUpperEnds : Caution::kMeans);
  report.job_samples = options.dataset_size * options.epochs;
  add_job(report);
  if (!options.device.empty()) name_presets(report, load_board(options.device));
  print_report(context, report, options.trace);
}

}  // namespace ridgewatt::cli
