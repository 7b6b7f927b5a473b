#include "ridgewatt/campaign/board_effects.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "ridgewatt/base/check_option.h"
#include "ridgewatt/campaign/effects/two_way.h"

namespace ridgewatt::campaign {
namespace {

// A slope is reported if its deviation is less than this share of the prior deviation.
constexpr double kReportedShare = 0.5;

struct Logarithms {
  std::vector<double> time, power;  // one value per repeat
};
using PointTable = std::map<OperatingPoint, Logarithms>;

PointTable table_of(const BoardPoints& board) {
  PointTable table;
  for (const auto& row : board.observations) {
    const auto good = [](double value) { return std::isfinite(value) && value > 0; };
    if (!good(row.time_s) || !good(row.power_w)) {
      throw InputError("a point has a time or power that is not positive; board", board.board,
                       describe(row.point.mode));
    }
    auto& logarithms = table[row.point];
    logarithms.time.push_back(std::log(row.time_s));
    logarithms.power.push_back(std::log(row.power_w));
  }
  return table;
}

// Returns the largest set of boards that shared points connect. All other boards share no point
// with this set.
std::vector<bool> connected(const std::vector<PointTable>& tables) {
  std::vector<std::size_t> group(tables.size());
  std::iota(group.begin(), group.end(), std::size_t{0});
  std::map<OperatingPoint, std::size_t> first;
  for (std::size_t b = 0; b < tables.size(); ++b) {
    for (const auto& [point, values] : tables[b]) {
      const auto [found, added] = first.emplace(point, b);
      const std::size_t from = group[b], to = group[found->second];
      if (!added && from != to) std::replace(group.begin(), group.end(), from, to);
    }
  }
  std::map<std::size_t, std::size_t> sizes;
  for (const auto one : group) ++sizes[one];
  std::size_t largest = 0;
  for (const auto& [one, size] : sizes) {
    if (sizes.count(largest) == 0 || size > sizes[largest]) largest = one;
  }
  std::vector<bool> within;
  for (const auto one : group) within.push_back(one == largest && sizes[one] > 1);
  return within;
}

// Numbers the points that at least two of the connected boards have.
std::vector<OperatingPoint> shared_points(const std::vector<PointTable>& tables,
                                          const std::vector<bool>& within) {
  std::map<OperatingPoint, int> count;
  for (std::size_t b = 0; b < tables.size(); ++b) {
    if (!within[b]) continue;
    for (const auto& [point, values] : tables[b]) ++count[point];
  }
  std::vector<OperatingPoint> shared;
  for (const auto& [point, boards] : count) {
    if (boards > 1) shared.push_back(point);
  }
  return shared;
}

std::optional<double> repeat_noise(const std::vector<PointTable>& tables,
                                   std::vector<double> Logarithms::*quantity) {
  double sum = 0, degrees = 0;
  for (const auto& table : tables) {
    for (const auto& [point, values] : table) {
      const auto& repeats = values.*quantity;
      const double deviation = standard_deviation(repeats),
                   count = static_cast<double>(repeats.size());
      sum += deviation * deviation * (count - 1);
      degrees += count - 1;
    }
  }
  if (!(degrees > 0)) return std::nullopt;
  return std::sqrt(sum / degrees);
}

QuantityEffect effect_of(const TwoWayFit& fit, std::size_t board, std::size_t boards,
                         const EffectOptions& options) {
  const auto a = static_cast<Eigen::Index>(board), s = static_cast<Eigen::Index>(boards + board);
  QuantityEffect effect;
  effect.offset = fit.offset[a];
  effect.assumed_slope = fit.slope[a];
  effect.offset_variance = fit.covariance(a, a);
  effect.slope_variance = fit.covariance(s, s);
  effect.covariance = fit.covariance(a, s);
  effect.outlier = fit.outlier[board] != 0;
  effect.unsteady = fit.spread[board] > 1;
  effect.noise = fit.noise * fit.spread[board];
  const bool determined = std::sqrt(effect.slope_variance) < kReportedShare * options.slope_prior;
  if (fit.degrees >= kLeastDegrees) {
    const double quantile = student_quantile(0.95, fit.degrees);
    const auto interval = [&](double middle, double variance) {
      const double half = quantile * std::sqrt(variance);
      return Interval{middle - half, middle + half};
    };
    effect.offset_interval = interval(effect.offset, effect.offset_variance);
    if (determined) effect.slope_interval = interval(fit.slope[a], effect.slope_variance);
  }
  if (effect.slope_interval) effect.slope = fit.slope[a];
  return effect;
}

class Estimate {
 public:
  Estimate(const std::vector<BoardPoints>& boards, const EffectOptions& options)
      : boards_(boards), options_(options) {
    for (const auto& board : boards) tables_.push_back(table_of(board));
    within_ = connected(tables_);
    points_ = shared_points(tables_, within_);
    for (std::size_t b = 0; b < boards.size(); ++b) {
      BoardEffect effect;
      effect.board = boards[b].board;
      effect.points = tables_[b].size();
      effect.known = within_[b];
      result_.boards.push_back(effect);
      if (within_[b]) known_.push_back(b);
    }
    result_.shared = points_.size();
  }

  BoardEffects run() {
    if (known_.size() > 1) {
      quantity("time", &Logarithms::time, &BoardEffect::time, result_.time);
      quantity("power", &Logarithms::power, &BoardEffect::power, result_.power);
    }
    remark();
    return std::move(result_);
  }

