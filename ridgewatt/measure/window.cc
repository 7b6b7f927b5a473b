#include "ridgewatt/measure/window.h"

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/statistics.h"

namespace ridgewatt {
namespace {

constexpr double kRobustDeviations = 3.5;
constexpr double kLeastDeviation = 0.05;

void mark_outliers(std::vector<MarkedMinibatch>& minibatches) {
  std::vector<double> times;
  for (const auto& minibatch : minibatches) times.push_back(minibatch.time_s());
  if (times.empty()) return;
  const double middle_s = median(times);
  const double limit_s = std::max(kRobustDeviations * 1.4826 * median_absolute_deviation(times),
                                  kLeastDeviation * middle_s);
  for (auto& minibatch : minibatches) {
    minibatch.outlier = std::abs(minibatch.time_s() - middle_s) > limit_s;
  }
}

}  // namespace

MinibatchWindow minibatch_window(const std::vector<TimedMark>& marks,
                                 const WindowOptions& options) {
  MinibatchWindow window;
  auto& all = window.minibatches;
  all = minibatches_of(marks);  // without the first
  const auto warm_up = static_cast<std::size_t>(std::max(options.warm_up, 1) - 1);
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(warm_up, all.size())));
  mark_outliers(all);
  if (options.minibatches == 0) return window;
  int clean = 0;
  for (std::size_t i = 0; i < all.size() && !window.complete; ++i) {
    clean += all[i].outlier ? 0 : 1;
    window.complete =
        clean >= options.minibatches && all[i].end_s - all.front().begin_s >= options.at_least_s;
    if (window.complete) all.resize(i + 1);
  }
  return window;
}

}  // namespace ridgewatt
