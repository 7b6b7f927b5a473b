#include <algorithm>
#include <cmath>

#include "ridgewatt/measure/energy.h"

namespace ridgewatt::measure {

double EnergyIntegral::Interval::error_j(double next_step_w) const {
  const double neighbors = ((before_w < 0 ? next_step_w : before_w) + next_step_w) / 4;
  return std::max(std::max(step_w, neighbors) * part_s, range_w * gap_s);
}

void EnergyIntegral::add(double time_s, double power_w) {
  if (!std::isfinite(power_w) || settled()) return;
  if (time_s >= end_s_) ++after_end_;
  const bool step = any_ && time_s - last_s_ < kStepS;
  if (!any_) {
    any_ = true;
    if (begin_s_ == kNone) begin_s_ = time_s;
    held_s_ = std::max(0.0, std::min(time_s, end_s_) - begin_s_);
    energy_j_ = power_w * held_s_;
    low_w_ = high_w_ = power_w;
  } else {
    const double step_w = std::abs(power_w - last_w_);
    if (pending_) error_j_ += newest_.error_j(step_w);
    const double before_w = pending_ ? newest_.step_w : -1;
    low_w_ = std::min(low_w_, power_w);
    high_w_ = std::max(high_w_, power_w);
    const double whole_s = time_s - last_s_;
    const double from_s = std::max(last_s_, begin_s_);
    const double to_s = std::min(time_s, end_s_);
    const double part_s = std::max(0.0, to_s - from_s);
    const double middle_s = (from_s + to_s) / 2;
    const double slope = (power_w - last_w_) / whole_s;
    energy_j_ += (last_w_ + slope * (middle_s - last_s_)) * part_s;
    newest_ = {step_w, before_w, std::min(part_s, whole_s / 2), whole_s > gap_s_ ? part_s : 0,
               high_w_ - low_w_};
    pending_ = true;
  }
  if (time_s >= begin_s_ && time_s <= end_s_ && !step) ++inside_;
  last_s_ = time_s;
  last_w_ = power_w;
}

EnergySum EnergyIntegral::sum() const {
  EnergySum sum{energy_j_, error_j_ + held_s_ * (high_w_ - low_w_)};
  if (pending_) sum.error_j += newest_.error_j(0);
  if (inside_ < 2) sum.error_j = kUnknownBound;
  return sum;
}

EnergySum EnergyIntegral::until(double now_s) const {
  EnergySum sum = this->sum();
  if (!any_) return sum;
  const double held_s = std::max(0.0, std::min(now_s, end_s_) - std::max(last_s_, begin_s_));
  sum.energy_j += last_w_ * held_s;
  sum.error_j += (high_w_ - low_w_) * held_s;
  return sum;
}

}  // namespace ridgewatt::measure
