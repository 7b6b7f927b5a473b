#include "ridgewatt/tune/answer.h"

#include "ridgewatt/predict/predictor.h"

namespace ridgewatt::tune {
namespace {

constexpr double kLastResort = 0.6;  // sufficient probability if no point reaches kTrust

}  // namespace

std::optional<Observation> trusted_best(const SearchSpace& space, const Goal& goal,
                                        const Outlook& outlook, std::span<const Observation> seen,
                                        double probability) {
  std::optional<Observation> best;
  double least = Limits::kNone;
  for (const auto& mean : predict::mean_by_point(seen)) {
    const std::size_t index = *space.find(mean.point);
    if (outlook.feasible[index] < probability || outlook.objective_mean[index] >= least) continue;
    if (judge(goal, mean).feasibility != Feasibility::kFeasible) continue;
    least = outlook.objective_mean[index];
    best = mean;
  }
  return best;
}

NoisyAnswers::NoisyAnswers(const SearchSpace& space, const SurrogatePrior& prior, double noise,
                           std::span<const Observation> seen)
    : space_(space), seen_(seen) {
  if (seen.empty()) return;
  Surrogate surrogate(prior, noise);
  for (const auto& one : seen) surrogate.observe(*space.find(one.point), one.time_s, one.power_w);
  surrogate.predict(beliefs_);
}

std::optional<Observation> NoisyAnswers::answer(const Goal& goal) const {
  if (seen_.empty()) return std::nullopt;
  Outlook outlook;
  judge_beliefs(space_, goal, beliefs_, outlook);
  const auto trusted = trusted_best(space_, goal, outlook, seen_, kTrust);
  return trusted ? trusted : trusted_best(space_, goal, outlook, seen_, kLastResort);
}

}  // namespace ridgewatt::tune
