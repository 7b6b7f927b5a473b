#include "ridgewatt/schedule/live/measured_times.h"

#include <cmath>

#include "ridgewatt/base/statistics.h"

namespace ridgewatt::schedule::live {
namespace {

constexpr std::size_t kRatiosKept = 41;
constexpr std::size_t kRatiosNeeded = 9;

void keep(std::deque<double>& ratios, double ratio) {
  ratios.push_back(ratio);
  if (ratios.size() > kRatiosKept) ratios.pop_front();
}

}  // namespace

MeasuredTimes::MeasuredTimes(std::size_t programs) : programs_(programs), all_(programs + 1) {}

void MeasuredTimes::add(std::size_t mode, std::size_t who, double planned_s, double measured_s) {
  if (!(planned_s > 0) || !(measured_s > 0)) return;
  keep(ratios_[{mode, who}], measured_s / planned_s);
  keep(all_[who], measured_s / planned_s);
}

std::vector<TimeFactors> MeasuredTimes::in_modes(std::size_t count) const {
  TimeFactors overall;
  overall.inference.assign(programs_, 1);
  const auto set = [&](TimeFactors& factors, std::size_t who, const std::deque<double>& ratios) {
    if (ratios.size() < kRatiosNeeded) return;
    const double factor = median(std::vector<double>(ratios.begin(), ratios.end()));
    (who < programs_ ? factors.inference[who] : factors.training) = factor;
  };
  for (std::size_t who = 0; who <= programs_; ++who) set(overall, who, all_[who]);
  std::vector<TimeFactors> result(count, overall);
  for (const auto& [key, ratios] : ratios_) set(result.at(key.first), key.second, ratios);
  return result;
}

bool differ(std::span<const TimeFactors> a, std::span<const TimeFactors> b, double share) {
  const auto far = [&](double x, double y) { return std::abs(x / y - 1) > share; };
  for (std::size_t m = 0; m < a.size(); ++m) {
    if (far(a[m].training, b[m].training)) return true;
    for (std::size_t p = 0; p < a[m].inference.size(); ++p) {
      if (far(a[m].inference[p], b[m].inference[p])) return true;
    }
  }
  return false;
}

}  // namespace ridgewatt::schedule::live
