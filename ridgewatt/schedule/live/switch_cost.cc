#include "ridgewatt/schedule/switch_cost.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "ridgewatt/base/statistics.h"

namespace ridgewatt::schedule {
namespace {

constexpr std::size_t kLeastMinibatches = 8;
constexpr std::size_t kMostMinibatches = 400;  // of a sample, since all pairs are compared

struct TwoWays {
  std::vector<double> after_other, after_same;
  std::size_t least() const { return std::min(after_other.size(), after_same.size()); }
};

// At most kMostMinibatches values, evenly spread over the run.
std::vector<double> thinned(const std::vector<double>& values) {
  if (values.size() <= kMostMinibatches) return values;
  std::vector<double> kept;
  for (std::size_t i = 0; i < kMostMinibatches; ++i) {
    kept.push_back(values[i * values.size() / kMostMinibatches]);
  }
  return kept;
}

SwitchCost shift_of(const std::string& worker, const TwoWays& times) {
  const auto other = thinned(times.after_other), same = thinned(times.after_same);
  std::vector<double> differences;
  differences.reserve(other.size() * same.size());
  for (const double x : other) {
    for (const double y : same) differences.push_back(x - y);
  }
  std::sort(differences.begin(), differences.end());
  const auto n = static_cast<double>(other.size()), m = static_cast<double>(same.size());
  const double outside = n * m / 2 - normal_quantile(0.975) * std::sqrt(n * m * (n + m + 1) / 12);
  const auto k = static_cast<std::size_t>(std::max(0.0, std::floor(outside)));
  return {worker,
          median(differences),
          differences[k],
          differences[differences.size() - 1 - k],
          times.after_other.size(),
          times.after_same.size()};
}

}  // namespace

std::vector<SwitchCost> measure_switch_cost(std::span<const GrantRecord> grants) {
  std::map<std::pair<std::string, int>, TwoWays> samples;  // by worker and number of requests
  const GrantRecord* before = nullptr;
  for (const auto& grant : grants) {
    if (grant.outcome != "done") {
      before = nullptr;  // a failed minibatch leaves the device in an unknown state
      continue;
    }
    const double time_s = grant.released_s - grant.granted_s;
    if (before != nullptr) {
      TwoWays& times = samples[{grant.worker, grant.requests}];
      (before->worker == grant.worker ? times.after_same : times.after_other).push_back(time_s);
    }
    before = &grant;
  }
  std::map<std::string, const TwoWays*> best;
  for (const auto& [key, times] : samples) {
    if (times.least() < kLeastMinibatches) continue;
    const TwoWays*& chosen = best[key.first];
    if (chosen == nullptr || times.least() > chosen->least()) chosen = &times;
  }
  std::vector<SwitchCost> result;
  for (const auto& [worker, times] : best) result.push_back(shift_of(worker, *times));
  return result;
}

std::optional<double> mean_switch_s(std::span<const SwitchCost> costs) {
  if (costs.empty()) return std::nullopt;
  double sum_s = 0;
  for (const auto& cost : costs) sum_s += std::max(0.0, cost.switch_s);
  return sum_s / static_cast<double>(costs.size());
}

}  // namespace ridgewatt::schedule
