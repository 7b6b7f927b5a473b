// Our search: constrained Bayesian optimization on the structured surrogate. Expected improvement
// of the logarithm of the objective times the probability that every limit is kept (Gardner et al.
// 2014). While nothing feasible is known, the best point that is probably feasible. With noisy
// measurements what counts as known is what the surrogate believes in, and a doubtful point is
// measured again when that promises the most.
#include <algorithm>
#include <array>
#include <cmath>

#include "ridgewatt/base/random.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/tune/answer.h"
#include "ridgewatt/tune/search_steps.h"
#include "ridgewatt/tune/strategy.h"

namespace ridgewatt::tune {
namespace {

constexpr double kJitter = 0.1;  // of the start, share of a knob's range
constexpr int kRepeats = 3;      // measurements of one point at most

// The corners that tell the parts of the structure apart, as shares of each knob's range: cores,
// CPU, GPU, memory, batch.
using Shares = std::array<double, SearchSpace::kAxes>;
constexpr std::array<Shares, 4> kDesign = {{
    {0.5, 0.5, 0.5, 0.5, 0.5},
    {0.5, 0.2, 0.9, 0.9, 0.9},
    {0.9, 0.9, 0.3, 0.6, 0.2},
    {0.0, 0.6, 0.7, 0.3, 0.7},
}};
constexpr std::size_t kStartWithReferences = 2;

class AutoSearch {
 public:
  explicit AutoSearch(Search& search)
      : search_(search),
        space_(search.space()),
        learned_(search),
        noisy_(search.options().noise > kNoisy),
        random_(search.options().seed),
        start_(search.prior().has_references() ? kStartWithReferences : kDesign.size()) {}

  void run() {
    for (std::size_t i = 0; i < start_ && search_.seen().size() < start_; ++i) {
      const std::size_t index = point_at(search_, jittered(kDesign[i]));
      if (!search_.tried(index)) search_.profile(index, "start: tells the structure apart");
    }
    while (search_.profiles_left() > 0 && !search_.seen().empty() && step()) {
    }
  }

 private:
  // Moved by a little chance, so that no result depends on one lucky choice.
  Shares jittered(Shares shares) {
    for (double& share : shares) {
      share = std::clamp(share + random_.uniform(-kJitter, kJitter), 0.0, 1.0);
    }
    return shares;
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
    const auto& points = search_.points_seen();
    const auto times = std::count(points.begin(), points.end(), index);
    return noisy_ && times > 0 && times < kRepeats;
  }

  // Profiles one more point; false when none promises enough.
  bool step() {
    judge_beliefs(space_, search_.goal(), learned_.update(), outlook_);
    const auto best = incumbent();
    // Without an answer, the best of the probably feasible points, surer the more attempts failed.
    const double sure = search_.profiles_left() <= 2 ? 2 : 1 - 0.4 * std::pow(0.5, misses_);
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
    if (!next) return false;
    if (best && next_score < search_.options().min_gain) {
      search_.stop_because(StopReason::kNoGain);
      return false;
    }
    search_.profile(*next, search_.tried(*next) ? "measured again: doubtful"
                           : best               ? "largest expected gain"
                                                : "probably within the limits");
    return true;
  }

  Search& search_;
  const SearchSpace& space_;
  SearchBeliefs learned_;
  bool noisy_;
  Random random_;
  std::size_t start_;
  int misses_ = 0;
  Outlook outlook_;
};

}  // namespace

void search_auto(Search& search) {
  AutoSearch(search).run();
}

}  // namespace ridgewatt::tune
