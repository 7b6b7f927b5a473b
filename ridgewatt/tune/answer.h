// Chooses the answer of a search from its measurements. Exact measurements are used directly. With
// noisy measurements, the point with the best measured values often violates a limit in reality.
// The answer is then the best point according to a model of all measurements.
#pragma once

#include <optional>
#include <span>

#include "ridgewatt/tune/acquisition.h"

namespace ridgewatt::tune {

// Measurements with a relative standard deviation up to this count as exact.
inline constexpr double kNoisy = 0.02;

// Required probability of meeting the limits for an answer from noisy measurements.
inline constexpr double kTrust = 0.98;

// Returns the point of `seen` with the best expected objective in `outlook`. Considers only points
// that meet the limits with at least the given probability, and whose mean measurement meets the
// limits, too. The result is the mean of the point's measurements.
std::optional<Observation> trusted_best(const SearchSpace& space, const Goal& goal,
                                        const Outlook& outlook, std::span<const Observation> seen,
                                        double probability);

// Answers several goals from the same noisy measurements.
class NoisyAnswers {
 public:
  NoisyAnswers(const SearchSpace& space, const SurrogatePrior& prior, double noise,
               std::span<const Observation> seen);
  // Returns the best point that meets the limits with the probability kTrust. If there is none,
  // accepts a lower probability. Empty if no point has this probability either.
  std::optional<Observation> answer(const Goal& goal) const;

 private:
  const SearchSpace& space_;
  std::span<const Observation> seen_;
  Beliefs beliefs_;
};

}  // namespace ridgewatt::tune
