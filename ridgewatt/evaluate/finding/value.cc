#include "ridgewatt/evaluate/finding/value.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/device/knob_space.h"

namespace ridgewatt::evaluate {
namespace {

FigureRange alone(double value) {
  return {value, value};
}

FigureRange truth(bool yes) {
  return alone(yes ? 1 : 0);
}

}  // namespace

// All combinations of the levels of some knobs ("cpu gpu"), at fixed clocks.
std::vector<Setting> FindingValues::over_knobs(const Setting& setting,
                                               const std::string& knobs) const {
  std::vector<Setting> all = {setting};
  all.front().mode.governor.clear();
  for (const auto& word : words_of(knobs)) {
    const Knob knob = knob_of_word(word);
    const auto& levels = twin_of(setting).levels[knob];
    if (levels.size() < 3) {
      throw NotSupportedError("the clock table of the board has fewer than three levels",
                              setting.board);
    }
    std::vector<Setting> more;
    for (const auto& one : all) {
      for (const double level : levels) {
        more.push_back(one);
        more.back().mode.set(knob, level);
      }
    }
    all = std::move(more);
  }
  return all;
}

// The settings among which `to` selects: levels of knobs, or all modes.
std::vector<Setting> FindingValues::candidates(Asked asked) const {
  const auto& [finding, setting] = asked;
  if (finding.to != "all") return over_knobs(setting, finding.to);
  std::vector<Setting> all;
  for (const auto& mode : KnobSpace(twin_of(setting).levels).modes()) {
    all.push_back(setting);
    all.back().mode = mode;
  }
  return all;
}

std::vector<double> FindingValues::of_alternatives(Asked asked) {
  std::vector<double> values;
  for (const auto& other : alternatives_of(asked.second, asked.first.to, quantity_.twin_of())) {
    values.push_back(quantity({asked.first, other}));
  }
  return values;
}

// Ratio of the figure of the other setting to that of this one. A range if there are alternatives.
FigureRange FindingValues::compared(Asked asked) {
  const auto others = of_alternatives(asked);
  const auto [least, most] = std::minmax_element(others.begin(), others.end());
  const double own = quantity(asked);
  return {*least / own, *most / own};
}

double FindingValues::span(Asked asked, const std::string& knob) {
  std::vector<double> values;
  for (const auto& setting : over_knobs(asked.second, knob)) {
    values.push_back(quantity({asked.first, setting}));
  }
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return *most - *least;
}

double FindingValues::span_ratio(Asked asked) {
  const auto knobs = split(asked.first.to, '/');
  if (knobs.size() != 2)
    throw InputError("a finding of kind 'ratio of spans' needs two knobs", asked.first.to);
  return span(asked, knobs[0]) / span(asked, knobs[1]);
}

// The setting with the least energy; of equal ones, the fastest.
Setting FindingValues::best(Asked asked) {
  Setting best = asked.second;
  double least_j = energy_j(best);
  double least_s = time_s(best);
  for (const auto& setting : candidates(asked)) {
    const double at_j = energy_j(setting);
    if (at_j > least_j) continue;
    const double at_s = time_s(setting);
    if (at_j == least_j && at_s >= least_s) continue;
    least_j = at_j;
    least_s = at_s;
    best = setting;
  }
  return best;
}

// 1 if both ends of the table need more energy than the minimum; 0 if the minimum is at an end; 0
// to 1 if the difference is too small for a twin.
FigureRange FindingValues::interior(Asked asked) {
  std::vector<double> energies;
  for (const auto& setting : over_knobs(asked.second, asked.first.to)) {
    energies.push_back(energy_j(setting));
  }
  const double least_j = *std::min_element(energies.begin(), energies.end());
  const double end_j = std::min(energies.front(), energies.back());
  if (end_j == least_j) return {0, 0};
  return {end_j > (1 + twin::kTwinTie) * least_j ? 1.0 : 0.0, 1};
}

double FindingValues::dominated(Asked asked) {
  const double own_s = time_s(asked.second);
  const double own_j = energy_j(asked.second);
  double least_j = own_j;
  for (const auto& setting : candidates(asked)) {
    if (time_s(setting) <= own_s) least_j = std::min(least_j, energy_j(setting));
  }
  return 1 - least_j / own_j;
}

FigureRange FindingValues::of_best(Asked asked) {
  const Setting found = best(asked);
  if (asked.first.form == FindingForm::kBestClock) {
    return alone(quantity_(FindingQuantity::kGpuClock, found));
  }
  if (asked.first.form == FindingForm::kSlowdown) {
    return alone(time_s(found) / time_s(asked.second) - 1);
  }
  return alone(1 - energy_j(found) / energy_j(asked.second));
}

// Number of alternatives that no other one beats in time and energy. With `only_own`: 1 if this
// setting is such an alternative, else 0.
int FindingValues::on_front(Asked asked, bool only_own) {
  const auto all = alternatives_of(asked.second, asked.first.to, quantity_.twin_of());
  const auto beaten = [&](const Setting& one) {
    return std::any_of(all.begin(), all.end(), [&](const Setting& other) {
      return time_s(other) <= time_s(one) && energy_j(other) <= energy_j(one) &&
             (time_s(other) < time_s(one) || energy_j(other) < energy_j(one));
    });
  };
  if (only_own) return beaten(asked.second) ? 0 : 1;
  return static_cast<int>(std::count_if(all.begin(), all.end(), std::not_fn(beaten)));
}

// Figures for a set of settings.
FigureRange FindingValues::of_set(Asked asked) {
  const FindingForm form = asked.first.form;
  if (form == FindingForm::kFront) return alone(on_front(asked, false));
  if (form == FindingForm::kOnFront) return alone(on_front(asked, true));
  const auto values = of_alternatives(asked);
  if (form == FindingForm::kOrder) {
    return truth(std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) ==
                 values.end());
  }
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (form == FindingForm::kSpread) return alone(*least / *most - 1);
  if (form == FindingForm::kExtremes) return alone(*most / *least);
  const double own = quantity(asked);
  return truth(form == FindingForm::kLeast ? own <= *least : own >= *most);
}

