// Compares stated probabilities with the share of statements that are true.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace ridgewatt::evaluate {

struct StatedProbability {
  double probability = 0;
  bool is_true = false;
};

// Statements whose probability is in a range.
struct ReliabilityBin {
  double from = 0, to = 1;
  std::size_t rows = 0;
  double stated = 0;      // mean stated probability
  double true_share = 0;  // share of true statements
};

// Returns a bin between each two successive `edges` (ascending), without empty bins. A bin excludes
// its upper edge, except the last bin.
std::vector<ReliabilityBin> reliability(std::span<const StatedProbability> statements,
                                        std::span<const double> edges);
// Returns the mean of |stated - true share|, weighted by rows; 0 without statements.
double calibration_error(std::span<const ReliabilityBin> bins);

}  // namespace ridgewatt::evaluate
