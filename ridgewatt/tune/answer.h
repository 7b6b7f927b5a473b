// Chooses the answer of a search from its measurements. Exact measurements are used directly. The
// best of noisy measurements is often a lucky one beyond a limit: then the answer is the best point
// according to a model of all measurements.
#pragma once

#include <optional>
#include <span>

#include "ridgewatt/tune/acquisition.h"

namespace ridgewatt::tune {

// Measurements with a smaller relative standard deviation count as exact.
inline constexpr double kNoisy = 0.02;

// Required probability of meeting the limits for an answer from noisy measurements.
inline constexpr double kTrust = 0.98;

// Of the points in `seen` that meet the limits with this probability according to `outlook`, and
// with the mean of their measurements, the one with the best expected objective; returns its mean.
std::optional<Observation> trusted_best(const SearchSpace& space, const Goal& goal,
                                        const Outlook& outlook, std::span<const Observation> seen,
                                        double probability);

// Answers goals from one set of noisy measurements.
class NoisyAnswers {
 public:
  NoisyAnswers(const SearchSpace& space, const SurrogatePrior& prior, double noise,
               std::span<const Observation> seen);
  // The best trusted point; if there is none, the best that probably meets the limits.
  std::optional<Observation> answer(const Goal& goal) const;

 private:
  const SearchSpace& space_;
  std::span<const Observation> seen_;
  Beliefs beliefs_;
};

}  // namespace ridgewatt::tune
