#include "ridgewatt/thermal/thermal_fit.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "ridgewatt/base/error.h"
#include "ridgewatt/numerics/dense.h"
#include "ridgewatt/numerics/minimize.h"
#include "ridgewatt/numerics/posterior.h"
#include "ridgewatt/thermal/fit/trace_rows.h"

namespace ridgewatt::thermal {
namespace {

constexpr std::array<std::string_view, kThermalParams> kNames = {
    "junction_sink_k_per_w", "junction_j_per_k", "sink_j_per_k",
    "sink_w_per_k",          "still_share",      "ambient_celsius"};

// Wide priors: one deviation is a factor of three, for heat sinks from a Nano's to an AGX's.
struct Prior {
  double mean, sd;
};
const std::array<Prior, kThermalParams> kPriors = {
    Prior{std::log(0.6), 1.0}, Prior{std::log(10.0), 1.2}, Prior{std::log(250.0), 1.2},
    Prior{std::log(0.7), 1.0}, Prior{std::log(0.4), 0.3},  Prior{25, 8}};
// In addition to the constants, the two temperatures at the first row are fitted.
constexpr std::size_t kStarts = 2, kUnknowns = kThermalParams + kStarts;
// K, around the first row and the quasi-steady state.
constexpr double kStartSd = 2, kStartSinkSd = 6;
constexpr double kSensorSd = 0.15;  // K, in addition to rounding
// Rounding errors are not independent noise, and the sum of autocorrelations stops at its first
// zero. Without this factor, 90 % intervals contained the true value in 78 % of 200 simulated
// boards (seed 1). `evaluate thermal` scores other boards.
constexpr double kWiden = 1.35;
constexpr double kLeastRange = 3;  // K; a smaller range does not determine the constants

std::size_t index(ThermalParam param) {
  return static_cast<std::size_t>(param);
}

// `x`: the parameters, optionally followed by other unknowns.
template <typename Point>
ThermalModel model_at(const Point& x, double fan) {
  ThermalModel model;
  model.junction_sink_k_per_w = std::exp(x[0]);
  model.junction_j_per_k = std::exp(x[1]);
  model.sink_j_per_k = std::exp(x[2]);
  const double cooling = std::exp(x[3]), still = std::min(std::exp(x[4]), 1.0);
  // `still` is the share of still air in the conductance at the mean fan speed.
  model.still_w_per_k = cooling;
  model.fan_w_per_k = 1;
  const double speed = model.sink_w_per_k(fan) - cooling;
  model.still_w_per_k = speed > 0 ? cooling * still : cooling;
  model.fan_w_per_k = speed > 0 ? cooling * (1 - still) / speed : 0;
  model.leakage_per_k = 0;  // the recorded power includes leakage
  return model;
}

class Residual {
 public:
  Residual(HeatRows rows, double fan, double step_k, const ThermalFitOptions& options)
      : rows_(std::move(rows)), fan_(fan), priors_(kPriors) {
    sd_k_ = std::sqrt(step_k * step_k / 12 + kSensorSd * kSensorSd);
    if (options.ambient_celsius) {
      priors_[index(ThermalParam::kAmbient)] = {*options.ambient_celsius, options.ambient_sd_k};
    }
  }
  std::size_t size() const { return rows_.size() + kUnknowns; }
  const HeatRows& rows() const { return rows_; }
  double sd_k() const { return sd_k_; }
  void set_weight(double weight) { weight_ = weight; }

  Eigen::VectorXd start() const {
    Eigen::VectorXd x(kUnknowns);
    for (std::size_t i = 0; i < kThermalParams; ++i) x[static_cast<int>(i)] = priors_[i].mean;
    x[kThermalParams] = rows_.front().celsius;
    x[kThermalParams + 1] =
        rows_.front().celsius - rows_.front().power_w * std::exp(priors_[0].mean);
    return x;
  }

