// Answers the question from a few samples: the few-shot predictor estimates the cost of all points.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ridgewatt/answer/board/time_unit.h"
#include "ridgewatt/answer/predict/sampled_costs.h"
#include "ridgewatt/answer/tune/tune_parts.h"
#include "ridgewatt/base/plural.h"
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

PredictQuestion predicted_question(const TuneQuestion& question, const ProfiledRows& asked,
                                   const tune::SearchSpace& space) {
  PredictQuestion all;
  all.samples = asked.rows;
  all.points = {space.points().begin(), space.points().end()};
  all.references = asked.references;
  all.device = asked.device;
  if (!asked.device.empty()) all.workload = asked.workload;
  all.run = question.run;
  all.seed = question.seed;
  return all;
}

void add_origin(TuneAnswer& found, const Sweep& samples, const SampledCosts& costs) {
  const bool profiled = found.outcome.best && costs.measured(found.outcome.best->point);
  found.source.workload = samples.workload + " " + samples.kind;
  found.source.provenance = derived_provenance(
      samples.provenance, profiled ? Provenance::kProfiled : Provenance::kPredicted);
  found.source.remark =
      fmt::format("few-shot predictor on {}; {}90 % intervals",
                  counted(samples.observations.size(), "profiled point"),
                  profiled ? fmt::format("the answer is one of them and has the {} cost; ",
                                         samples.provenance == Provenance::kModelled ||
                                                 samples.provenance == Provenance::kPredicted
                                             ? name_of(samples.provenance)
                                             : "measured")
                           : "");
  if (found.outcome.best && !profiled) {
    for (const PointAxis axis :
         predict::unvaried_axes(samples.observations, std::array{found.outcome.best->point})) {
      *found.source.remark += fmt::format(
          "; the samples have only one value of {}, which differs in the answer", axis_field(axis));
    }
  }
  if (costs.disturbed()) *found.source.remark += "; " + *costs.disturbed();
  if (const auto text = unread_errors(samples); !text.empty()) *found.source.remark += "; " + text;
  found.source.origin = samples.origin_of(Provenance::kPredicted);
}

tune::SearchSpace space_of(const TuneQuestion& question, const ProfiledRows& asked) {
  const KnobSpace modes = asked.device.empty()
                              ? grid_of(asked.rows)
                              : knobs_of_samples(knob_space(load_board(asked.device)), asked.rows);
  return {modes, question.batches.empty() ? asked.rows.batches() : question.batches};
}

}  // namespace

TuneAnswer tune_from_samples(const TuneQuestion& asked_question, const ProfiledRows& asked) {
  const Sweep& samples = asked.rows;
  TuneQuestion question = asked_question;
  const tune::SearchSpace space = space_of(question, asked);
  std::vector<int> batches = question.batches.empty() ? samples.batches() : question.batches;
  if (batches.empty()) batches = {0};
  TuneAnswer found;
  found.source.idle_power = count_idle(
      question, asked.device.empty() ? samples.board : asked.device, samples.observations);
  found.outcome.goal = question.goal;
  found.outcome.confidence = question.confidence;
  found.trace.strategy = "predicted";
  found.trace.seed = question.seed;
  found.trace.considered = space.size();
  found.outcome.job_samples = job_samples_of(question);
  if (asked.workload && !asked.device.empty()) {
    found.source.caveats = asked.workload->at(batches.front())->caveats;
  }
  const PredictQuestion predicted = predicted_question(question, asked, space);
  const SampledCosts costs(predicted);
  const auto cost_of = [&](const OperatingPoint& point) {
    return costs.at(std::array{point}, predict::kDefaultInterval).front();
  };
  if (found.outcome.goal.needs_reference()) {
    const OperatingPoint& top = space[space.top()];
    found.outcome.goal.reference_time_s = cost_of(top).time_s.mean / std::max(top.batch, 1);
  }
  const auto all = costs.at(space.points(), interval_of(question));
  const tune::Choice choice =
      tune::choose(found.outcome.goal, space.points(), all, caution_of(question));
  const auto shown = [&](const std::string& name, const OperatingPoint& point) {
    return tune::compared(found.outcome.goal, name, point, cost_of(point));
  };
  if (choice.best) found.outcome.best = shown("answer", space[*choice.best]);
  if (choice.miss) found.outcome.miss = shown("nearest miss", space[*choice.miss]);
  compare_modes(
      found, named_modes(asked.device, space, samples.board), batches,
      [&](const OperatingPoint& point) {
        const predict::Prediction cost = cost_of(point);
        return Observation{point, cost.time_s.mean, cost.power_w.mean, cost.energy_j.mean};
      },
      cost_of);
  add_origin(found, samples, costs);
  if (const auto text = time_unit_remark(samples, asked.device, asked.workload, predicted.run);
      !text.empty()) {
    *found.source.remark += "; " + text;
  }
  if (found.source.origin.board.empty()) found.source.origin.board = asked.device;
  add_relaxations(found, space.points(), all, caution_of(question));
  add_job(found);
  if (!asked.device.empty()) name_presets(found, load_board(asked.device));
  return found;
}

}  // namespace ridgewatt::answer
