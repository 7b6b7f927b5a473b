// Our search: constrained Bayesian optimization on the structured surrogate. Expected improvement
// of the logarithm of the objective times the probability that every limit is kept (Gardner et al.
// 2014). While nothing feasible is known, the best point that is probably feasible. With noisy
// measurements what counts as known is what the surrogate believes in, and a doubtful point is
// measured again when that promises the most.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "ridgewatt/base/random.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/tune/answer.h"
#include "ridgewatt/tune/strategy.h"

namespace ridgewatt {
namespace {

constexpr double kJitter = 0.1;  // of the start, share of a knob's range
constexpr int kRepeats = 3;      // measurements of one point at most

// The corners that tell the parts of the structure apart, as shares of each knob's range: cores,
// CPU, GPU, memory, batch.
constexpr std::array<std::array<double, SearchSpace::kAxes>, 4> kDesign = {{
    {0.5, 0.5, 0.5, 0.5, 0.5},
    {0.5, 0.2, 0.9, 0.9, 0.9},
    {0.9, 0.9, 0.3, 0.6, 0.2},
    {0.0, 0.6, 0.7, 0.3, 0.7},
}};
constexpr std::size_t kStartWithReferences = 2;

// Moved by a little chance, so that no result hangs on one lucky choice.
std::size_t design_point(const SearchSpace& space,
                         const std::array<double, SearchSpace::kAxes>& share, Random& random) {
  SearchSpace::Position position{};
  for (std::size_t axis = 0; axis < SearchSpace::kAxes; ++axis) {
    const auto last = static_cast<double>(std::max<std::size_t>(space.levels(axis).size(), 1) - 1);
    const double moved = std::clamp(share[axis] + random.uniform(-kJitter, kJitter), 0.0, 1.0);
    position[axis] = static_cast<int>(std::lround(moved * last));
  }
  return *space.nearest(position);
}

class AutoSearch {
 public:
  AutoSearch(Search& search, const SurrogatePrior& prior, double noise, double min_gain,
             std::uint64_t seed)
      : search_(search),
        space_(search.space()),
        surrogate_(prior, noise),
        noisy_(noise > kNoisy),
        min_gain_(min_gain),
        random_(seed),
        start_(prior.has_references() ? kStartWithReferences : kDesign.size()) {}

  void run() {
    learn();
    for (std::size_t i = 0; i < start_ && surrogate_.observations() < start_; ++i) {
      const std::size_t index = design_point(space_, kDesign[i], random_);
      if (!search_.tried(index)) profile(index, "start: tells the structure apart");
    }
    while (search_.left() > 0 && surrogate_.observations() > 0 && step()) {
    }
  }

 private:
  void profile(std::size_t index, const char* reason) {
    search_.profile(index, reason);
    learn();
  }

  // Hands what is new in the search to the surrogate.
  void learn() {
    for (; learnt_ < search_.seen().size(); ++learnt_) {
      const auto& seen = search_.seen()[learnt_];
      const std::size_t index = *space_.find(seen.point);
      surrogate_.observe(index, seen.time_s, seen.power_w);
      ++measured_[index];
    }
  }

  void look() {
    surrogate_.predict(beliefs_);
    judge_beliefs(space_, search_.goal(), beliefs_, outlook_);
  }

  // Logarithm of the objective to beat; nothing while no answer is known.
  std::optional<double> incumbent() const {
    if (!noisy_) {
      const auto best = search_.best();
      if (!best) return std::nullopt;
      return std::log(objective_value(search_.goal(), *best));
    }
    const auto best = trusted_best(space_, search_.goal(), outlook_, search_.seen(), kTrust);
    if (!best) return std::nullopt;
    return outlook_.objective_mean[*space_.find(best->point)];
  }

  bool may_try(std::size_t index) const {
    if (!search_.tried(index)) return true;
    const auto found = measured_.find(index);
    return noisy_ && found != measured_.end() && found->second < kRepeats;
  }

  // Profiles one more point; false when none promises enough.
  bool step() {
    look();
    const auto best = incumbent();
    // Without an answer, the best of the probably feasible points, surer the more attempts failed.
    const double sure = search_.left() <= 2 ? 2 : 1 - 0.4 * std::pow(0.5, misses_);
    misses_ += !best;
    std::optional<std::size_t> next;
    double next_score = -Limits::kNone;
    for (std::size_t i = 0; i < space_.size(); ++i) {
      if (!may_try(i)) continue;
      double score = outlook_.feasible[i];
      if (best) {
        score *= expected_improvement(outlook_.objective_mean[i], outlook_.objective_sd[i], *best);
      } else {
        score = score < sure ? score - 1e6 : -outlook_.objective_mean[i];
      }
      if (score > next_score) next_score = score, next = i;
    }
    if (!next || (best && next_score < min_gain_)) return false;
    profile(*next, search_.tried(*next) ? "measured again: doubtful"
                   : best               ? "largest expected gain"
                                        : "probably within the limits");
    return true;
  }

  Search& search_;
  const SearchSpace& space_;
  Surrogate surrogate_;
  bool noisy_;
  double min_gain_;
  Random random_;
  std::size_t start_;
  std::size_t learnt_ = 0;
  int misses_ = 0;
  std::map<std::size_t, int> measured_;  // times, by point
  Beliefs beliefs_;
  Outlook outlook_;
};

}  // namespace

void search_auto(Search& search, const SurrogatePrior& prior, double noise, double min_gain,
                 std::uint64_t seed) {
  AutoSearch(search, prior, noise, min_gain, seed).run();
}

}  // namespace ridgewatt