  // Modelled minus recorded temperature, in K. `last`: receives the final state.
  void differences(const Eigen::VectorXd& x, Eigen::VectorXd& out, ThermalState* last) const {
    const ThermalModel model = model_at(x, fan_);
    ThermalState state{x[kThermalParams], x[kThermalParams + 1]};
    out.resize(static_cast<Eigen::Index>(rows_.size()));
    out[0] = state.junction_celsius - rows_[0].celsius;
    for (std::size_t i = 1; i < rows_.size(); ++i) {
      const auto& row = rows_[i];
      state = ThermalSystem(model, {row.power_w, x[5], row.fan})
                  .after(state, row.time_s - rows_[i - 1].time_s);
      out[static_cast<Eigen::Index>(i)] = state.junction_celsius - row.celsius;
    }
    if (last != nullptr) *last = state;
  }

  void operator()(const Eigen::VectorXd& x, Eigen::VectorXd& out, Eigen::MatrixXd* jacobian) const {
    values(x, out);
    if (jacobian == nullptr) return;
    jacobian->resize(out.size(), x.size());
    Eigen::VectorXd moved = x, ahead, back;
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      const double h = i < 5 ? 1e-4 : 1e-3;
      moved[i] = x[i] + h;
      values(moved, ahead);
      moved[i] = x[i] - h;
      values(moved, back);
      moved[i] = x[i];
      jacobian->col(i) = (ahead - back) / (2 * h);
    }
  }

 private:
  void values(const Eigen::VectorXd& x, Eigen::VectorXd& out) const {
    Eigen::VectorXd difference;
    differences(x, difference, nullptr);
    const Eigen::Index n = difference.size();
    out.resize(static_cast<Eigen::Index>(size()));
    for (Eigen::Index i = 0; i < n; ++i) out[i] = weight_ * soft_l1(difference[i] / sd_k_);
    for (std::size_t i = 0; i < kThermalParams; ++i) {
      out[n + static_cast<Eigen::Index>(i)] =
          (x[static_cast<int>(i)] - priors_[i].mean) / priors_[i].sd;
    }
    // A board at rest is near its steady state: the sink is P R colder than the junction.
    out[n + 6] = (x[6] - rows_.front().celsius) / kStartSd;
    out[n + 7] = (x[6] - x[7] - rows_.front().power_w * std::exp(x[0])) / kStartSinkSd;
  }

  HeatRows rows_;
  double fan_, sd_k_ = 0.3, weight_ = 1;
  std::array<Prior, kThermalParams> priors_;
};

// 1 + 2 x the sum of the autocorrelations up to the first that is not positive.
double dependence(const Eigen::VectorXd& residuals) {
  const Eigen::Index n = residuals.size();
  const double mean = residuals.mean();
  double variance = 0;
  for (Eigen::Index i = 0; i < n; ++i) variance += std::pow(residuals[i] - mean, 2);
  if (variance <= 0) return 1;
  double sum = 1;
  for (Eigen::Index lag = 1; lag < n / 4; ++lag) {
    double product = 0;
    for (Eigen::Index i = lag; i < n; ++i) {
      product += (residuals[i] - mean) * (residuals[i - lag] - mean);
    }
    if (product <= 0) break;
    sum += 2 * product / variance;
  }
  return sum;
}

// Weight of a row. Lower if residuals exceed the sensor's error or depend on each other.
double row_weight(const Eigen::VectorXd& differences, double sd_k) {
  double sum = 0;
  for (const double difference : differences) sum += std::pow(soft_l1(difference / sd_k), 2);
  const double scale = std::max(0.25, sum / static_cast<double>(differences.size()));
  return 1 / std::sqrt(scale * dependence(differences));
}

void require_informative(const HeatTrace& trace, const ThermalFit& fit) {
  if (trace.rows.size() < 10)
    throw UsageError("the trace has fewer than ten rows", "", "record longer");
  if (fit.hottest_celsius - fit.coldest_celsius < kLeastRange) {
    throw UsageError(
        fmt::format(
            "the temperature of the trace changes by only {:.2g} K, which is too little for a fit",
            fit.hottest_celsius - fit.coldest_celsius),
        "", "record the board at rest and then under load");
  }
}

}  // namespace

