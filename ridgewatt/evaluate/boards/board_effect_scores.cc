#include "ridgewatt/evaluate/board_effect_scores.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/parallel.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/campaign/merged_sweep.h"
#include "ridgewatt/predict/factory.h"
#include "ridgewatt/sweep/quality.h"

namespace ridgewatt::evaluate {
namespace {

using campaign::BoardEffect;
using campaign::BoardEffects;
using campaign::BoardPoints;
using campaign::QuantityEffect;

constexpr double kSlowBoard = 3;
constexpr double kWrongShare = 1.0 / 16;
constexpr std::size_t kLeastRows = 30;

// One quantity of simulated boards: true effects and measured values.
struct SimulatedQuantity {
  std::vector<double> level, offset, slope;
  std::vector<std::vector<double>> value;  // by board and point
  std::vector<std::vector<char>> wrong;
};

SimulatedQuantity simulate(const RecoveryOptions& options, std::size_t points, double range,
                           bool slow_board, Random& random) {
  const auto boards = static_cast<std::size_t>(options.boards);
  const bool wrong_points =
      options.trouble == Trouble::kPoints || options.trouble == Trouble::kBoth;
  const double noise = random.uniform(options.least_noise, options.most_noise);
  SimulatedQuantity made;
  for (std::size_t p = 0; p < points; ++p) made.level.push_back(random.uniform(-range, range));
  for (std::size_t b = 0; b < boards; ++b) {
    made.offset.push_back(options.offset_deviation * random.normal());
    made.slope.push_back(options.slope_deviation * random.normal());
    if (slow_board && b == 0) made.offset[0] += std::log(kSlowBoard);
    made.value.emplace_back();
    made.wrong.emplace_back();
    for (const double level : made.level) {
      const bool wrong = wrong_points && random.uniform() < kWrongShare;
      const double more = wrong ? std::log(random.uniform(1.2, 1.6)) : 0;
      made.wrong[b].push_back(wrong ? 1 : 0);
      made.value[b].push_back(level + made.offset[b] + made.slope[b] * level +
                              noise * random.normal() + more);
    }
  }
  return made;
}

struct Tally {
  double offsets = 0, slopes = 0, offset_count = 0, slope_count = 0, half_widths = 0;
  double outliers = 0, outlier_count = 0, false_outliers = 0, ordinary_count = 0;
};

// Compares with the true offset at the mean level and the true slope. Both are relative to the mean
// of the boards that were not marked as outliers, as in the estimate.
void compare(const SimulatedQuantity& made, const BoardEffects& effects,
             QuantityEffect BoardEffect::*quantity, bool slow_board, Tally& tally) {
  const double level = mean(made.level);
  double offset = 0, slope = 0, count = 0;
  for (std::size_t b = 0; b < made.offset.size(); ++b) {
    if ((effects.boards[b].*quantity).outlier) continue;
    offset += made.offset[b] + made.slope[b] * level;
    slope += made.slope[b];
    ++count;
  }
  offset /= count, slope /= count;
  for (std::size_t b = 0; b < made.offset.size(); ++b) {
    const QuantityEffect& found = effects.boards[b].*quantity;
    const double true_offset = made.offset[b] + made.slope[b] * level - offset;
    const double true_slope = (made.slope[b] - slope) / (1 + slope);
    const auto within = [](const std::optional<Interval>& interval, double value) {
      return interval && value >= interval->lo && value <= interval->hi ? 1 : 0;
    };
    tally.offsets += within(found.offset_interval, true_offset);
    ++tally.offset_count;
    tally.half_widths +=
        found.offset_interval ? (found.offset_interval->hi - found.offset_interval->lo) / 2 : 0;
    if (found.slope) {
      tally.slopes += within(found.slope_interval, true_slope);
      ++tally.slope_count;
    }
    const bool odd = slow_board && b == 0;
    (odd ? tally.outliers : tally.false_outliers) += found.outlier ? 1 : 0;
    ++(odd ? tally.outlier_count : tally.ordinary_count);
  }
}

// The points only need to be different.
OperatingPoint numbered_point(std::size_t number) {
  PowerMode mode;
  mode.gpu_clock_hz = 1e9 + 1e6 * static_cast<double>(number);
  return {mode, 1};
}

std::vector<BoardPoints> as_boards(const SimulatedQuantity& time, const SimulatedQuantity& power) {
  std::vector<BoardPoints> boards;
  for (std::size_t b = 0; b < time.value.size(); ++b) {
    BoardPoints board{"board" + std::to_string(b), {}};
    for (std::size_t p = 0; p < time.level.size(); ++p) {
      board.observations.push_back(
          {numbered_point(p), std::exp(time.value[b][p]), 20 * std::exp(power.value[b][p])});
    }
    boards.push_back(std::move(board));
  }
  return boards;
}

// How many of the wrong points were found, and the number of wrong points: {found, total}.
std::pair<double, double> wrong_points(const SimulatedQuantity& made, const BoardEffects& effects,
                                       std::string_view quantity) {
  double found = 0, there = 0;
  for (std::size_t b = 0; b < made.wrong.size(); ++b) {
    for (std::size_t p = 0; p < made.level.size(); ++p) {
      if (made.wrong[b][p] == 0) continue;
      ++there;
      found += std::any_of(effects.set_aside.begin(), effects.set_aside.end(),
                           [&](const campaign::SetAside& one) {
                             return one.board == effects.boards[b].board &&
                                    one.quantity == quantity && one.point == numbered_point(p);
                           })
                   ? 1
                   : 0;
    }
  }
  return {found, there};
}

double share(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

// The rows of a sweep, distributed to boards with different offsets.
class Dealt {
 public:
  Dealt(const Sweep& sweep, const MergeOptions& options, std::size_t points, Random random)
      : options_(options), random_(random) {
    const auto boards = static_cast<std::size_t>(options.boards);
    rows_ = random_.sample(sweep.observations.size(), points);
    kind_ = {"simulated", sweep.workload, sweep.kind, Provenance::kReplayed, {}};
    const auto time = offsets(boards), power = offsets(boards);
    for (std::size_t b = 0; b < boards; ++b) kind_.boards.push_back({"b" + std::to_string(b), {}});
    for (std::size_t i = 0; i < points; ++i) {
      const Observation& row = sweep.observations[rows_[i]];
      const bool shared = i < static_cast<std::size_t>(options.calibration);
      for (std::size_t b = 0; b < boards; ++b) {
        if (!shared && i % boards != b) continue;
        kind_.boards[b].observations.push_back(measured(row, time[b], power[b]));
      }
      single_.push_back(measured(row, 0, 0));
    }
  }
  const std::vector<std::size_t>& rows() const { return rows_; }
  const std::vector<Observation>& single() const { return single_; }
  std::vector<Observation> merged(bool take_effects_out) const {
    return campaign::merge_boards(kind_, take_effects_out).sweep.observations;
  }

 private:
  std::vector<double> offsets(std::size_t boards) {
    std::vector<double> result;
    for (std::size_t b = 0; b < boards; ++b) {
      result.push_back(options_.offset_deviation * random_.normal());
    }
    const double middle = mean(result);
    for (double& one : result) one -= middle;
    return result;
  }
  Observation measured(const Observation& row, double time, double power) {
    return {row.point, row.time_s * std::exp(time + options_.noise * random_.normal()),
            row.power_w * std::exp(power + options_.noise * random_.normal())};
  }

  const MergeOptions& options_;
  Random random_;
  std::vector<std::size_t> rows_;
  campaign::BoardsOfKind kind_;
  std::vector<Observation> single_;
};

// Mean absolute error in percent on the rows that were not used for learning: {time, power}.
std::pair<double, double> prediction_error(const Sweep& sweep,
                                           const std::vector<std::size_t>& learned,
                                           const std::vector<Observation>& samples,
                                           const MergeOptions& options) {
  predict::PredictorOptions predictor_options;
  predictor_options.method = options.method;
  predictor_options.space = sweep.points();
  const auto predictor = predict::make_predictor(predictor_options);
  predictor->fit(samples);
  std::vector<bool> left(sweep.observations.size(), true);
  for (const auto row : learned) left[row] = false;
  std::vector<OperatingPoint> points;
  std::vector<double> time_s, power_w, predicted_s, predicted_w;
  for (std::size_t row = 0; row < left.size(); ++row) {
    if (!left[row]) continue;
    points.push_back(sweep.observations[row].point);
    time_s.push_back(sweep.observations[row].time_s);
    power_w.push_back(sweep.observations[row].power_w);
  }
  for (const auto& prediction : predictor->predict(points)) {
    predicted_s.push_back(prediction.time_s.mean);
    predicted_w.push_back(prediction.power_w.mean);
  }
  return {100 * mean_absolute_percentage_error(predicted_s, time_s),
          100 * mean_absolute_percentage_error(predicted_w, power_w)};
}

}  // namespace

RecoveryScore score_recovery(const RecoveryOptions& options) {
  const bool slow_board = options.trouble == Trouble::kBoard || options.trouble == Trouble::kBoth;
  Tally time_tally, power_tally;
  double found = 0, there = 0;
  for (int run = 0; run < options.runs; ++run) {
    Random random = Random(options.seed).fork(static_cast<std::uint64_t>(run));
    const auto spread = static_cast<std::uint64_t>(options.most_points - options.least_points + 1);
    const auto points = static_cast<std::size_t>(options.least_points) + random.below(spread);
    const auto time = simulate(options, points, 0.8, slow_board, random);
    const auto power = simulate(options, points, 0.5, false, random);
    const BoardEffects effects = campaign::board_effects(as_boards(time, power));
    compare(time, effects, &BoardEffect::time, slow_board, time_tally);
    compare(power, effects, &BoardEffect::power, false, power_tally);
    for (const auto& [one, of] :
         {wrong_points(time, effects, "time"), wrong_points(power, effects, "power")}) {
      found += one, there += of;
    }
  }
  return {share(time_tally.offsets, time_tally.offset_count),
          share(power_tally.offsets, power_tally.offset_count),
          share(time_tally.slopes, time_tally.slope_count),
          share(power_tally.slopes, power_tally.slope_count),
          share(time_tally.half_widths + power_tally.half_widths,
                time_tally.offset_count + power_tally.offset_count),
          share(time_tally.outliers, time_tally.outlier_count),
          share(time_tally.false_outliers + power_tally.false_outliers,
                time_tally.ordinary_count + power_tally.ordinary_count),
          share(found, there)};
}

MergeScore score_merged(const Sweep& sweep, const MergeOptions& options) {
  const Sweep trusted = trusted_rows(sweep, check_quality(sweep));
  const std::size_t rows = trusted.observations.size();
  if (rows < kLeastRows)
    throw UsageError("the sweep has too few rows to distribute them to the boards", sweep.source,
                     "give a larger sweep, or fewer --boards");
  const std::size_t points = std::min(static_cast<std::size_t>(options.points), rows / 3);
  const auto runs = static_cast<std::size_t>(options.runs);
  std::vector<double> time[3], power[3];  // single, merged, uncorrected
  for (auto* errors : {time, power}) {
    for (int which = 0; which < 3; ++which) errors[which].resize(runs);
  }
  parallel_for(runs, [&](std::size_t run) {
    const Dealt dealt(trusted, options, points, Random(options.seed).fork(run));
    const std::vector<Observation> samples[3] = {dealt.single(), dealt.merged(true),
                                                 dealt.merged(false)};
    for (int which = 0; which < 3; ++which) {
      const auto error = prediction_error(trusted, dealt.rows(), samples[which], options);
      time[which][run] = error.first;
      power[which][run] = error.second;
    }
  });
  const auto medians = [](const std::vector<double>* errors) {
    return MergeScore::Error{median(errors[0]), median(errors[1]), median(errors[2])};
  };
  return {sweep.workload,           sweep.kind,    static_cast<int>(rows),
          static_cast<int>(points), medians(time), medians(power)};
}

}  // namespace ridgewatt::evaluate
