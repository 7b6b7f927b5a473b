#include "ridgewatt/measure/in_place/power_guard.h"

#include <algorithm>
#include <cmath>

namespace ridgewatt::measure {
namespace {

constexpr double kGross = 1.02;   // times the limit: left after half the time
constexpr double kSilentS = 1;    // without samples nothing is known
constexpr double kRememberS = 2;  // of a mode

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
  const auto above = [&](double window_s, double limit_w) {
    return known_s >= window_s && mean_w(std::max(since_s_, now_s - window_s)) > limit_w;
  };
  return above(average_s_, limit_w_) || above(average_s_ / 2, kGross * limit_w_);
}

}  // namespace ridgewatt::measure
