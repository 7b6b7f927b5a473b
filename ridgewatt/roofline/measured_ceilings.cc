// Determines the ceilings of a power mode from its microbenchmark points.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/roofline/microbench_fit.h"

namespace ridgewatt::roofline {
namespace {

using Kernel = MicrobenchKernel;

// Scatter of a point's fastest repetition between runs, if no point was repeated. Chosen.
constexpr double kUnrepeatedScatter = 0.02;
constexpr double kLeastScatter = 1e-4;  // chosen: resolution of timers
// Rates within this number of scatters of the highest may be equal to it.
constexpr double kNear = 4;
constexpr double kOtherRoof = 0.87;  // share of a roof below which something else limits a point

// The logarithm of a point's rate, and the work of the point.
struct LogRate {
  double value = 0;
  std::pair<double, double> work;  // FLOP and bytes: equal for repeated points
  Kernel kernel = Kernel::kIntensity;
  auto key() const { return std::pair(kernel, work); }
};

struct Scatter {
  double sd = kUnrepeatedScatter;
  double degrees = 30;  // degrees of freedom; by default, the scatter counts as known
};

// Scatter of one point between runs, from the differences of repeated points. Robust: the median of
// |a - b| is 0.954 deviations for normal a and b.
Scatter scatter_of(const std::vector<LogRate>& rates) {
  std::map<std::pair<Kernel, std::pair<double, double>>, std::vector<double>> groups;
  for (const auto& rate : rates) groups[rate.key()].push_back(rate.value);
  std::vector<double> differences;
  double degrees = 0;
  for (const auto& [key, values] : groups) {
    degrees += static_cast<double>(values.size()) - 1;
    for (std::size_t i = 0; i < values.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) differences.push_back(std::abs(values[i] - values[j]));
    }
  }
  if (differences.empty()) return {};
  constexpr double kNormalMedian = 0.9539;
  // The median of differences is about half as precise as the mean of squares.
  return {std::max(median(differences) / kNormalMedian, kLeastScatter), std::max(1.0, degrees / 2)};
}

// The highest rate. Its interval is that of the mean of all rates that may be equal to it.
std::optional<MeasuredValue> highest(const std::vector<LogRate>& rates, double confidence) {
  if (rates.empty()) return std::nullopt;
  const Scatter scatter = scatter_of(rates);
  const double top = std::max_element(rates.begin(), rates.end(), [](const auto& a, const auto& b) {
                       return a.value < b.value;
                     })->value;
  double sum = 0, count = 0;
  for (const auto& rate : rates) {
    if (rate.value < top - kNear * scatter.sd) continue;
    sum += rate.value;
    count += 1;
  }
  const double half =
      student_quantile(0.5 + confidence / 2, scatter.degrees) * scatter.sd / std::sqrt(count);
  return MeasuredValue{std::exp(top), std::exp(sum / count - half),
                       std::exp(std::max(top, sum / count + half))};
}

std::vector<LogRate> rates_of(std::span<const MicrobenchPoint> points,
                              const std::function<double(const MicrobenchPoint&)>& amount) {
  std::vector<LogRate> rates;
  for (const auto& p : points) {
    const double rate = amount(p) / p.time_s;
    if (rate > 0) rates.push_back({std::log(rate), {p.work_flop, p.traffic_bytes}, p.kernel});
  }
  return rates;
}

// Work of the kernels of one precision.
auto work_of(Kernel kernel) {
  return [kernel](const MicrobenchPoint& p) { return p.kernel == kernel ? p.work_flop : 0; };
}

double fp32_work(const MicrobenchPoint& p) {
  return p.kernel == Kernel::kFmaFp32 || p.kernel == Kernel::kIntensity ? p.work_flop : 0;
}

double traffic(const MicrobenchPoint& p) {
  return p.streams() ? p.traffic_bytes : 0;
}

// Peak and bandwidth need their own kernels, or an intensity sweep with a point near one roof and
// well below the other.
void require_both_roofs(std::span<const MicrobenchPoint> points, double peak, double bandwidth) {
  bool computes = false, moves = false;
  for (const auto& p : points) {
    if (p.kernel == Kernel::kFmaFp32) computes = true;
    if (p.kernel == Kernel::kTriad) moves = true;
    if (p.kernel != Kernel::kIntensity) continue;
    const double of_peak = p.work_flop / p.time_s / peak;
    const double of_bandwidth = p.traffic_bytes / p.time_s / bandwidth;
    if (of_peak > kOtherRoof && of_bandwidth < kOtherRoof) computes = true;
    if (of_bandwidth > kOtherRoof && of_peak < kOtherRoof) moves = true;
  }
  if (computes && moves) return;
  throw UsageError("the microbenchmark points lie on one side of the ridge point of the roofline",
                   computes ? "all are compute bound" : "all are memory bound",
                   "sweep the intensity from 1/16 to 512 FLOP/byte");
}

void add_powers(std::span<const MicrobenchPoint> points, MeasuredRoof& roof) {
  double idle = 0, busy = 0;
  for (const auto& p : points) {
    if (p.kernel == Kernel::kIdle) idle = p.power_w.value_or(0);
    if (p.kernel != Kernel::kIdle) busy = std::max(busy, p.power_w.value_or(0));
  }
  // Each is a single reading, so its interval is unknown.
  if (idle > 0) roof.quantities[RoofQuantity::kIdlePower] = {idle, idle, idle};
  if (busy > 0) roof.quantities[RoofQuantity::kBusyPower] = {busy, busy, busy};
}

}  // namespace

MeasuredRoof measured_ceilings(std::span<const MicrobenchPoint> points,
                               const MicrobenchFitOptions& options) {
  options.check();
  MeasuredRoof roof;
  if (points.empty()) throw UsageError("the fit of a roofline needs microbenchmark points");
  roof.mode = points.front().mode;
  const auto add = [&](RoofQuantity quantity,
                       const std::function<double(const MicrobenchPoint&)>& amount) {
    if (const auto value = highest(rates_of(points, amount), options.confidence)) {
      roof.quantities[quantity] = *value;
    }
  };
  add(RoofQuantity::kFp32, fp32_work);
  add(RoofQuantity::kFp64, work_of(Kernel::kFmaFp64));
  add(RoofQuantity::kFp16, work_of(Kernel::kFmaFp16));
  add(RoofQuantity::kTensorFp16, work_of(Kernel::kTensorFp16));
  add(RoofQuantity::kBandwidth, traffic);
  const auto* peak = roof.find(RoofQuantity::kFp32);
  const auto* bandwidth = roof.find(RoofQuantity::kBandwidth);
  if (peak == nullptr || bandwidth == nullptr) {
    throw UsageError("the microbenchmark points do not determine a roof",
                     peak == nullptr ? "none computes in FP32" : "none has memory traffic",
                     "measure the kernels fma_fp32 and triad, or a sweep of intensity");
  }
  require_both_roofs(points, peak->value, bandwidth->value);
  // Launches per second, the inverse of the time of one launch.
  const auto launches = highest(
      rates_of(points,
               [](const MicrobenchPoint& p) { return p.kernel == Kernel::kLaunch ? 1.0 : 0.0; }),
      options.confidence);
  if (launches) {
    roof.quantities[RoofQuantity::kLaunch] = {1 / launches->value, 1 / launches->hi,
                                              1 / launches->lo};
  }
  add_powers(points, roof);
  return roof;
}

}  // namespace ridgewatt::roofline
