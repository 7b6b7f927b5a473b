// Answers the question from a few samples: the few-shot predictor estimates the cost of all points.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ridgewatt/answer/tune/tune_parts.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/predict/auto_predictor.h"
#include "ridgewatt/predict/twin_reference.h"
#include "ridgewatt/predict/unvaried.h"
#include "ridgewatt/sweep/board_fit.h"

namespace ridgewatt::answer {
namespace {

// All combinations of the knob levels that occur.
KnobSpace grid_of(const Sweep& samples) {
  const KnobSpace seen = samples.space();
  KnobSpace::Levels levels;
  for (const Knob knob : kKnobs) levels[knob] = seen.levels(knob);
  return KnobSpace(std::move(levels));
}

// The fitted predictor. Measured points keep their measured values.
class SampledCosts {
 public:
  SampledCosts(const ProfiledRows& asked, const twin::RunOptions& run,
               const tune::SearchSpace& space)
      : measured_(asked.rows.observations), predictor_({space.points()}) {
    for (const auto& reference : asked.references) {
      predictor_.add_reference(
          predict::reference_from_rows(reference.workload, reference.observations));
    }
    if (asked.workload && !asked.device.empty()) {
      predictor_.add_reference(predict::twin_reference(asked.device, asked.workload,
                                                       asked.rows.provenance, space.points(), run));
    }
    predictor_.fit(measured_);
    disturbed_ = predict::disturbed_remark(predictor_, measured_);
    measured_ = predict::undisturbed(predictor_.summary(), measured_);
  }
  std::vector<predict::Prediction> at(std::span<const OperatingPoint> points,
                                      double interval) const {
    auto costs = predictor_.predict(points, interval);
    predict::use_measured(points, measured_, costs);
    return costs;
  }
  predict::Prediction at(const OperatingPoint& point) const {
    return at(std::array{point}, predict::kDefaultInterval).front();
  }
  bool measured(const OperatingPoint& point) const {
    return std::any_of(measured_.begin(), measured_.end(),
                       [&](const Observation& one) { return one.point == point; });
  }
  const std::optional<std::string>& disturbed() const { return disturbed_; }

 private:
  std::vector<Observation> measured_;  // without a probably disturbed observation
  predict::AutoPredictor predictor_;
  std::optional<std::string> disturbed_;
};

void add_origin(TuneAnswer& found, const Sweep& samples, const SampledCosts& costs) {
  const bool profiled = found.outcome.best && costs.measured(found.outcome.best->point);
  found.source.workload = samples.workload + " " + samples.kind;
  found.source.provenance = derived_provenance(
      samples.provenance, profiled ? Provenance::kProfiled : Provenance::kPredicted);
  found.source.remark =
      fmt::format("few-shot predictor on {}; {}90 % intervals",
                  counted(samples.observations.size(), "profiled point"),
                  profiled ? "the answer is one of them and costs what was measured; " : "");
  if (found.outcome.best && !profiled) {
    for (const PointAxis axis :
         predict::unvaried_axes(samples.observations, std::array{found.outcome.best->point})) {
      *found.source.remark +=
          fmt::format("; the samples do not vary {}, which the answer changes", axis_field(axis));
    }
  }
  if (costs.disturbed()) *found.source.remark += "; " + *costs.disturbed();
  found.source.origin = samples.origin_of(Provenance::kPredicted);
}

tune::SearchSpace space_of(const TuneQuestion& question, const ProfiledRows& asked) {
  const KnobSpace modes = asked.device.empty()
                              ? grid_of(asked.rows)
                              : knobs_of_samples(knob_space(load_board(asked.device)), asked.rows);
  return {modes, question.batches.empty() ? asked.rows.batches() : question.batches};
}

}  // namespace

TuneAnswer tune_from_samples(const TuneQuestion& question, const ProfiledRows& asked) {
  const Sweep& samples = asked.rows;
  const tune::SearchSpace space = space_of(question, asked);
  const std::vector<int> batches = question.batches.empty() ? samples.batches() : question.batches;
  TuneAnswer found;
  found.outcome.goal = question.goal;
  found.outcome.confidence = question.confidence;
  found.trace.strategy = "predicted";
  found.trace.seed = question.seed;
  found.trace.considered = space.size();
  found.outcome.job_samples = job_samples_of(question);
  if (asked.workload && !asked.device.empty()) {
    found.source.caveats = asked.workload->at(batches.empty() ? 0 : batches.front())->caveats;
  }
  const SampledCosts costs(asked, question.run, space);
  if (found.outcome.goal.needs_reference()) {
    const OperatingPoint& top = space[space.top()];
    found.outcome.goal.reference_time_s = costs.at(top).time_s.mean / std::max(top.batch, 1);
  }
  const auto all = costs.at(space.points(), interval_of(question));
  const tune::Choice choice =
      tune::choose(found.outcome.goal, space.points(), all, caution_of(question));
  const auto predicted = [&](const std::string& name, const OperatingPoint& point) {
    return tune::compared(found.outcome.goal, name, point, costs.at(point));
  };
  if (choice.best) found.outcome.best = predicted("answer", space[*choice.best]);
  if (choice.miss) found.outcome.miss = predicted("nearest miss", space[*choice.miss]);
  for (const auto& [name, mode] : named_modes(asked.device, space, samples.board)) {
    found.outcome.compared.push_back(predicted(name, {mode, batches.empty() ? 0 : batches.back()}));
  }
  add_origin(found, samples, costs);
  add_relaxations(found, space.points(), all, caution_of(question));
  add_job(found);
  if (!asked.device.empty()) name_presets(found, load_board(asked.device));
  return found;
}

}  // namespace ridgewatt::answer
