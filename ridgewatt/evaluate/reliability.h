// Whether stated probabilities are right: how often the statements of one level are true.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace ridgewatt::evaluate {

struct StatedProbability {
  double probability = 0;
  bool is_true = false;
};

// Statements by their stated probability.
struct ReliabilityBin {
  double from = 0, to = 1;
  std::size_t rows = 0;
  double stated = 0;  // mean
  double true_share = 0;
};

// Bins that have statements, with `edges` ascending; the last one includes its upper edge.
std::vector<ReliabilityBin> reliability(std::span<const StatedProbability> statements,
                                        std::span<const double> edges);
// Mean of |stated - true share|, weighed by rows; 0 without statements.
double calibration_error(std::span<const ReliabilityBin> bins);

}  // namespace ridgewatt::evaluate
