#include "ridgewatt/thermal/hold.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/numerics/dense.h"
#include "ridgewatt/thermal/thermal_file.h"

namespace ridgewatt::thermal {
namespace {

constexpr double kForever = std::numeric_limits<double>::infinity();

struct Outcome {
  double holds_s = kForever, steady_celsius = kForever, sustained_w = 0, slow_s = 0;
};

// Whether the error of the fitted ambient temperature is that of a thermometer.
bool was_measured(const ThermalFit& fit) {
  constexpr double kMostSd = 1;  // chosen: ThermalFitOptions::ambient_sd_k, as the fit widens it
  return fit.sd(ThermalParam::kAmbient) < kMostSd;
}

// `error_k`: error of a stated ambient temperature.
Outcome outcome(const ThermalFit& fit, const HoldQuestion& question, double trip_celsius,
                double error_k = 0) {
  const double ambient =
      question.ambient_celsius ? *question.ambient_celsius + error_k : fit.ambient_celsius;
  const double fan = question.fan.value_or(fit.fan);
  const ThermalSystem system(fit.model, {question.power_w, ambient, fan});
  ThermalState from{ambient, ambient};
  if (question.from) {
    from = *question.from;
  } else if (const auto rest =
                 ThermalSystem(fit.model, {std::min(fit.idle_w, question.power_w), ambient, fan})
                     .steady()) {
    from = *rest;
  }
  Outcome result;
  result.holds_s = system.time_until(from, trip_celsius).value_or(kForever);
  if (const auto steady = system.steady()) result.steady_celsius = steady->junction_celsius;
  result.sustained_w = sustained_power_w(fit.model, trip_celsius, ambient, fan);
  result.slow_s = system.slow_s();
  return result;
}

// The 5 % and 95 % order statistics. Interpolation would mix finite times with infinity.
Interval middle_90(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto last = static_cast<double>(values.size() - 1);
  return {values[static_cast<std::size_t>(std::floor(0.05 * last))],
          values[static_cast<std::size_t>(std::ceil(0.95 * last))]};
}

void check_question(const HoldQuestion& question) {
  const auto require = [](bool good, const char* name, double value, const char* range) {
    if (!good) throw UsageError(fmt::format("{} is {:g}, but must be {}", name, value, range));
  };
  require(question.power_w >= 0 && question.power_w < 1e5, "power_w", question.power_w,
          "0 to 100 kW");
  const double ambient = question.ambient_celsius.value_or(25), fan = question.fan.value_or(1);
  require(ambient >= -60 && ambient <= 150, "ambient_celsius", ambient, "-60 to 150");
  require(fan >= 0 && fan <= 1, "fan", fan, "0 to 1");
  require(question.draws >= 0 && question.draws <= 100000, "draws", question.draws, "0 to 100000");
}

}  // namespace

HoldAnswer how_long(const ThermalFit& fit, const HoldQuestion& question) {
  check_question(question);
  const auto trip = question.trip_celsius ? question.trip_celsius : fit.trip_celsius;
  if (!trip) {
    throw UsageError("the temperature at which the board throttles is not known", "",
                     "give --trip CELSIUS");
  }
  const Outcome best = outcome(fit, question, *trip);
  HoldAnswer answer;
  answer.power_w = question.power_w;
  answer.ambient_celsius = question.ambient_celsius.value_or(fit.ambient_celsius);
  answer.fan = question.fan.value_or(fit.fan);
  answer.trip_celsius = *trip;
  answer.holds = best.holds_s == kForever;
  if (!answer.holds) answer.holds_s = best.holds_s;
  if (best.steady_celsius != kForever) answer.steady_celsius = best.steady_celsius;
  answer.margin_k = *trip - best.steady_celsius;
  answer.sustained_w = best.sustained_w;
  answer.slow_s = best.slow_s;
  // Draws from the normal distribution of the fit. Uses eigenvalues, because rounding in a file can
  // make the covariance singular.
  Eigen::Matrix<double, kThermalParams, kThermalParams> covariance;
  for (std::size_t r = 0; r < kThermalParams; ++r) {
    for (std::size_t c = 0; c < kThermalParams; ++c) {
      covariance(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)) = fit.covariance[r][c];
    }
  }
  const EigenPairs pairs = symmetric_eigen(covariance);
  const Eigen::MatrixXd root = pairs.vectors * pairs.values.cwiseMax(0).cwiseSqrt().asDiagonal();
  std::vector<double> times = {best.holds_s}, steady = {best.steady_celsius},
                      sustained = {best.sustained_w};
  Random random = Random(question.seed).fork(7);
  std::size_t held = answer.holds ? 1 : 0;
  const bool measured = was_measured(fit);
  for (int draw = 0; draw < question.draws; ++draw) {
    Eigen::VectorXd normal(kThermalParams);
    for (double& value : normal) value = random.normal();
    const double leakage = random.normal() * fit.leakage_sd;
    const Eigen::VectorXd step = root * normal;
    ThermalPoint place = fit.at;
    for (std::size_t i = 0; i < kThermalParams; ++i) place[i] += step[static_cast<Eigen::Index>(i)];
    ThermalFit there = fit.moved(place);
    there.model.leakage_per_k = std::max(0.0, fit.model.leakage_per_k + leakage);
    const double error_k = measured ? there.ambient_celsius - fit.ambient_celsius : 0;
    const Outcome at = outcome(there, question, *trip, error_k);
    times.push_back(at.holds_s);
    steady.push_back(at.steady_celsius);
    sustained.push_back(at.sustained_w);
    held += at.holds_s == kForever ? 1 : 0;
  }
  answer.probability = static_cast<double>(held) / static_cast<double>(times.size());
  answer.holds_interval_s = middle_90(times);
  answer.steady_interval = middle_90(steady);
  answer.sustained_interval_w = middle_90(sustained);
  return answer;
}

std::string hold_time_text(double time_s) {
  if (time_s < 100) return fmt::format("{:.2g} s", std::max(time_s, 0.1));
  if (time_s < 100 * 60) return fmt::format("{:.0f} min", time_s / 60);
  return fmt::format("{:.1f} h", time_s / 3600);
}

HoldAnswer how_long(const ThermalFile& file, const HoldQuestion& question) {
  HoldAnswer answer = how_long(file.fit, question);
  answer.provenance = derived_provenance(file.provenance, Provenance::kModelled);
  return answer;
}

std::string hold_text(const HoldAnswer& answer) {
  if (answer.holds) return "holds";
  if (*answer.holds_s <= 0) return "throttles immediately";
  return "throttles after " + hold_time_text(*answer.holds_s);
}

}  // namespace ridgewatt::thermal
