#include "ridgewatt/schedule/interference.h"

#include <algorithm>
#include <map>
#include <vector>

namespace ridgewatt::schedule {
namespace {

// A program must run together with the other one for at least this share of its time. Below it, the
// noise of the times would look like interference.
constexpr double kLeastTogether = 0.5;

// Time for which grant `i` overlapped with grants of other workers. `grants` is sorted by start.
double together_s(const std::vector<const GrantRecord*>& grants, std::size_t i) {
  const GrantRecord& own = *grants[i];
  double sum_s = 0;
  const auto add = [&](const GrantRecord& other) {
    if (other.worker == own.worker) return;
    const double from_s = std::max(own.granted_s, other.granted_s);
    sum_s += std::max(0.0, std::min(own.released_s, other.released_s) - from_s);
  };
  for (std::size_t j = i + 1; j < grants.size() && grants[j]->granted_s < own.released_s; ++j) {
    add(*grants[j]);
  }
  // Each program runs one minibatch at a time, so of the earlier minibatches of the other program
  // only its last one can overlap with this one.
  for (std::size_t j = i; j-- > 0;) {
    if (grants[j]->worker == own.worker) continue;
    add(*grants[j]);
    break;
  }
  return sum_s;
}

}  // namespace

std::optional<Interference> measure_interference(std::span<const GrantRecord> grants,
                                                 double shared_from_s) {
  struct Sums {
    double alone_s = 0, alone = 0, shared_s = 0, shared = 0, together_s = 0;
  };
  std::map<std::string, Sums> sums;
  std::vector<const GrantRecord*> shared;
  for (const auto& grant : grants) {
    if (grant.outcome != "done") continue;
    if (grant.granted_s >= shared_from_s) shared.push_back(&grant);
    if (grant.released_s > shared_from_s) continue;
    sums[grant.worker].alone_s += grant.released_s - grant.granted_s;
    sums[grant.worker].alone += 1;
  }
  std::sort(shared.begin(), shared.end(),
            [](const auto* a, const auto* b) { return a->granted_s < b->granted_s; });
  for (std::size_t i = 0; i < shared.size(); ++i) {
    Sums& own = sums[shared[i]->worker];
    own.shared_s += shared[i]->released_s - shared[i]->granted_s;
    own.shared += 1;
    own.together_s += together_s(shared, i);
  }
  if (sums.size() != 2) return std::nullopt;
  Interference result;
  double speeds = 0;
  std::size_t at = 0;
  for (const auto& [name, s] : sums) {
    if (s.alone <= 0 || s.shared <= 0) return std::nullopt;
    if (s.together_s < kLeastTogether * s.shared_s) return std::nullopt;
    const double alone_s = s.alone_s / s.alone;
    const double done_s = alone_s * s.shared - (s.shared_s - s.together_s);
    result.programs[at++] = {name, alone_s, s.shared_s / s.shared, done_s / s.together_s};
    speeds += done_s / s.together_s;
  }
  if (!(speeds > 0)) return std::nullopt;
  result.factor = 1 / speeds;
  return result;
}

}  // namespace ridgewatt::schedule