FigureRange FindingValues::figure(Asked asked) {
  const FindingForm form = asked.first.form;
  if (form == FindingForm::kValue) return alone(quantity(asked));
  if (form == FindingForm::kRatio) return compared(asked);
  if (form == FindingForm::kChange) {
    const FigureRange ratio = compared(asked);
    return {ratio.lo - 1, ratio.hi - 1};
  }
  if (form == FindingForm::kSpan) return alone(span(asked, asked.first.to));
  if (form == FindingForm::kSpanRatio) return alone(span_ratio(asked));
  if (form == FindingForm::kInterior) return interior(asked);
  if (form == FindingForm::kDominated) return alone(dominated(asked));
  const bool of_energy = form == FindingForm::kBestClock || form == FindingForm::kSaving ||
                         form == FindingForm::kSlowdown;
  return of_energy ? of_best(asked) : of_set(asked);
}

FigureRange FindingValues::operator()(const Finding& finding) {
  Setting setting;
  setting.board = finding.board;
  setting.model = finding.model;
  setting.kind = finding.kind;
  setting.batch = finding.batch;
  setting.samples = finding.samples;
  FigureRange range{INFINITY, -INFINITY};
  for (const auto& one : settings_of(setting, finding.at, quantity_.twin_of())) {
    const FigureRange figures = figure({finding, one});
    range = {std::min(range.lo, figures.lo), std::max(range.hi, figures.hi)};
  }
  return range;
}

FigureRange FindingValues::steps_around(const std::string& board, double clock_hz) const {
  const auto& levels = quantity_.twin_of()(board).levels[Knob::kGpuClock];
  if (levels.empty()) return {clock_hz, clock_hz};
  const std::size_t nearest = nearest_level(levels, clock_hz);
  return {levels[nearest == 0 ? 0 : nearest - 1], levels[std::min(nearest + 1, levels.size() - 1)]};
}

}  // namespace ridgewatt::evaluate
