#include "ridgewatt/evaluate/reliability.h"

#include <cmath>

namespace ridgewatt::evaluate {

std::vector<ReliabilityBin> reliability(std::span<const StatedProbability> statements,
                                        std::span<const double> edges) {
  std::vector<ReliabilityBin> bins;
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    ReliabilityBin bin{.from = edges[i], .to = edges[i + 1]};
    const bool last = i + 2 == edges.size();
    for (const auto& [probability, is_true] : statements) {
      if (probability < bin.from || (!last && probability >= bin.to)) continue;
      ++bin.rows;
      bin.stated += probability;
      bin.true_share += is_true ? 1 : 0;
    }
    if (bin.rows == 0) continue;
    bin.stated /= static_cast<double>(bin.rows);
    bin.true_share /= static_cast<double>(bin.rows);
    bins.push_back(bin);
  }
  return bins;
}

double calibration_error(std::span<const ReliabilityBin> bins) {
  double error = 0, rows = 0;
  for (const auto& bin : bins) {
    error += static_cast<double>(bin.rows) * std::abs(bin.stated - bin.true_share);
    rows += static_cast<double>(bin.rows);
  }
  return rows > 0 ? error / rows : 0;
}

}  // namespace ridgewatt::evaluate
