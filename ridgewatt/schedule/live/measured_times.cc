#include "ridgewatt/schedule/live/measured_times.h"

#include <algorithm>
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

std::optional<double> MeasuredTimes::factor(const std::deque<double>& ratios) const {
  if (ratios.size() < kRatiosNeeded) return std::nullopt;
  return median(std::vector<double>(ratios.begin(), ratios.end()));
}

TimeFactors MeasuredTimes::factors(std::optional<std::size_t> mode) const {
  TimeFactors result;
  for (std::size_t who = 0; who <= programs_; ++who) {
    std::optional<double> found;
    if (mode) {
      const auto known = ratios_.find({*mode, who});
      if (known != ratios_.end()) found = factor(known->second);
    }
    if (!found) found = factor(all_[who]);
    if (who < programs_) {
      result.inference.push_back(found.value_or(1));
    } else {
      result.training = found.value_or(1);
    }
  }
  return result;
}

TimeFactors MeasuredTimes::in_mode(std::size_t mode) const {
  return factors(mode);
}

TimeFactors MeasuredTimes::overall() const {
  return factors(std::nullopt);
}

bool differ(const TimeFactors& a, const TimeFactors& b, double share) {
  const auto far = [&](double x, double y) { return std::abs(x / y - 1) > share; };
  for (std::size_t p = 0; p < a.inference.size(); ++p) {
    if (far(a.inference[p], b.inference[p])) return true;
  }
  return far(a.training, b.training);
}

}  // namespace ridgewatt::schedule::live
