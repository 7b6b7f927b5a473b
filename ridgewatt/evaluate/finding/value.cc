#include "ridgewatt/evaluate/finding/value.h"

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/device/knob_space.h"

namespace ridgewatt::evaluate {

const twin::TwinModel& FindingValues::model(const Finding& finding, const std::string& board) {
  auto& workload = workloads_[{finding.model, finding.kind}];
  if (!workload) {
    workload = std::make_shared<const workload::DeployedWorkload>(
        finding.model, workload::DeployOptions{.kind = finding.kind});
  }
  auto& model = models_[{board, finding.model, finding.kind}];
  if (!model) model = std::make_unique<twin::TwinModel>(twin_of_(board), workload);
  return *model;
}

twin::MinibatchCost FindingValues::cost(Asked asked) {
  const auto& [finding, setting] = asked;
  return model(finding, setting.board)({setting.mode, setting.batch});
}

double FindingValues::quantity(Asked asked) {
  const auto& [finding, setting] = asked;
  const double idle_w = twin::idle_power_w(twin_of_(setting.board), setting.mode);
  if (finding.quantity == FindingQuantity::kIdlePower) return idle_w;
  const twin::MinibatchCost at = cost(asked);
  const double minibatches = finding.samples > 0 ? std::ceil(finding.samples / setting.batch) : 1.0;
  switch (finding.quantity) {
    case FindingQuantity::kTime:
      return minibatches * at.period_s;
    case FindingQuantity::kCompute:
      return minibatches * at.pipe_s;
    case FindingQuantity::kStall:
      return minibatches * at.stall_s();
    case FindingQuantity::kEnergy:
      return finding.samples > 0 ? minibatches * at.energy_j() : at.energy_j() / setting.batch;
    case FindingQuantity::kIdleShare:
      return idle_w / at.power_w;
    case FindingQuantity::kPower:
    case FindingQuantity::kIdlePower:
      break;
  }
  return at.power_w;
}

// Every combination of what is not published.
std::vector<Setting> FindingValues::settings(const Finding& finding) const {
  std::vector<Setting> all = {{finding.board, finding.batch, {}}};
  for (const auto& word : parse_setting(finding.at)) {
    std::vector<Setting> more;
    for (const auto& setting : all) {
      for (const auto& value : word.values) {
        more.push_back(setting);
        set_word(more.back(), word.key, value, twin_of_(setting.board));
      }
    }
    all = std::move(more);
  }
  return all;
}

Setting FindingValues::changed(Asked asked) const {
  Setting other = asked.second;
  for (const auto& word : parse_setting(asked.first.to)) {
    if (word.values.size() > 1) throw InputError("says more than one change", asked.first.to);
    set_word(other, word.key, word.values.front(), twin_of_(other.board));
  }
  return other;
}

std::vector<Setting> FindingValues::over_knob(const Setting& setting, Knob knob) const {
  std::vector<Setting> all;
  const twin::Twin& twin = twin_of_(setting.board);
  for (const double level : twin.levels[knob]) {
    all.push_back(setting);
    all.back().mode.set(knob, level);
  }
  if (all.size() < 3) {
    throw NotSupportedError("the board's table has fewer than three levels", setting.board);
  }
  return all;
}

// What `to` chooses among: the levels of a knob, or all modes.
std::vector<Setting> FindingValues::candidates(Asked asked) const {
  const auto& [finding, setting] = asked;
  if (finding.to != "all") return over_knob(setting, knob_of_word(finding.to));
  std::vector<Setting> all;
  for (const auto& mode : KnobSpace(twin_of_(setting.board).levels).modes()) {
    all.push_back(setting);
    all.back().mode = mode;
  }
  return all;
}

double FindingValues::span(Asked asked, Knob knob) {
  std::vector<double> values;
  for (const auto& setting : over_knob(asked.second, knob)) {
    values.push_back(quantity({asked.first, setting}));
  }
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return *most - *least;
}

double FindingValues::span_ratio(Asked asked) {
  const auto knobs = split(asked.first.to, '/');
  if (knobs.size() != 2) throw InputError("a ratio of spans is of two knobs", asked.first.to);
  return span(asked, knob_of_word(knobs[0])) / span(asked, knob_of_word(knobs[1]));
}

// The setting of least energy; the fastest of equal ones.
Setting FindingValues::best(Asked asked) {
  Setting best = asked.second;
  twin::MinibatchCost least = cost(asked);
  for (const auto& setting : candidates(asked)) {
    const twin::MinibatchCost at = cost({asked.first, setting});
    if (at.energy_j() < least.energy_j() ||
        (at.energy_j() == least.energy_j() && at.period_s < least.period_s)) {
      least = at;
      best = setting;
    }
  }
  return best;
}

// 1 when both ends of the table need more energy than the least, 0 when one of them is the least;
// from 0 to 1 where a twin cannot tell them apart.
FigureRange FindingValues::interior(Asked asked) {
  const auto all = over_knob(asked.second, knob_of_word(asked.first.to));
  std::vector<double> energies;
  for (const auto& setting : all) energies.push_back(cost({asked.first, setting}).energy_j());
  const double least_j = *std::min_element(energies.begin(), energies.end());
  const double end_j = std::min(energies.front(), energies.back());
  if (end_j == least_j) return {0, 0};
  return {end_j > (1 + twin::kTwinTie) * least_j ? 1.0 : 0.0, 1};
}

double FindingValues::dominated(Asked asked) {
  const twin::MinibatchCost own = cost(asked);
  double least_j = own.energy_j();
  for (const auto& setting : candidates(asked)) {
    const twin::MinibatchCost at = cost({asked.first, setting});
    if (at.period_s <= own.period_s) least_j = std::min(least_j, at.energy_j());
  }
  return 1 - least_j / own.energy_j();
}

FigureRange FindingValues::figure(Asked asked) {
  const auto& [finding, setting] = asked;
  const auto alone = [](double value) { return FigureRange{value, value}; };
  switch (finding.form) {
    case FindingForm::kValue:
      break;
    case FindingForm::kChange:
      return alone(quantity({finding, changed(asked)}) / quantity(asked) - 1);
    case FindingForm::kRatio:
      return alone(quantity({finding, changed(asked)}) / quantity(asked));
    case FindingForm::kSpan:
      return alone(span(asked, knob_of_word(finding.to)));
    case FindingForm::kSpanRatio:
      return alone(span_ratio(asked));
    case FindingForm::kBestClock: {
      const double clock_hz = best(asked).mode.gpu_clock_hz;
      return alone(clock_hz > 0 ? clock_hz : twin_of_(setting.board).gpu_clock_hz);
    }
    case FindingForm::kInterior:
      return interior(asked);
    case FindingForm::kSaving:
      return alone(1 - cost({finding, best(asked)}).energy_j() / cost(asked).energy_j());
    case FindingForm::kSlowdown:
      return alone(cost({finding, best(asked)}).period_s / cost(asked).period_s - 1);
    case FindingForm::kDominated:
      return alone(dominated(asked));
  }
  return alone(quantity(asked));
}

FigureRange FindingValues::operator()(const Finding& finding) {
  FigureRange range{INFINITY, -INFINITY};
  for (const auto& setting : settings(finding)) {
    const FigureRange one = figure({finding, setting});
    range = {std::min(range.lo, one.lo), std::max(range.hi, one.hi)};
  }
  return range;
}

FigureRange FindingValues::steps_around(const std::string& board, double clock_hz) const {
  const auto& levels = twin_of_(board).levels[Knob::kGpuClock];
  if (levels.empty()) return {clock_hz, clock_hz};
  const std::size_t nearest = nearest_level(levels, clock_hz);
  return {levels[nearest == 0 ? 0 : nearest - 1], levels[std::min(nearest + 1, levels.size() - 1)]};
}

}  // namespace ridgewatt::evaluate
