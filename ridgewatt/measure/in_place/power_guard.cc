#include "ridgewatt/measure/in_place/power_guard.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace ridgewatt::measure {
namespace {

// Multiples of the limit, and the share of average_s over which the mean power must stay below.
constexpr double kAbove[][2] = {{1, 1}, {1.02, 0.5}, {1.04, 0.2}};
constexpr double kFarAboveLimit = 1.08;  // multiple of the limit at which one sample is enough
constexpr double kSilentS = 1;           // longer gaps between samples count only for this time
constexpr double kRememberS = 2;         // shortest history of samples

}  // namespace

double PowerGuard::mean_w(double since_s) const {
  double sum_w = 0;
  int count = 0;
  for (auto at = recent_.rbegin(); at != recent_.rend() && at->time_s > since_s; ++at) {
    sum_w += at->power_w;
    ++count;
  }
  return count > 0 ? sum_w / count : 0;
}

void PowerGuard::add(const TimedPower& sample) {
  const double step_s =
      recent_.empty() ? 0 : std::min(sample.time_s - recent_.back().time_s, kSilentS);
  recent_.push_back(sample);
  while (recent_.size() > 2 &&
         recent_[1].time_s < sample.time_s - std::max(average_s_, kRememberS)) {
    recent_.pop_front();
  }
  if (!std::isfinite(limit_w_)) return;
  const double mean = mean_w(sample.time_s - average_s_);
  if (mean <= limit_w_) {
    current_s_ = 0;
    return;
  }
  over_s_ += step_s;
  current_s_ += step_s;
  longest_s_ = std::max(longest_s_, current_s_);
  worst_excess_ = std::max(worst_excess_, mean / limit_w_ - 1);
}

bool PowerGuard::over() const {
  if (!std::isfinite(limit_w_) || recent_.empty()) return false;
  const double now_s = recent_.back().time_s;
  const double known_s = now_s - since_s_;
  if (known_s > 0 && recent_.back().power_w > kFarAboveLimit * limit_w_) return true;
  return std::any_of(std::begin(kAbove), std::end(kAbove), [&](const double(&above)[2]) {
    const double window_s = above[1] * average_s_;
    return known_s >= window_s &&
           mean_w(std::max(since_s_, now_s - window_s)) > above[0] * limit_w_;
  });
}

}  // namespace ridgewatt::measure