 private:
  void quantity(std::string_view name, std::vector<double> Logarithms::*values,
                QuantityEffect BoardEffect::*effect, QuantityNoise& noise) {
    std::vector<Cell> cells;
    for (std::size_t k = 0; k < known_.size(); ++k) {
      std::size_t& shared = result_.boards[known_[k]].shared = 0;
      for (std::size_t p = 0; p < points_.size(); ++p) {
        const auto found = tables_[known_[k]].find(points_[p]);
        if (found == tables_[known_[k]].end()) continue;
        cells.push_back({k, p, median(found->second.*values)});
        ++shared;
      }
    }
    const TwoWayFit fit = fit_two_way(cells, known_.size(), points_.size(), options_);
    for (std::size_t k = 0; k < known_.size(); ++k) {
      result_.boards[known_[k]].*effect = effect_of(fit, k, known_.size(), options_);
    }
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (fit.aside[c] == 0) continue;
      result_.set_aside.push_back(
          {boards_[known_[cells[c].board]].board, points_[cells[c].point], name, fit.residual[c]});
    }
    noise.noise = fit.noise;
    noise.degrees = fit.degrees;
    noise.level = fit.mean_level;
    noise.repeat = repeat_noise(tables_, values);
  }

  void remark() {
    auto& remarks = result_.remarks;
    if (boards_.size() < 2) {
      remarks.push_back("differences between boards can only be computed for at least two boards");
    } else if (known_.empty()) {
      remarks.push_back(
          "no operating point was measured on two boards, so their differences are not known");
    }
    for (const auto& board : result_.boards) {
      if (!board.known && !known_.empty()) {
        remarks.push_back(board.board +
                          " shares no operating point with the other boards, so its difference "
                          "from them is not known");
      }
    }
    if (known_.empty()) return;
    if (result_.time.degrees < kLeastDegrees || result_.power.degrees < kLeastDegrees) {
      remarks.push_back(
          fmt::format("{} shared operating point{} are too few to estimate the noise, so there are "
                      "no intervals",
                      points_.size(), points_.size() == 1 ? "" : "s"));
    }
    if (known_.size() == 2) remark_pair();
  }

  void remark_pair() {
    const auto& one = result_.boards[known_[0]];
    for (const auto& [name, offset] :
         {std::pair{"time", one.time.offset}, std::pair{"power", one.power.offset}}) {
      if (std::expm1(2 * std::abs(offset)) <= kLargestPublishedDifference) continue;
      result_.remarks.push_back(
          fmt::format("the two boards differ by {:.1f} % in {}, more than published boards do (8.8 "
                      "%); with two boards it is not known which one is unusual",
                      100 * std::expm1(2 * std::abs(offset)), name));
    }
  }

  const std::vector<BoardPoints>& boards_;
  const EffectOptions& options_;
  std::vector<PointTable> tables_;
  std::vector<bool> within_;
  std::vector<std::size_t> known_;
  std::vector<OperatingPoint> points_;
  BoardEffects result_;
};

// Solves y = level + offset + slope (level - mean level) for the level; y is `value`, on this
// board.
double level_of(const QuantityEffect& effect, const QuantityNoise& kind, double value) {
  return (value - effect.offset + effect.assumed_slope * kind.level) / (1 + effect.assumed_slope);
}

double deviation_at(const QuantityEffect& effect, const QuantityNoise& kind, double value) {
  const double x = level_of(effect, kind, value) - kind.level;
  const double variance =
      effect.offset_variance + 2 * x * effect.covariance + x * x * effect.slope_variance;
  return std::sqrt(std::max(0.0, variance));
}

}  // namespace

void EffectOptions::check() const {
  require_option(slope_prior > 0 && slope_prior < 1, "EffectOptions::slope_prior", slope_prior,
                 "between 0 and 1");
  require_option(offset_prior > 0, "EffectOptions::offset_prior", offset_prior, "positive");
  require_option(least_outlier >= 0, "EffectOptions::least_outlier", least_outlier, "at least 0");
}

const BoardEffect* BoardEffects::find(std::string_view board) const {
  for (const auto& one : boards) {
    if (one.board == board) return &one;
  }
  return nullptr;
}

BoardEffects board_effects(const std::vector<BoardPoints>& boards, const EffectOptions& options) {
  options.check();
  std::set<std::string> names;
  for (const auto& board : boards) {
    if (!names.insert(board.board).second) {
      throw UsageError("two boards of the comparison have the same name", board.board,
                       "give each board its serial number");
    }
  }
  return Estimate(boards, options).run();
}

Observation to_mean_board(const BoardEffects& effects, const BoardEffect& board,
                          const Observation& row) {
  if (!board.known) return row;
  Observation at_mean = row;
  at_mean.time_s = std::exp(level_of(board.time, effects.time, std::log(row.time_s)));
  at_mean.power_w = std::exp(level_of(board.power, effects.power, std::log(row.power_w)));
  const double time = at_mean.time_s / row.time_s, power = at_mean.power_w / row.power_w;
  if (row.measured_energy_j) at_mean.measured_energy_j = *row.measured_energy_j * time * power;
  if (row.time_median_s) at_mean.time_median_s = *row.time_median_s * time;
  if (row.fetch_stall_s) at_mean.fetch_stall_s = *row.fetch_stall_s * time;
  return at_mean;
}

CorrectionError correction_error(const BoardEffects& effects, const BoardEffect& board,
                                 const Observation& row) {
  if (!board.known) return {};
  return {deviation_at(board.time, effects.time, std::log(row.time_s)),
          deviation_at(board.power, effects.power, std::log(row.power_w))};
}

}  // namespace ridgewatt::campaign
