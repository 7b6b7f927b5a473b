#include "ridgewatt/thermal/thermal_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ridgewatt/base/error.h"

namespace ridgewatt::thermal {
namespace {

constexpr double kConvectionExponent = 0.8;
constexpr double kLongestS = 1e8;  // years: longer counts as never

// The integral of exp(rate s) over s from 0 to time.
double exponential_integral(double rate, double time_s) {
  return std::abs(rate * time_s) < 1e-12 ? time_s : std::expm1(rate * time_s) / rate;
}

// The root of an increasing function with f(lo) < 0 <= f(hi), to double precision.
template <typename Function>
double bisect(const Function& f, double lo, double hi) {
  for (int i = 0; i < 200 && hi - lo > 1e-12 * hi; ++i) {
    const double middle = 0.5 * (lo + hi);
    (f(middle) < 0 ? lo : hi) = middle;
  }
  return hi;
}

}  // namespace

void ThermalModel::check() const {
  const auto require = [](const char* name, double value, double least, double most) {
    if (value >= least && value <= most) return;
    throw UsageError(fmt::format("{} of the thermal model is {:g}, but must be {:g} to {:g}", name,
                                 value, least, most));
  };
  require("junction_sink_k_per_w", junction_sink_k_per_w, 1e-4, 1e3);
  require("junction_j_per_k", junction_j_per_k, 1e-4, 1e5);
  require("sink_j_per_k", sink_j_per_k, 1e-3, 1e7);
  require("still_w_per_k", still_w_per_k, 1e-5, 1e4);
  require("fan_w_per_k", fan_w_per_k, 0, 1e4);
  require("leakage_per_k", leakage_per_k, 0, 0.1);
}

double ThermalModel::sink_w_per_k(double fan) const {
  return still_w_per_k + fan_w_per_k * std::pow(std::clamp(fan, 0.0, 1.0), kConvectionExponent);
}

ThermalSystem::ThermalSystem(const ThermalModel& model, const HeatFlow& flow) {
  const double path_w_per_k = 1 / model.junction_sink_k_per_w;
  const double sink_w_per_k = model.sink_w_per_k(flow.fan);
  const double leakage_w_per_k = flow.power_w * model.leakage_per_k;
  a11_ = (leakage_w_per_k - path_w_per_k) / model.junction_j_per_k;
  a12_ = path_w_per_k / model.junction_j_per_k;
  a21_ = path_w_per_k / model.sink_j_per_k;
  a22_ = -(path_w_per_k + sink_w_per_k) / model.sink_j_per_k;
  b1_ = (flow.power_w - leakage_w_per_k * kPowerCelsius) / model.junction_j_per_k;
  b2_ = sink_w_per_k * flow.ambient_celsius / model.sink_j_per_k;
  // Both eigenvalues are real: a12 a21 > 0.
  const double middle = 0.5 * (a11_ + a22_), half = 0.5 * (a11_ - a22_);
  const double root = std::sqrt(half * half + a12_ * a21_);
  fast_ = middle - root;
  // The product is the determinant: avoids cancellation.
  slow_ = (a11_ * a22_ - a12_ * a21_) / fast_;
  if (fast_ >= 0) slow_ = middle + root;
}

// f(A) = f(slow) (A - fast I) / (slow - fast) + f(fast) (A - slow I) / (fast - slow).
ThermalState ThermalSystem::after(const ThermalState& from, double time_s) const {
  const double gap = slow_ - fast_;
  // x' at the start. The change of x is the integral of exp(A s), applied to x'.
  const double v1 = a11_ * from.junction_celsius + a12_ * from.sink_celsius + b1_;
  const double v2 = a21_ * from.junction_celsius + a22_ * from.sink_celsius + b2_;
  const double av1 = a11_ * v1 + a12_ * v2, av2 = a21_ * v1 + a22_ * v2;
  const double slow = exponential_integral(slow_, time_s) / gap;
  const double fast = exponential_integral(fast_, time_s) / gap;
  return {from.junction_celsius + slow * (av1 - fast_ * v1) - fast * (av1 - slow_ * v1),
          from.sink_celsius + slow * (av2 - fast_ * v2) - fast * (av2 - slow_ * v2)};
}

std::optional<ThermalState> ThermalSystem::steady() const {
  if (!(slow_ < 0)) return std::nullopt;
  const double determinant = slow_ * fast_;
  return ThermalState{(a12_ * b2_ - a22_ * b1_) / determinant,
                      (a21_ * b1_ - a11_ * b2_) / determinant};
}

double ThermalSystem::slow_s() const {
  return slow_ < 0 ? -1 / slow_ : std::numeric_limits<double>::infinity();
}

double ThermalSystem::slope(const ThermalState& at) const {
  return a11_ * at.junction_celsius + a12_ * at.sink_celsius + b1_;
}

// The slope of the junction is the sum of two exponentials, so it changes its sign at most once. If
// it does, the time is split into two parts in each of which the temperature is monotonic.
std::optional<double> ThermalSystem::time_until(const ThermalState& from, double celsius) const {
  if (from.junction_celsius >= celsius) return 0;
  const auto missing = [&](double time_s) {
    return after(from, time_s).junction_celsius - celsius;
  };
  const double gap = slow_ - fast_;
  const double v1 = slope(from);
  const double v2 = a21_ * from.junction_celsius + a22_ * from.sink_celsius + b2_;
  const double av1 = a11_ * v1 + a12_ * v2;
  // slope(t) = (av1 - fast v1) / gap exp(slow t) - (av1 - slow v1) / gap exp(fast t)
  const double of_slow = av1 - fast_ * v1, of_fast = av1 - slow_ * v1;
  const double ratio = of_slow == 0 ? -1 : of_fast / of_slow;
  const double turn_s = ratio > 1 ? std::log(ratio) / gap : 0;
  if (v1 > 0 && turn_s > 0) {  // rises to its maximum, then falls
    if (missing(turn_s) < 0) return std::nullopt;
    return bisect(missing, 0, turn_s);
  }
  if (of_slow <= 0) return std::nullopt;  // falls in the end
  double hi_s = turn_s + std::max(1 / std::abs(fast_), 1e-6);
  while (missing(hi_s) < 0) {
    if (hi_s > kLongestS) return std::nullopt;
    hi_s = turn_s + 2 * (hi_s - turn_s);
  }
  return bisect(missing, turn_s, hi_s);
}

double leakage_factor(const ThermalModel& model, double junction_celsius) {
  return std::max(0.0, 1 + model.leakage_per_k * (junction_celsius - kPowerCelsius));
}

double sustained_power_w(const ThermalModel& model, double celsius, double ambient_celsius,
                         double fan) {
  const double resistance_k_per_w = model.junction_sink_k_per_w + 1 / model.sink_w_per_k(fan);
  const double heat_w = std::max(0.0, (celsius - ambient_celsius) / resistance_k_per_w);
  return heat_w / std::max(leakage_factor(model, celsius), 1e-6);
}

void Throttle::look(double junction_celsius, double power_w, double time_s) {
  const bool hot = rules_.trip_celsius && junction_celsius >= *rules_.trip_celsius;
  const bool cool =
      !rules_.trip_celsius || junction_celsius < *rules_.trip_celsius - rules_.hysteresis_k;
  const bool over = rules_.power_limit_w && power_w > *rules_.power_limit_w;
  // A step changes the power by some percent. The margin keeps a step up from exceeding the limit
  // again.
  const bool under = !rules_.power_limit_w || power_w < 0.9 * *rules_.power_limit_w;
  waited_s_ += time_s;
  while (waited_s_ >= rules_.step_s) {
    waited_s_ -= rules_.step_s;
    if (hot) heat_steps_ = std::min(heat_steps_ + 1, rules_.most_steps);
    if (cool) heat_steps_ = std::max(heat_steps_ - 1, 0);
    if (over) current_steps_ = std::min(current_steps_ + 1, rules_.most_steps), ++events_;
    if (under) current_steps_ = std::max(current_steps_ - 1, 0);
  }
}

}  // namespace ridgewatt::thermal
