// Finds the most useful few modes to profile: every choice of `count` modes is used for learning in
// turn and scored on the remaining modes.
//
//   const auto choices = score_choices(sweep, modes, {.count = 4});
//   choices.front().chosen;  // the four that predict the others best
//
// This is the question of the published study of training on Jetsons (Prashanthi et al. 2023): a
// linear model from four of its ten power modes. The choice uses the answers, so the error of the
// best one is a lower bound; what a user gets is the median over all choices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ridgewatt/sweep/sweep.h"

namespace ridgewatt::evaluate {

struct ChoiceOptions {
  std::size_t count = 4;
  std::string method = "linear";  // one of predictor_methods()
  std::uint64_t seed = 1;
  int threads = 0;
};

// Mean absolute errors in %: over the modes that were not chosen, and over all rows of the sweep.
struct ChoiceScore {
  std::vector<std::size_t> chosen;  // of the modes, rising
  double others_time_pct = 0, others_power_pct = 0, others_energy_pct = 0;
  double all_time_pct = 0, all_power_pct = 0, all_energy_pct = 0;
};

// By rising error of time over the other modes. Throws UsageError if `count` is not from 1 to one
// less than the number of modes, or if there are more than 100,000 choices; InputError if the sweep
// does not contain a mode.
std::vector<ChoiceScore> score_choices(const Sweep& sweep, const std::vector<PowerMode>& modes,
                                       const ChoiceOptions& options = {});

}  // namespace ridgewatt::evaluate
