// The default search: constrained Bayesian optimization on the structured surrogate. It maximizes
// the expected improvement of the logarithm of the objective times the probability that every limit
// is met (Gardner et al. 2014). Before a feasible point is known, it profiles the best point that
// is probably feasible. With noisy measurements, the surrogate's estimate at a point replaces the
// measurement, and an uncertain point is measured again if that promises the most.
//
// With several boards, the next point is chosen while others are in flight, by the improvement
// expected after their results are in (Ginsbourger et al. 2010, Snoek et al. 2012).
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "ridgewatt/base/random.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/tune/answer.h"
#include "ridgewatt/tune/search_steps.h"
#include "ridgewatt/tune/strategy.h"

namespace ridgewatt::tune {
namespace {

constexpr double kJitter = 0.1;  // random shift of a start point, share of a knob's range
constexpr int kRepeats = 3;      // maximum number of measurements of one point

// Start points that separate the parts of the structure, as shares of each knob's range: cores,
// CPU, GPU, memory, batch.
using Shares = std::array<double, SearchSpace::kAxes>;
constexpr std::array<Shares, 4> kDesign = {{
    {0.5, 0.5, 0.5, 0.5, 0.5},
    {0.5, 0.2, 0.9, 0.9, 0.9},
    {0.9, 0.9, 0.3, 0.6, 0.2},
    {0.0, 0.6, 0.7, 0.3, 0.7},
}};
constexpr std::size_t kStartWithReferences = 2;
// Start points do not search for the answer, so a budget gets one start point per this number.
constexpr int kProfilesPerStart = 7;
constexpr int kWorlds = 16;  // number of outcomes drawn for the points in flight

// Van der Corput sequence.
double radical_inverse(std::size_t n, std::size_t base) {
  double value = 0, digit = 1.0 / static_cast<double>(base);
  for (; n > 0; n /= base, digit /= static_cast<double>(base)) {
    value += static_cast<double>(n % base) * digit;
  }
  return value;
}

std::size_t start_of(Search& search) {
  const std::size_t most = search.prior().has_references() ? kStartWithReferences : kDesign.size();
  return std::clamp<std::size_t>(search.profiles_left() / kProfilesPerStart, 1, most);
}

class AutoSearch {
 public:
  explicit AutoSearch(Search& search)
      : search_(search),
        space_(search.space()),
        learned_(search),
        noisy_(search.options().noise > kNoisy),
        random_(search.options().seed),
        in_flight_random_(Random(search.options().seed).fork(1)),
        start_(start_of(search)) {}

  void run() {
    do {
      while (search_.can_start() && start_one()) {
      }
    } while (search_.collect());
    if (search_.seen().empty()) return;
    judge_beliefs(space_, search_.goal(), learned_.update(), outlook_);
    if (const auto best = answer()) search_.set_near_best(near_best(*best));
  }

 private:
  double near_best(const Observation& answer) const {
    return learned_.near_best(outlook_, answer, kNearBest);
  }

  // Shifts the shares at random, so that no result depends on one lucky choice.
  Shares jittered(Shares shares) {
    for (double& share : shares) {
      share = std::clamp(share + random_.uniform(-kJitter, kJitter), 0.0, 1.0);
    }
    return shares;
  }

  bool start_one() {
    if (const auto index = start_point()) {
      search_.start(*index, "start: separates the effects of the knobs");
      return true;
    }
    return !search_.seen().empty() && step();
  }

  // The next start point. Boards that would wait for the first result get points that fill the
  // space.
  std::optional<std::size_t> start_point() {
    const std::size_t known = search_.seen().size();
    while (design_ < start_ && known + search_.in_flight().size() < start_) {
      const std::size_t index = point_at(search_, jittered(kDesign[design_++]));
      if (search_.untried(index)) return index;
    }
    while (known == 0 && search_.boards() > 1 && filling_ < 10 * search_.boards()) {
      const std::size_t index = on_expected_front(++filling_);
      if (search_.untried(index)) return index;
    }
    return std::nullopt;
  }

