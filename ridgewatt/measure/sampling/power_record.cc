#include "ridgewatt/measure/sampling/power_record.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ridgewatt/measure/power_trace.h"

namespace ridgewatt::measure {
namespace {

// Merges two samples without changing their energy. Momentary powers are averaged at the middle
// time. Means since the previous sample (at `before_s`) are weighted by their durations.
PowerSample joined(const PowerSample& first, const PowerSample& second, double before_s,
                   bool means) {
  PowerSample both;
  both.time_s = means ? second.time_s : (first.time_s + second.time_s) / 2;
  double share = 0.5;  // weight of the first sample
  if (means) {
    const bool known = std::isfinite(before_s);
    share = known ? (first.time_s - before_s) / (second.time_s - before_s) : 0;
  }
  for (std::size_t c = 0; c < both.power_w.size(); ++c) {
    const double a = first.power_w[c], b = second.power_w[c];
    if (std::isfinite(a) && std::isfinite(b))
      both.power_w[c] = share * a + (1 - share) * b;
    else
      both.power_w[c] = std::isfinite(a) ? a : b;
  }
  return both;
}

// Merges pairs of neighbors. With an odd number, the last sample stays.
void halve(std::vector<PowerSample>& samples, double before_s, bool means) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i + 1 < samples.size(); i += 2) {
    const double second_s = samples[i + 1].time_s;
    samples[kept++] = joined(samples[i], samples[i + 1], before_s, means);
    before_s = second_s;
  }
  if (samples.size() % 2 == 1) samples[kept++] = samples.back();
  samples.resize(kept);
}

void append_between(const std::vector<PowerSample>& samples, double begin_s, double end_s,
                    std::vector<PowerSample>& found) {
  const auto earlier = [](const PowerSample& sample, double time_s) {
    return sample.time_s < time_s;
  };
  constexpr std::ptrdiff_t kFurther = 2;
  auto first = std::lower_bound(samples.begin(), samples.end(), begin_s, earlier);
  auto last = std::lower_bound(first, samples.end(), end_s, earlier);
  first -= std::min(kFurther, first - samples.begin());
  last += std::min(kFurther, samples.end() - last);
  found.insert(found.end(), first, last);
}

}  // namespace

void PowerRecord::settle() {
  if (means_) {
    if (settled_ == 0 && old_.empty() && !new_.empty()) settled_ = 1;
    const auto unsettled = new_.begin() + static_cast<std::ptrdiff_t>(settled_);
    new_.erase(std::remove_if(unsettled, new_.end(),
                              [&](const auto& sample) { return !has_value(sample, channels_); }),
               new_.end());
    settled_ = new_.size();
  }
  while (new_.size() >= options_.most_new) {
    const auto half = new_.begin() + static_cast<std::ptrdiff_t>(options_.most_new / 2);
    std::vector<PowerSample> older(new_.begin(), half);
    new_.erase(new_.begin(), half);
    settled_ = new_.size();
    make_old(std::move(older));
  }
}

void PowerRecord::make_old(std::vector<PowerSample> samples) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t size = 1; size < group_; size *= 2) {
    halve(samples, old_.empty() ? none : old_.back().time_s, means_);
  }
  old_.insert(old_.end(), samples.begin(), samples.end());
  while (old_.size() > options_.most_old) {
    halve(old_, none, means_);
    group_ *= 2;
  }
}

std::vector<PowerSample> PowerRecord::between(double begin_s, double end_s) const {
  std::vector<PowerSample> found;
  const bool all_new = !new_.empty() && new_.front().time_s < begin_s;
  if (!all_new) append_between(old_, begin_s, end_s, found);
  append_between(new_, begin_s, end_s, found);
  return found;
}

std::vector<PowerSample> PowerRecord::all() const {
  std::vector<PowerSample> samples = old_;
  samples.insert(samples.end(), new_.begin(), new_.end());
  return samples;
}

}  // namespace ridgewatt::measure