std::string_view thermal_param_name(ThermalParam param) {
  return kNames[index(param)];
}

void ThermalFitOptions::check() const {
  if (ambient_celsius && !(*ambient_celsius >= -60 && *ambient_celsius <= 100)) {
    throw UsageError(
        fmt::format("ambient_celsius is {:g}, but must be -60 to 100", *ambient_celsius));
  }
  if (!(ambient_sd_k > 0 && ambient_sd_k < 100)) {
    throw UsageError(
        fmt::format("ambient_sd_k is {:g}, but must be above 0 and below 100", ambient_sd_k));
  }
  if (most_rows < 100) throw UsageError("most_rows must be 100 or more", "");
}

double ThermalFit::sd(ThermalParam param) const {
  return std::sqrt(std::max(0.0, covariance[index(param)][index(param)]));
}

double ThermalFit::value(ThermalParam param) const {
  const double x = at[index(param)];
  return param == ThermalParam::kAmbient ? x : std::exp(x);
}

Interval ThermalFit::interval(ThermalParam param) const {
  const double x = at[index(param)], half = kNormal95 * sd(param);
  if (param == ThermalParam::kAmbient) return {x - half, x + half};
  return {std::exp(x - half), std::exp(x + half)};
}

ThermalFit ThermalFit::moved(const ThermalPoint& to) const {
  ThermalFit other = *this;
  other.at = to;
  other.model = model_at(to, fan);
  other.model.leakage_per_k = model.leakage_per_k;
  other.ambient_celsius = to[5];
  return other;
}

ThermalFit fit_thermal(const HeatTrace& trace, const ThermalFitOptions& options) {
  options.check();
  ThermalFit fit;
  fit.rows = trace.rows.size();
  fit.duration_s = trace.duration_s();
  if (!trace.rows.empty()) {
    const auto by_heat = [](const auto& a, const auto& b) { return a.celsius < b.celsius; };
    const auto [coldest, hottest] =
        std::minmax_element(trace.rows.begin(), trace.rows.end(), by_heat);
    fit.coldest_celsius = coldest->celsius;
    fit.hottest_celsius = hottest->celsius;
  }
  require_informative(trace, fit);
  const auto rows = thinned_rows(trace, options.most_rows);
  fit.fan = mean_fan(rows);
  fit.fan_varied = std::any_of(rows.begin(), rows.end(),
                               [&](const auto& row) { return std::abs(row.fan - fit.fan) > 0.05; });
  fit.idle_w = least_mean_power_w(rows);
  fit.step_k = rounding_step_k(rows);
  Residual residual(rows, fit.fan, fit.step_k, options);
  Eigen::VectorXd x = residual.start(), differences;
  SquaresReport report;
  Eigen::MatrixXd jacobian;
  for (int pass = 0; pass < 3; ++pass) {
    report =
        minimize_squares(std::ref(residual), x, {.max_iterations = 60, .relative_tolerance = 1e-6});
    residual.differences(x, differences, &fit.last);
    residual.set_weight(row_weight(differences, residual.sd_k()));
  }
  Eigen::VectorXd values;
  residual(x, values, &jacobian);
  const Eigen::MatrixXd information = jacobian.transpose() * jacobian;
  const Eigen::MatrixXd covariance = symmetric_inverse(information);
  for (std::size_t r = 0; r < kThermalParams; ++r) {
    const auto row = static_cast<Eigen::Index>(r);
    fit.at[r] = x[row];
    for (std::size_t c = 0; c < kThermalParams; ++c) {
      fit.covariance[r][c] = kWiden * kWiden * covariance(row, static_cast<Eigen::Index>(c));
    }
  }
  fit.model = model_at(x, fit.fan);
  fit.ambient_celsius = x[5];
  fit.rmse_k = std::sqrt(differences.squaredNorm() / static_cast<double>(differences.size()));
  fit.converged = report.converged;
  const Leakage leakage = fit_leakage(rows);
  fit.model.leakage_per_k = leakage.per_k;
  fit.leakage_sd = leakage.sd;
  return fit;
}

}  // namespace ridgewatt::thermal