  // Point `n` of a sequence that fills the expected fronts of time and power, by batch and power.
  // Used before the first result, since the answer lies on the true front.
  std::size_t on_expected_front(std::size_t n) {
    const auto& time = search_.prior().expected_time();
    const auto& power = search_.prior().expected_power();
    const int batch_level =
        static_cast<int>(radical_inverse(n, 3) * (space_.last_level(SearchSpace::kBatchAxis) + 1));
    std::vector<std::size_t> front;
    for (std::size_t i = 0; i < space_.size(); ++i) {
      if (space_.position(i)[SearchSpace::kBatchAxis] == batch_level) front.push_back(i);
    }
    std::sort(front.begin(), front.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(power[a], time[a]) < std::pair(power[b], time[b]);
    });
    float least = std::numeric_limits<float>::infinity();
    std::erase_if(front, [&](std::size_t i) {
      return time[i] >= std::exchange(least, std::min(least, time[i]));
    });
    const double wanted =
        power[front.front()] + radical_inverse(n, 2) * (power[front.back()] - power[front.front()]);
    return *std::min_element(front.begin(), front.end(), [&](std::size_t a, std::size_t b) {
      return std::abs(power[a] - wanted) < std::abs(power[b] - wanted);
    });
  }

  // The answer from the results so far.
  std::optional<Observation> answer() const {
    if (!noisy_) return search_.best();
    return trusted_best(space_, search_.goal(), outlook_, search_.seen(), kTrust);
  }
  // Logarithm of the objective that a new point must improve on.
  double incumbent(const Observation& answer) const {
    if (noisy_) return outlook_.objective_mean[*space_.find(answer.point)];
    return std::log(objective_value(search_.goal(), answer));
  }

  // Cost of a profile relative to the cost of the job at the current answer.
  double cost_of_profile(std::size_t index, const std::optional<Observation>& answer) const {
    const double job_samples = search_.options().job_samples;
    if (!(job_samples > 0) || !answer) return 0;
    const Beliefs& beliefs = learned_.get();
    const bool energy = search_.goal().objective == Objective::kEnergy;
    const double profile =
        std::exp(beliefs.time_mean[index] + (energy ? beliefs.power_mean[index] : 0));
    const double minibatches = job_samples / std::max(answer->point.batch, 1);
    const double job = minibatches * (energy ? answer->energy_j() : answer->time_s);
    return search_.options().budget.minibatches * profile / job;
  }

  bool may_try(std::size_t index) const {
    if (search_.allowed()[index] == 0) return false;
    if (!search_.tried(index)) return true;
    const auto& flying = search_.in_flight();
    if (std::count(flying.begin(), flying.end(), index) > 0) return false;
    const auto& points = search_.points_seen();
    const auto times = std::count(points.begin(), points.end(), index);
    return noisy_ && times > 0 && times < kRepeats;
  }

  // Possible outcomes of the points in flight. Each outcome has its own means and its own objective
  // to improve on.
  struct World {
    Beliefs beliefs;
    std::optional<double> best;
  };
  std::vector<World> worlds(const Beliefs& beliefs, std::optional<double> best) {
    if (beliefs.awaited.empty()) return {};
    const InFlightRule rule = search_.options().in_flight;
    std::vector<World> drawn(rule == InFlightRule::kDrawn ? kWorlds : 1);
    for (World& world : drawn) {
      world = {beliefs, best};
      for (const auto& awaited : beliefs.awaited) settle(awaited, rule, world);
    }
    return drawn;
  }

  void settle(const AwaitedBelief& awaited, InFlightRule rule, World& world) {
    double time_z = 0, power_z = 0;
    Beliefs& beliefs = world.beliefs;
    if (rule == InFlightRule::kDrawn) {
      time_z = in_flight_random_.normal();
      power_z = in_flight_random_.normal();
    } else if (rule == InFlightRule::kAverage) {
      double time = 0, power = 0;
      const auto& seen = search_.seen();
      for (const auto& one : seen) time += std::log(one.time_s), power += std::log(one.power_w);
      const auto count = static_cast<double>(seen.size());
      time_z = (time / count - beliefs.time_mean[awaited.index]) / awaited.time_sd;
      power_z = (power / count - beliefs.power_mean[awaited.index]) / awaited.power_sd;
    }
    for (std::size_t i = 0; i < space_.size(); ++i) {
      beliefs.time_mean[i] += static_cast<float>(time_z) * awaited.time_row[i];
      beliefs.power_mean[i] += static_cast<float>(power_z) * awaited.power_row[i];
    }
    if (noisy_ || !world.best) return;
    const auto value = believed_answer(beliefs, awaited.index);
    if (value) world.best = std::min(*world.best, *value);
  }

