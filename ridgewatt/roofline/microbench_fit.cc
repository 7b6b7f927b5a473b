#include "ridgewatt/roofline/microbench_fit.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <map>

#include "ridgewatt/base/check_option.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/numerics/dense.h"

namespace ridgewatt::roofline {
namespace {

constexpr std::size_t kFewestPoints = 6;
constexpr int kReweightings = 30;

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, 3>;

// Least squares with three non-negative unknowns: tries all eight ways to hold some of them at
// zero, and takes the best one without negative values (Lawson and Hanson's optimum, by exhaustive
// search).
Eigen::Vector3d non_negative_least_squares(const Matrix& a, const Eigen::VectorXd& b) {
  Eigen::Vector3d best = Eigen::Vector3d::Zero();
  double best_error = b.squaredNorm();
  for (unsigned active = 1; active < 8; ++active) {
    std::vector<int> columns;
    for (int c = 0; c < 3; ++c) {
      if ((active >> c & 1U) != 0) columns.push_back(c);
    }
    Eigen::MatrixXd part(a.rows(), static_cast<Eigen::Index>(columns.size()));
    for (std::size_t c = 0; c < columns.size(); ++c) {
      part.col(static_cast<Eigen::Index>(c)) = a.col(columns[c]);
    }
    const Eigen::VectorXd x = least_squares(part, b).x;
    if ((x.array() < 0).any()) continue;
    const double error = (part * x - b).squaredNorm();
    if (error >= best_error) continue;
    best_error = error;
    best.setZero();
    for (std::size_t c = 0; c < columns.size(); ++c)
      best[columns[c]] = x[static_cast<Eigen::Index>(c)];
  }
  return best;
}

double robust_scale(const Eigen::VectorXd& residuals, double degrees) {
  std::vector<double> absolute;
  for (const double r : residuals) absolute.push_back(std::abs(r));
  const double n = static_cast<double>(absolute.size());
  return std::max(1.4826 * median(absolute) * n / std::max(1.0, n - degrees), 1e-9);
}

// M-estimation. Huber's weights converge from any start. Then Tukey's biweight excludes outliers
// completely, since faults are one-sided (slower, less power) and would bias the estimate.
constexpr double kHuber = 1.345;
constexpr double kBiweight = 4.685;  // both 95 % efficient on normal errors

double weight_of(double z, bool redescend) {
  if (!redescend) return std::abs(z) <= kHuber ? 1 : kHuber / std::abs(z);
  const double share = z / kBiweight;
  return std::abs(share) >= 1 ? 0 : (1 - share * share) * (1 - share * share);
}

// The factor by which the estimate's variance exceeds scale^2 (X'X)^-1: mean psi^2 / mean psi'^2.
double variance_factor(const std::vector<double>& z, double degrees) {
  double psi2 = 0;
  double slope = 0;
  for (const double value : z) {
    const double share2 = std::min(1.0, value * value / (kBiweight * kBiweight));
    psi2 += std::pow(value * (1 - share2) * (1 - share2), 2);
    slope += (1 - share2) * (1 - 5 * share2);
  }
  const double n = static_cast<double>(z.size());
  const double mean_slope = std::max(slope / n, 0.1);
  const double few = 1 + 3 * degrees / n;  // scale and weights are also estimated from few points
  return few * few * psi2 / std::max(1.0, n - degrees) / (mean_slope * mean_slope);
}

struct EnergyFit {
  Eigen::Vector3d value = Eigen::Vector3d::Zero();  // eps_f, eps_m, pi0
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();
  Eigen::VectorXd residuals;  // relative
  double scale = 0;
};

// Robust fit of 1 = W/E eps_f + Q/E eps_m + T/E pi0. `trust` weighs each point by the residual of
// its time.
EnergyFit fit_energy(std::span<const MicrobenchPoint> points, const Eigen::VectorXd& trust) {
  const auto n = static_cast<Eigen::Index>(points.size());
  Matrix a(n, 3);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto& p = points[static_cast<std::size_t>(i)];
    const double energy = p.time_s * p.power_w.value();
    a.row(i) << p.work_flop / energy, p.traffic_bytes / energy, p.time_s / energy;
  }
  // Scales the columns to similar size: joules per FLOP are 1e-11, watts 1e1.
  const Eigen::Vector3d norm = a.colwise().norm().cwiseMax(1e-300);
  const Matrix scaled = a * norm.cwiseInverse().asDiagonal();
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(n);
  Eigen::VectorXd weights = trust;
  EnergyFit fit;
  Eigen::Vector3d x;
  std::vector<double> z(points.size());
  for (int round = 0; round < kReweightings; ++round) {
    const Eigen::VectorXd root = weights.cwiseSqrt();
    x = non_negative_least_squares(root.asDiagonal() * scaled, root);
    fit.residuals = ones - scaled * x;
    fit.scale = robust_scale(fit.residuals, 3);
    for (Eigen::Index i = 0; i < n; ++i) {
      z[static_cast<std::size_t>(i)] = fit.residuals[i] / fit.scale;
      weights[i] = trust[i] * weight_of(z[static_cast<std::size_t>(i)], 2 * round >= kReweightings);
    }
  }
  const double variance = fit.scale * fit.scale * variance_factor(z, 3);
  const Eigen::Matrix3d inverse = pseudo_inverse(scaled.transpose() * trust.asDiagonal() * scaled);
  const Eigen::DiagonalMatrix<double, 3> unscale(norm.cwiseInverse());
  fit.value = unscale * x;
  fit.covariance = unscale * inverse * unscale * variance;
  return fit;
}

struct RobustMean {
  double value = 0;
  double sd = 0;     // of the mean, relative
  double scale = 0;  // of one point, relative
};

// Robust mean of the logarithms, like the fit above.
RobustMean robust_mean(const std::vector<double>& values) {
  std::vector<double> logs;
  for (const double v : values) logs.push_back(std::log(v));
  double center = median(logs);
  const double n = static_cast<double>(logs.size());
  const double scale = std::max(median_absolute_deviation(logs) * n / std::max(1.0, n - 1), 1e-9);
  std::vector<double> z(logs.size());
  for (int round = 0; round < kReweightings; ++round) {
    double sum = 0;
    double total = 0;
    for (std::size_t i = 0; i < logs.size(); ++i) {
      z[i] = (logs[i] - center) / scale;
      const double weight = weight_of(z[i], true);
      sum += weight * logs[i];
      total += weight;
    }
    if (total > 0) center = sum / total;
  }
  return {std::exp(center), scale * std::sqrt(variance_factor(z, 1) / n), scale};
}

constexpr double kRidgeMargin = 1.15;  // chosen: noise decides nearer to the ridge

struct Sides {
  std::size_t compute = 0, memory = 0;
};
Sides points_by_side(std::span<const MicrobenchPoint> points, const MeasuredRoof& ceilings) {
  const double ridge =
      ceilings.find(RoofQuantity::kFp32)->value / ceilings.find(RoofQuantity::kBandwidth)->value;
  Sides sides;
  for (const auto& point : points) {
    sides.compute += point.intensity() > ridge * kRidgeMargin ? 1 : 0;
    sides.memory += point.intensity() < ridge / kRidgeMargin ? 1 : 0;
  }
  return sides;
}

struct Peaks {
  RobustMean flop_per_s;
  RobustMean bytes_per_s;
};

// A point belongs to the roof that explains its time. Points near the ridge belong to neither,
// since noise decides there.
Peaks fit_peaks(std::span<const MicrobenchPoint> points) {
  std::vector<double> flop_rates;
  std::vector<double> byte_rates;
  for (const auto& p : points) {
    flop_rates.push_back(p.work_flop / p.time_s);
    byte_rates.push_back(p.traffic_bytes / p.time_s);
  }
  double peak = quantile(flop_rates, 0.9);
  double bandwidth = quantile(byte_rates, 0.9);
  Peaks peaks;
  for (int round = 0; round < 10; ++round) {
    std::vector<double> compute;
    std::vector<double> memory;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double ratio = points[i].intensity() * bandwidth / peak;  // over the ridge
      if (ratio > kRidgeMargin) compute.push_back(flop_rates[i]);
      if (ratio < 1 / kRidgeMargin) memory.push_back(byte_rates[i]);
    }
    if (compute.size() < 2 || memory.size() < 2) {
      throw UsageError(
          "a roofline needs at least 2 microbenchmark points on each side of its ridge point",
          fmt::format("{} are compute bound, {} memory bound", compute.size(), memory.size()),
          "sweep the intensity from 1/16 to 512 FLOP/byte");
    }
    peaks = {robust_mean(compute), robust_mean(memory)};
    peak = peaks.flop_per_s.value;
    bandwidth = peaks.bytes_per_s.value;
  }
  return peaks;
}

