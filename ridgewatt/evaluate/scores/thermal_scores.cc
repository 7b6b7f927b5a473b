#include "ridgewatt/evaluate/thermal_scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/parallel.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/thermal/hold.h"
#include "ridgewatt/thermal/random_board.h"

namespace ridgewatt::evaluate {
namespace {

using thermal::ThermalParam;

constexpr double kLookS = 0.2;      // 5 Hz, the rate of `measure`
constexpr double kTraceFan = 0.31;  // 80 of 255
constexpr double kZoneNoiseK = 0.1, kMeasuredPowerNoise = 0.015;
constexpr double kRestShare = 0.2;            // of the design power
constexpr double kGainError = 0.02;           // of unmodelled power sensors
constexpr double kDriftK = 1, kDriftS = 200;  // drift of unmodelled air; the period is 21 minutes
constexpr double kFewestS = 30, kMostS = 7200;
constexpr std::array kConstants = {ThermalParam::kResistance, ThermalParam::kJunction,
                                   ThermalParam::kSink, ThermalParam::kCooling,
                                   ThermalParam::kAmbient};

struct TimedLoad {
  std::optional<double> truth_s;
  thermal::HoldAnswer answer;
  double truth_steady_celsius = 0;  // of two masses; infinite for a thermal runaway
  bool clear() const { return truth_steady_celsius >= answer.trip_celsius + kClearK; }
};

// The real board. Effects that the model includes are exact; a third mass is integrated in steps.
class TrueBoard {
 public:
  TrueBoard(const thermal::ThermalModel& model, double ambient_celsius, bool unmodelled)
      : model_(model), ambient_(ambient_celsius), unmodelled_(unmodelled) {}

  // Sets the steady state at rest. From here on, the air temperature drifts about its mean.
  void rest(double power_w) {
    const thermal::ThermalSystem system(model_, {power_w, ambient_, kTraceFan});
    state_ = *system.steady();
    spreader_ = state_.junction_celsius -
                (1 - kSpreaderShare) * (state_.junction_celsius - state_.sink_celsius);
    if (!unmodelled_) return;
    for (int i = 0; i < 20000; ++i) integrate(power_w, 0.5);
    time_s_ = 0;
  }
  double junction_celsius() const { return state_.junction_celsius; }

  // Continues with a power that is stated for 50 C. Returns the actual power.
  double step(double power_w, double time_s) {
    const double before = leakage(state_.junction_celsius);
    if (unmodelled_) {
      const int parts = std::max(1, static_cast<int>(std::ceil(time_s / kIntegrateS)));
      for (int i = 0; i < parts; ++i) integrate(power_w, time_s / parts);
    } else {
      state_ = thermal::ThermalSystem(model_, {power_w, ambient_, kTraceFan}).after(state_, time_s);
    }
    return 0.5 * power_w * (before + leakage(state_.junction_celsius));
  }

  // Time until the junction reaches `celsius`. Empty if that takes longer than `most_s`.
  std::optional<double> time_until(double power_w, double celsius, double most_s) {
    if (!unmodelled_) {
      const thermal::ThermalSystem system(model_, {power_w, ambient_, kTraceFan});
      return system.time_until(state_, celsius);
    }
    for (double time_s = 0; time_s < most_s; time_s += kIntegrateS) {
      if (state_.junction_celsius >= celsius) return time_s;
      integrate(power_w, kIntegrateS);
    }
    return std::nullopt;
  }

 private:
  static constexpr double kIntegrateS = 0.05;
  // Share of the inner resistance between junction and spreader.
  static constexpr double kSpreaderShare = 0.4;
  static constexpr double kSpreaderMass = 0.1;  // share of the heat sink's mass

  double leakage(double celsius) const {
    return unmodelled_ ? std::exp(model_.leakage_per_k * (celsius - thermal::kPowerCelsius))
                       : leakage_factor(model_, celsius);
  }
  void integrate(double power_w, double h) {
    const double upper =
        (state_.junction_celsius - spreader_) / (kSpreaderShare * model_.junction_sink_k_per_w);
    const double lower =
        (spreader_ - state_.sink_celsius) / ((1 - kSpreaderShare) * model_.junction_sink_k_per_w);
    const double air = ambient_ + kDriftK * std::sin(time_s_ / kDriftS);
    const double out = model_.sink_w_per_k(kTraceFan) * (state_.sink_celsius - air);
    state_.junction_celsius +=
        h * (power_w * leakage(state_.junction_celsius) - upper) / model_.junction_j_per_k;
    spreader_ += h * (upper - lower) / (kSpreaderMass * model_.sink_j_per_k);
    state_.sink_celsius += h * (lower - out) / ((1 - kSpreaderMass) * model_.sink_j_per_k);
    time_s_ += h;
  }