  // Without an answer: the objective of the best point in flight that is predicted to be feasible.
  std::optional<double> awaited_answer(const Beliefs& beliefs) const {
    std::optional<double> best;
    for (const auto& awaited : beliefs.awaited) {
      if (const auto value = believed_answer(beliefs, awaited.index)) {
        best = std::min(best.value_or(*value), *value);
      }
    }
    return best;
  }
  // The logarithm of the objective of a point if its predicted means meet the limits.
  std::optional<double> believed_answer(const Beliefs& beliefs, std::size_t index) const {
    const Observation believed{space_[index], std::exp(beliefs.time_mean[index]),
                               std::exp(beliefs.power_mean[index])};
    if (judge(search_.goal(), believed).feasibility != Feasibility::kFeasible) return std::nullopt;
    return std::log(objective_value(search_.goal(), believed));
  }

  // Adds the expected improvement of every point, times the probability that it meets the limits.
  void score(const Beliefs& beliefs, double best, double weight) {
    judge_beliefs(space_, search_.goal(), beliefs, outlook_);
    for (std::size_t i = 0; i < space_.size(); ++i) {
      scores_[i] +=
          weight * outlook_.feasible[i] *
          expected_improvement(outlook_.objective_mean[i], outlook_.objective_sd[i], best);
    }
  }

  // Without an answer: the best of the probably feasible points. The required probability grows
  // with each failed attempt.
  void score_without_answer() {
    const double sure = search_.profiles_left() <= 2 ? 2 : 1 - 0.4 * std::pow(0.5, misses_);
    ++misses_;
    for (std::size_t i = 0; i < space_.size(); ++i) {
      scores_[i] =
          outlook_.feasible[i] < sure ? outlook_.feasible[i] - 1e6 : -outlook_.objective_mean[i];
    }
  }

  // Starts one more point. Returns false if no point promises enough.
  bool step() {
    const Beliefs& beliefs = learned_.update();
    search_.expect_times(beliefs.time_mean);
    judge_beliefs(space_, search_.goal(), beliefs, outlook_);
    const auto known = answer();
    const double enough = search_.options().near_best;
    if (known && enough < 1 && !search_.withholds() && near_best(*known) >= enough) {
      search_.stop_because(StopReason::kNearBest);
      return false;
    }
    std::optional<double> best;
    if (known) best = incumbent(*known);
    if (!best && !noisy_ && search_.profiles_left() > 2) best = awaited_answer(beliefs);
    scores_.assign(space_.size(), 0);
    if (!best) {
      score_without_answer();
    } else if (const auto drawn = worlds(beliefs, best); drawn.empty()) {
      score(beliefs, *best, 1);
    } else {
      for (const World& world : drawn) {
        score(world.beliefs, *world.best, 1.0 / static_cast<double>(drawn.size()));
      }
    }
    std::optional<std::size_t> next;
    double next_score = -Limits::kNone;
    for (std::size_t i = 0; i < space_.size(); ++i) {
      if (scores_[i] > next_score && may_try(i)) next_score = scores_[i], next = i;
    }
    if (!next) return false;
    if (best && next_score < std::max(search_.options().min_gain, cost_of_profile(*next, known))) {
      search_.stop_because(StopReason::kNoGain);
      return false;
    }
    search_.start(*next, search_.tried(*next) ? "measured again: doubtful"
                         : best               ? "largest expected gain"
                                              : "probably within the limits");
    return true;
  }

  Search& search_;
  const SearchSpace& space_;
  SearchBeliefs learned_;
  bool noisy_;
  Random random_, in_flight_random_;
  std::size_t start_, design_ = 0, filling_ = 0;
  int misses_ = 0;
  Outlook outlook_;
  std::vector<double> scores_;
};

}  // namespace

void search_auto(Search& search) {
  AutoSearch(search).run();
}

}  // namespace ridgewatt::tune
