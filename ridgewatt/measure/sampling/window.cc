#include "ridgewatt/measure/window.h"
#include "ridgewatt/base/contains.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

namespace ridgewatt::measure {
namespace {

constexpr double kRobustDeviations = 3.5;
constexpr double kLeastDeviation = 0.05;
constexpr std::size_t kBatches = 10;

void mark_slow(std::vector<MarkedMinibatch>& minibatches) {
  std::vector<double> times;
  for (const auto& minibatch : minibatches) times.push_back(minibatch.time_s());
  if (times.empty()) return;
  const double middle_s = median(times);
  const double limit_s = std::max(kRobustDeviations * 1.4826 * median_absolute_deviation(times),
                                  kLeastDeviation * middle_s);
  for (auto& minibatch : minibatches) minibatch.slow = minibatch.time_s() > middle_s + limit_s;
}

void exclude(std::vector<MarkedMinibatch>& minibatches, std::span<const Disturbance> disturbances) {
  for (auto& minibatch : minibatches) {
    const auto cause =
        std::find_if(disturbances.begin(), disturbances.end(), [&](const Disturbance& d) {
          return d.begin_s < minibatch.end_s && d.end_s > minibatch.begin_s;
        });
    if (cause != disturbances.end()) minibatch.excluded = cause->cause;
  }
}

constexpr std::array<std::string_view, 3> kNoMinibatch = {"validation", "evaluation", "checkpoint"};

// Excludes each minibatch in which such a phase begins and ends: its time is not that of a step.
void exclude_phases(const std::vector<TimedMark>& marks,
                    std::vector<MarkedMinibatch>& minibatches) {
  if (marks.empty()) return;
  for (const PhaseSpan& phase : phases_of(marks, marks.back().time_s)) {
    const auto& names = kNoMinibatch;
    if (!contains(names, phase.name)) continue;
    const auto after = std::upper_bound(
        minibatches.begin(), minibatches.end(), phase.begin_s,
        [](double time_s, const MarkedMinibatch& one) { return time_s < one.begin_s; });
    if (after == minibatches.begin()) continue;
    MarkedMinibatch& around = *std::prev(after);
    if (phase.end_s <= around.end_s) around.excluded = phase.name;
  }
}

}  // namespace

MinibatchWindow minibatch_window(const std::vector<TimedMark>& marks, const WindowOptions& options,
                                 std::span<const Disturbance> disturbances) {
  MinibatchWindow window;
  auto& all = window.minibatches;
  all = minibatches_of(marks);  // without the first
  const auto warm_up = static_cast<std::size_t>(std::max(options.warm_up, 1) - 1);
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(warm_up, all.size())));
  std::erase_if(all, [&](const auto& minibatch) { return minibatch.begin_s < options.begin_s; });
  exclude(all, disturbances);
  exclude_phases(marks, all);
  int counted = 0;
  for (std::size_t i = 0; options.minibatches > 0 && i < all.size() && !window.complete; ++i) {
    counted += all[i].excluded.empty() ? 1 : 0;
    window.complete =
        counted >= options.minibatches && all[i].end_s - all.front().begin_s >= options.at_least_s;
    if (window.complete) all.resize(i + 1);
  }
  mark_slow(all);
  return window;
}

MeanInterval batch_means_interval(std::span<const double> values) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::size_t count = values.size();
  MeanInterval result{0, -infinity, infinity, static_cast<int>(count)};
  if (count > 0) result.mean = mean(values);
  const std::size_t batches = std::min(kBatches, count / 2);
  if (batches < 2) return result;
  double square = 0;
  for (std::size_t b = 0; b < batches; ++b) {
    const std::size_t begin = b * count / batches, end = (b + 1) * count / batches;
    const auto size = static_cast<double>(end - begin);
    const double off = mean(values.subspan(begin, end - begin)) - result.mean;
    square += size * off * off;  // each batch estimates the same variance, whatever its size
  }
  const auto freedom = static_cast<double>(batches - 1);
  const double half =
      student_quantile(0.975, freedom) * std::sqrt(square / freedom / static_cast<double>(count));
  result.lo = result.mean - half;
  result.hi = result.mean + half;
  return result;
}

}  // namespace ridgewatt::measure
