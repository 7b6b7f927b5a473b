// What a search answers with, from what it has measured. Exact measurements are taken as they are.
// Of noisy ones the best is a lucky one, often beyond a limit: then the answer is what a model of
// all measurements believes in.
#pragma once

#include <optional>
#include <span>

#include "ridgewatt/tune/acquisition.h"

namespace ridgewatt::tune {

// Measurements with a smaller relative standard deviation are taken as they are.
inline constexpr double kNoisy = 0.02;

// Probability of keeping the limits that a noisy answer needs.
inline constexpr double kTrust = 0.98;

// Of the points in `seen` that keep the limits with this probability by `outlook` and on the
// average of their measurements, the one with the best expected objective; its average is returned.
std::optional<Observation> trusted_best(const SearchSpace& space, const Goal& goal,
                                        const Outlook& outlook, std::span<const Observation> seen,
                                        double probability);

// Answers to goals from one set of noisy measurements.
class NoisyAnswers {
 public:
  NoisyAnswers(const SearchSpace& space, const SurrogatePrior& prior, double noise,
               std::span<const Observation> seen);
  // The best point that is trusted; where none is, that is more likely than not within the limits.
  std::optional<Observation> answer(const Goal& goal) const;

 private:
  const SearchSpace& space_;
  std::span<const Observation> seen_;
  Beliefs beliefs_;
};

}  // namespace ridgewatt::tune