// Logarithm of the measured time divided by the time at the roofs.
Eigen::VectorXd time_residuals(std::span<const MicrobenchPoint> points, const Peaks& peaks) {
  Eigen::VectorXd residuals(static_cast<Eigen::Index>(points.size()));
  for (std::size_t i = 0; i < points.size(); ++i) {
    residuals[static_cast<Eigen::Index>(i)] =
        std::log(points[i].time_s / std::max(points[i].work_flop / peaks.flop_per_s.value,
                                             points[i].traffic_bytes / peaks.bytes_per_s.value));
  }
  return residuals;
}

double time_scale(const Peaks& peaks) {
  return std::max({peaks.flop_per_s.scale, peaks.bytes_per_s.scale, 1e-3});
}

FittedValue relative_interval(const RobustMean& mean, double z) {
  return {mean.value, mean.value * std::exp(-z * mean.sd), mean.value * std::exp(z * mean.sd)};
}

FittedValue interval(double value, double variance, double z) {
  const double half = z * std::sqrt(std::max(variance, 0.0));
  return {value, std::max(0.0, value - half), value + half};
}

// eta B_eps / B_tau = eps_m tau_f / (eps^ tau_m) with eps^ = eps_f + pi0 tau_f, by propagation.
FittedValue race_to_halt(const EnergyRoofline& r, const EnergyFit& energy, const Peaks& peaks,
                         double z) {
  const double value = r.race_to_halt_ratio();
  if (value <= 0) {
    const double high = r.bandwidth_bytes_per_s / r.peak_flop_per_s *
                        (r.energy_per_byte_j + z * std::sqrt(energy.covariance(1, 1))) /
                        r.energy_per_flop_with_static_j();
    return {0, 0, high};
  }
  const double with_static = r.energy_per_flop_with_static_j();
  const double static_share = r.static_power_w * r.time_per_flop_s() / with_static;
  const Eigen::Vector3d gradient(-1 / with_static, 1 / r.energy_per_byte_j,
                                 -r.time_per_flop_s() / with_static);
  const double variance = gradient.dot(energy.covariance * gradient) +
                          std::pow((1 - static_share) * peaks.flop_per_s.sd, 2) +
                          std::pow(peaks.bytes_per_s.sd, 2);
  const double spread = z * std::sqrt(variance);
  return {value, value * std::exp(-spread), value * std::exp(spread)};
}

}  // namespace