  thermal::ThermalModel model_;
  double ambient_;
  bool unmodelled_;
  thermal::ThermalState state_;
  double spreader_ = 25, time_s_ = 0;
};

struct BoardHeatScore {
  std::array<double, kConstants.size()> errors{};  // relative; for the ambient temperature in K
  std::array<bool, kConstants.size()> covered{};
  std::vector<TimedLoad> loads;
};

BoardHeatScore score_board(const ThermalScoreOptions& options, std::uint64_t board) {
  Random random = Random(options.seed).fork(board);
  const double design_w = std::exp(random.uniform(std::log(8.0), std::log(70.0)));
  const thermal::ThermalModel truth = thermal::random_thermal_model(random, design_w, kTraceFan);
  const double ambient = random.uniform(15, 35);
  const double step_k = random.uniform() < 0.5 ? 0.5 : 1;
  const auto trace =
      simulated_trace(truth, {ambient, design_w, step_k, options.unmodelled, random.next()});
  thermal::ThermalFitOptions fit_options;
  const double given_celsius = ambient + 0.5 * random.normal();
  if (options.ambient_known) fit_options.ambient_celsius = given_celsius;
  const thermal::ThermalFit fit = thermal::fit_thermal(trace, fit_options);
  const std::array<double, kConstants.size()> true_values = {
      truth.junction_sink_k_per_w, truth.junction_j_per_k, truth.sink_j_per_k,
      truth.sink_w_per_k(fit.fan), ambient};
  BoardHeatScore score;
  for (std::size_t i = 0; i < kConstants.size(); ++i) {
    const double found = fit.value(kConstants[i]);
    score.errors[i] = kConstants[i] == ThermalParam::kAmbient
                          ? std::abs(found - true_values[i])
                          : std::abs(found / true_values[i] - 1);
    const Interval interval = fit.interval(kConstants[i]);
    score.covered[i] = true_values[i] >= interval.lo && true_values[i] <= interval.hi;
  }
  for (int load = 0; load < 3; ++load) {
    thermal::HoldQuestion question;
    question.power_w = design_w * random.uniform(0.6, 1.4);
    question.ambient_celsius = random.uniform(15, 50);
    question.trip_celsius = random.uniform(75, 99);
    question.seed = options.seed;
    TrueBoard board_there(truth, *question.ambient_celsius, options.unmodelled);
    board_there.rest(kRestShare * design_w);
    TimedLoad timed;
    timed.truth_s = board_there.time_until(question.power_w, *question.trip_celsius, 2 * kMostS);
    const thermal::ThermalSystem system(truth,
                                        {question.power_w, *question.ambient_celsius, kTraceFan});
    const auto steady = system.steady();
    timed.truth_steady_celsius =
        steady ? steady->junction_celsius : std::numeric_limits<double>::infinity();
    timed.answer = thermal::how_long(fit, question);
    score.loads.push_back(timed);
  }
  return score;
}

double share(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

void add_times(const std::vector<BoardHeatScore>& boards, ThermalScores& scores) {
  std::vector<double> errors, steady_k;
  std::size_t within = 0, clear_within = 0, covered = 0, missed = 0, holding = 0, false_alarms = 0;
  for (const auto& board : boards) {
    for (const auto& load : board.loads) {
      ++scores.loads;
      if (!load.truth_s) {
        ++holding;
        false_alarms += load.answer.holds ? 0 : 1;
        if (load.answer.steady_celsius) {
          steady_k.push_back(std::abs(*load.answer.steady_celsius - load.truth_steady_celsius));
        }
        continue;
      }
      if (*load.truth_s < kFewestS || *load.truth_s > kMostS) continue;
      ++scores.throttling;
      if (load.answer.holds) ++missed;
      const double error = load.answer.holds ? std::numeric_limits<double>::infinity()
                                             : std::abs(*load.answer.holds_s / *load.truth_s - 1);
      errors.push_back(error);
      const bool good = error <= scores.options.time_tolerance;
      within += good ? 1 : 0;
      scores.clear += load.clear() ? 1 : 0;
      clear_within += good && load.clear() ? 1 : 0;
      covered += *load.truth_s >= load.answer.holds_interval_s.lo &&
                         *load.truth_s <= load.answer.holds_interval_s.hi
                     ? 1
                     : 0;
    }
  }
  if (!errors.empty()) {
    scores.time_median_error = median(errors);
    scores.time_ninth_decile = quantile(errors, 0.9);
  }
  scores.time_within = share(within, scores.throttling);
  scores.clear_within = share(clear_within, scores.clear);
  scores.time_covered = share(covered, scores.throttling);
  scores.missed = share(missed, scores.throttling);
  scores.false_alarms = share(false_alarms, holding);
  if (!steady_k.empty()) scores.steady_error_k = median(steady_k);
}

}  // namespace

void ThermalScoreOptions::check() const {
  if (boards < 1 || boards > 100000) {
    throw UsageError(fmt::format("--boards is {}, but must be 1 to 100000", boards));
  }
}

thermal::HeatTrace simulated_trace(const thermal::ThermalModel& model, const TraceSetup& setup) {
  Random random(setup.seed);
  // Duration in seconds and share of the design power: rest, load, rest, a lighter load.
  const std::array<std::pair<double, double>, 4> phases = {std::pair{120.0, kRestShare},
                                                           {780.0, random.uniform(0.75, 1.0)},
                                                           {240.0, kRestShare},
                                                           {360.0, random.uniform(0.4, 0.6)}};
  const double gain = setup.unmodelled ? 1 + random.uniform(-kGainError, kGainError) : 1;
  TrueBoard board(model, setup.ambient_celsius, setup.unmodelled);
  board.rest(kRestShare * setup.design_power_w);
  thermal::HeatTrace trace;
  trace.fan_known = true;
  double time_s = 0, until_s = 0;
  for (const auto& [phase_s, power_share] : phases) {
    until_s += phase_s;
    while (time_s < until_s - 1e-9) {
      time_s += kLookS;
      const double power_w = board.step(power_share * setup.design_power_w, kLookS);
      thermal::HeatTrace::Row row;
      row.time_s = time_s;
      row.power_w = gain * power_w * (1 + kMeasuredPowerNoise * random.normal());
      const double seen = board.junction_celsius() + kZoneNoiseK * random.normal();
      row.celsius = setup.step_k > 0 ? setup.step_k * std::round(seen / setup.step_k) : seen;
      row.fan = kTraceFan;
      trace.rows.push_back(row);
    }
  }
  return trace;
}

ThermalScores score_thermal(const ThermalScoreOptions& options) {
  options.check();
  std::vector<BoardHeatScore> boards(static_cast<std::size_t>(options.boards));
  parallel_for(boards.size(), [&](std::size_t i) { boards[i] = score_board(options, i); });
  ThermalScores scores;
  scores.options = options;
  std::size_t all = 0;
  for (std::size_t i = 0; i < kConstants.size(); ++i) {
    ThermalConstantScore constant;
    constant.constant = thermal::thermal_param_name(kConstants[i]);
    std::vector<double> errors;
    std::size_t within = 0, covered = 0;
    for (const auto& board : boards) {
      errors.push_back(board.errors[i]);
      within += board.errors[i] <= options.tolerance ? 1 : 0;
      covered += board.covered[i] ? 1 : 0;
    }
    constant.median_error = median(errors);
    constant.ninth_decile = quantile(errors, 0.9);
    constant.within = share(within, boards.size());
    constant.covered = share(covered, boards.size());
    scores.constants.push_back(constant);
  }
  for (const auto& board : boards) {
    all += std::all_of(board.errors.begin(), board.errors.begin() + 4,
                       [&](double error) { return error <= options.tolerance; })
               ? 1
               : 0;
  }
  scores.all_within = share(all, boards.size());
  add_times(boards, scores);
  return scores;
}

std::vector<ThermalScores> score_thermal_cases(const ThermalScoreOptions& options) {
  std::vector<ThermalScores> scores;
  for (const bool unmodelled : {false, true}) {
    for (const bool ambient_known : {true, false}) {
      ThermalScoreOptions one = options;
      one.unmodelled = unmodelled;
      one.ambient_known = ambient_known;
      scores.push_back(score_thermal(one));
    }
  }
  return scores;
}

}  // namespace ridgewatt::evaluate
