#include "ridgewatt/evaluate/mode_choice.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/parallel.h"
#include "ridgewatt/base/sort.h"
#include "ridgewatt/predict/factory.h"

namespace ridgewatt::evaluate {
namespace {

constexpr std::size_t kMostChoices = 100000;

// All combinations of `count` out of `of`, in lexical order. None if there are too many.
std::vector<std::vector<std::size_t>> choices_of(std::size_t of, std::size_t count) {
  std::vector<std::vector<std::size_t>> choices;
  std::vector<std::size_t> next(count);
  for (std::size_t i = 0; i < count; ++i) next[i] = i;
  while (choices.size() <= kMostChoices) {
    choices.push_back(next);
    std::size_t place = count;
    while (place > 0 && next[place - 1] == of - count + place - 1) --place;
    if (place == 0) return choices;
    ++next[place - 1];
    for (std::size_t i = place; i < count; ++i) next[i] = next[i - 1] + 1;
  }
  return {};
}

std::vector<Observation> rows_at(const Sweep& sweep, const std::vector<PowerMode>& modes) {
  std::vector<Observation> rows;
  for (const auto& mode : modes) {
    const auto found = std::find_if(sweep.observations.begin(), sweep.observations.end(),
                                    [&](const Observation& row) { return row.point.mode == mode; });
    if (found == sweep.observations.end()) {
      throw InputError("the sweep does not have the mode " + describe(mode), sweep.source);
    }
    rows.push_back(*found);
  }
  return rows;
}

struct Errors {
  double time_pct = 0, power_pct = 0, energy_pct = 0;
};

Errors mean_errors(const predict::Predictor& predictor, std::span<const Observation> rows) {
  std::vector<OperatingPoint> points;
  for (const auto& row : rows) points.push_back(row.point);
  const auto predicted = predictor.predict(points, predict::kDefaultInterval);
  Errors sum;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto off = [](const predict::Estimate& guess, double truth) {
      return 100 * std::abs(guess.mean / truth - 1);
    };
    sum.time_pct += off(predicted[i].time_s, rows[i].time_s);
    sum.power_pct += off(predicted[i].power_w, rows[i].power_w);
    sum.energy_pct += off(predicted[i].energy_j, rows[i].energy_j());
  }
  const auto count = static_cast<double>(rows.size());
  return {sum.time_pct / count, sum.power_pct / count, sum.energy_pct / count};
}

ChoiceScore score_choice(const Sweep& sweep, const std::vector<Observation>& rows,
                         const std::vector<std::size_t>& chosen, const ChoiceOptions& options) {
  std::vector<Observation> learned, others;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool is_chosen = std::binary_search(chosen.begin(), chosen.end(), i);
    (is_chosen ? learned : others).push_back(rows[i]);
  }
  predict::PredictorOptions made;
  made.method = options.method;
  made.seed = options.seed;
  made.network.quiet = true;
  made.space = sweep.points();
  const auto predictor = predict::make_predictor(made);
  predictor->fit(learned);
  const Errors of_others = mean_errors(*predictor, others);
  const Errors of_all = mean_errors(*predictor, sweep.observations);
  return {chosen,          of_others.time_pct, of_others.power_pct, of_others.energy_pct,
          of_all.time_pct, of_all.power_pct,   of_all.energy_pct};
}

}  // namespace

std::vector<ChoiceScore> score_choices(const Sweep& sweep, const std::vector<PowerMode>& modes,
                                       const ChoiceOptions& options) {
  if (options.count < 1 || options.count >= modes.size()) {
    throw UsageError("--count must leave at least one mode to predict", "",
                     "give a number from 1 to one less than the number of modes");
  }
  const std::vector<Observation> rows = rows_at(sweep, modes);
  const auto choices = choices_of(modes.size(), options.count);
  if (choices.empty())
    throw UsageError("there are too many choices of --count modes from the list", "",
                     "give fewer modes or a smaller --count");
  std::vector<ChoiceScore> scores(choices.size());
  parallel_for(
      choices.size(),
      [&](std::size_t i) { scores[i] = score_choice(sweep, rows, choices[i], options); },
      options.threads);
  sort_stably(scores, [](const ChoiceScore& a, const ChoiceScore& b) {
    return a.others_time_pct < b.others_time_pct;
  });
  return scores;
}

}  // namespace ridgewatt::evaluate