void MicrobenchFitOptions::check() const {
  require_option(confidence > 0 && confidence < 1, "MicrobenchFitOptions::confidence", confidence,
                 "between 0 and 1");
  require_option(outlier_sigmas > 0, "MicrobenchFitOptions::outlier_sigmas", outlier_sigmas,
                 "positive");
}

namespace {

void check_points(std::span<const MicrobenchPoint> points) {
  for (const auto& p : points) {
    if (!std::isfinite(p.work_flop + p.traffic_bytes + p.time_s + p.power_w.value_or(0)) ||
        !(p.time_s > 0)) {
      throw InputError("a microbenchmark point is not finite");
    }
  }
}

// Returns the points to which roofline and energy are fitted. Throws UsageError if they are too few
// and no other kernels measure the roofs.
std::vector<MicrobenchPoint> sweep_of(std::span<const MicrobenchPoint> all) {
  std::vector<MicrobenchPoint> points;
  bool peak = false, triad = false;
  for (const auto& point : all) {
    if (point.streams()) points.push_back(point);
    peak = peak || point.kernel == MicrobenchKernel::kFmaFp32;
    triad = triad || point.kernel == MicrobenchKernel::kTriad;
  }
  if (points.size() < kFewestPoints && !(peak && triad)) {
    throw UsageError(fmt::format("{} cannot determine a roofline",
                                 counted(points.size(), "microbenchmark point")),
                     "", fmt::format("measure at least {} intensities", kFewestPoints));
  }
  return points;
}

FittedValue fitted_of(const MeasuredValue& measured) {
  return {measured.value, measured.lo, measured.hi};
}
MeasuredValue measured_of(const FittedValue& fitted) {
  return {fitted.value, fitted.lo, fitted.hi};
}

// A fit that has only the roofs. It is the result if the sweep is too short to fit.
MicrobenchFit roofs_alone(std::span<const MicrobenchPoint> points, MeasuredRoof ceilings) {
  MicrobenchFit fit;
  fit.mode = points.front().mode;
  fit.peak_flop_per_s = fitted_of(*ceilings.find(RoofQuantity::kFp32));
  fit.bandwidth_bytes_per_s = fitted_of(*ceilings.find(RoofQuantity::kBandwidth));
  fit.roofline.peak_flop_per_s = fit.peak_flop_per_s.value;
  fit.roofline.bandwidth_bytes_per_s = fit.bandwidth_bytes_per_s.value;
  fit.ceilings = std::move(ceilings);
  return fit;
}

// Finds outliers in time, or in energy if measured, and the mean errors of the other points.
void judge_points(const Eigen::VectorXd& time_error, double time_scale, const EnergyFit* energy,
                  double sigmas, MicrobenchFit& fit) {
  double kept = 0;
  for (Eigen::Index i = 0; i < time_error.size(); ++i) {
    const bool strange =
        energy != nullptr && std::abs(energy->residuals[i]) > sigmas * energy->scale;
    if (strange || std::abs(time_error[i]) > sigmas * time_scale) {
      fit.outliers.push_back(static_cast<std::size_t>(i));
      continue;
    }
    kept += 1;
    fit.time_mape += std::abs(std::expm1(-time_error[i]));
    if (energy != nullptr) fit.energy->mape += std::abs(energy->residuals[i]);
  }
  fit.time_mape /= std::max(kept, 1.0);
  if (energy != nullptr) fit.energy->mape /= std::max(kept, 1.0);
}

void set_energy(const EnergyFit& energy, const Peaks& peaks, double z, MicrobenchFit& fit) {
  fit.roofline.energy_per_flop_j = energy.value[0];
  fit.roofline.energy_per_byte_j = energy.value[1];
  fit.roofline.static_power_w = energy.value[2];
  MicrobenchEnergy& fitted = fit.energy.emplace();
  fitted.energy_per_flop_j = interval(energy.value[0], energy.covariance(0, 0), z);
  fitted.energy_per_byte_j = interval(energy.value[1], energy.covariance(1, 1), z);
  fitted.static_power_w = interval(energy.value[2], energy.covariance(2, 2), z);
  if (energy.value[0] > 0) {
    fitted.race_to_halt_ratio = race_to_halt(fit.roofline, energy, peaks, z);
  } else {
    fit.notices.emplace_back("the fitted energy per FLOP is zero: the points do not determine it");
    fitted.race_to_halt_ratio = {0, 0, std::numeric_limits<double>::infinity()};
  }
  if (energy.value[1] <= 0) fit.notices.emplace_back("the fitted energy per byte is zero");
  if (energy.value[2] <= 0) fit.notices.emplace_back("the fitted static power is zero");
  auto& quantities = fit.ceilings.quantities;
  quantities[RoofQuantity::kEnergyPerFlop] = measured_of(fitted.energy_per_flop_j);
  quantities[RoofQuantity::kEnergyPerByte] = measured_of(fitted.energy_per_byte_j);
  quantities[RoofQuantity::kStaticPower] = measured_of(fitted.static_power_w);
}

}  // namespace

