// Which few of some modes are worth profiling? Every choice of so many of them is learned from in
// turn, and scored on the modes that it leaves.
//
//   const auto choices = score_choices(sweep, modes, {.count = 4});
//   choices.front().chosen;  // the four that predict the others best
//
// The question of the published study of training on Jetsons (Prashanthi et al. 2023): a linear
// model from four of its ten power modes. The choice is made by the answers, so the error of the
// best one is what could be had, not what a user gets: that is the median over all choices.
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

// By rising error of time over the others. UsageError when `count` is not from 1 to one less than
// the modes, or where there are more than 100,000 choices; InputError when the sweep does not hold
// a mode.
std::vector<ChoiceScore> score_choices(const Sweep& sweep, const std::vector<PowerMode>& modes,
                                       const ChoiceOptions& options = {});

}  // namespace ridgewatt::evaluate
