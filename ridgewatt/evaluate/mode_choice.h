// Finds the most useful few modes to profile: for every choice of `count` modes, learns from these
// modes and scores the predictions for the other modes.
//
//   const auto choices = score_choices(sweep, modes, {.count = 4});
//   choices.front().chosen;  // the four modes that predict the other modes best
//
// The published study of training on Jetsons (Prashanthi et al. 2023) asks this question for a
// linear model fitted to four of its ten power modes. The best choice is selected by its measured
// error, so this error is a lower bound; a user can expect the median over all choices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ridgewatt/sweep/sweep.h"

namespace ridgewatt::evaluate {

struct ChoiceOptions {
  std::size_t count = 4;
  std::string method = "linear";  // one of predict::predictor_methods()
  std::uint64_t seed = 1;
  int threads = 0;  // 0: all hardware threads
};

// Mean absolute errors in %: `others_` over the modes that were not chosen, `all_` over all rows of
// the sweep.
struct ChoiceScore {
  std::vector<std::size_t> chosen;  // ascending indices into `modes`
  double others_time_pct = 0, others_power_pct = 0, others_energy_pct = 0;
  double all_time_pct = 0, all_power_pct = 0, all_energy_pct = 0;
};

// Returns a score for each choice, in ascending order of `others_time_pct`. Throws UsageError if
// `count` is not from 1 to one less than the number of modes, or if there are more than 100,000
// choices; InputError if the sweep lacks one of the modes.
std::vector<ChoiceScore> score_choices(const Sweep& sweep, const std::vector<PowerMode>& modes,
                                       const ChoiceOptions& options = {});

}  // namespace ridgewatt::evaluate