MicrobenchFit fit_microbench(std::span<const MicrobenchPoint> all,
                             const MicrobenchFitOptions& options) {
  options.check();
  check_points(all);
  const std::vector<MicrobenchPoint> points = sweep_of(all);
  MicrobenchFit fit = roofs_alone(all, measured_ceilings(all, options));
  const auto sides = points_by_side(points, fit.ceilings);
  if (points.size() < kFewestPoints || sides.compute < 2 || sides.memory < 2) {
    fit.notices.emplace_back(fmt::format(
        "only roofs were fitted: {} compute bound and {} memory bound points are too few to fit "
        "energies",
        sides.compute, sides.memory));
    return fit;
  }
  const double z =
      student_quantile(0.5 + options.confidence / 2, static_cast<double>(points.size()) - 3);
  const Peaks peaks = fit_peaks(points);
  fit.points = points.size();
  fit.peak_flop_per_s = relative_interval(peaks.flop_per_s, z);
  fit.bandwidth_bytes_per_s = relative_interval(peaks.bytes_per_s, z);
  fit.roofline.peak_flop_per_s = peaks.flop_per_s.value;
  fit.roofline.bandwidth_bytes_per_s = peaks.bytes_per_s.value;
  const Eigen::VectorXd time_error = time_residuals(points, peaks);
  const auto powered = std::count_if(points.begin(), points.end(),
                                     [](const auto& p) { return p.power_w.has_value(); });
  if (powered < std::ssize(points)) {
    fit.notices.emplace_back(
        powered == 0 ? "only roofs of time were fitted, because no power was measured"
                     : "only roofs of time were fitted, because some points have no power");
    judge_points(time_error, time_scale(peaks), nullptr, options.outlier_sigmas, fit);
    return fit;
  }
  const EnergyFit energy = fit_energy(points, time_error.unaryExpr([&](double error) {
    return weight_of(error / time_scale(peaks), true);
  }));
  set_energy(energy, peaks, z, fit);
  judge_points(time_error, time_scale(peaks), &energy, options.outlier_sigmas, fit);
  return fit;
}

std::vector<MicrobenchFit> fit_microbench_modes(std::span<const MicrobenchPoint> points,
                                                const MicrobenchFitOptions& options) {
  std::map<PowerMode, std::vector<MicrobenchPoint>> by_mode;
  for (const auto& point : points) by_mode[point.mode].push_back(point);
  std::vector<MicrobenchFit> fits;
  for (const auto& [mode, of_mode] : by_mode) fits.push_back(fit_microbench(of_mode, options));
  return fits;
}

}  // namespace ridgewatt::roofline
