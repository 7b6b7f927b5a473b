// What is known about a board's time and power without sweeps: single figures of papers, data
// sheets and recorded lines, each an observation with its error.
//
//   for (const Evidence& evidence : published_evidence("xavier-nx")) ...
//
// The published figures are in studies/published/boards.csv, with their sources. A file of a user's
// own figures has the same format (docs/reference/evidence.md).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/device/power_mode.h"
#include "ridgewatt/twin/estimate.h"

namespace ridgewatt::twin {

enum class EvidenceQuantity { kTime, kPower, kEnergy, kSampleEnergy, kIdlePower };
constexpr auto enum_names(EvidenceQuantity) {
  return named<EvidenceQuantity>({{EvidenceQuantity::kTime, "time_s"},
                                  {EvidenceQuantity::kPower, "power_w"},
                                  {EvidenceQuantity::kEnergy, "energy_j"},
                                  {EvidenceQuantity::kSampleEnergy, "sample_energy_j"},
                                  {EvidenceQuantity::kIdlePower, "idle_power_w"}});
}

// What the figure is: the quantity at a point, or its ratio to or difference from that at another.
enum class EvidenceForm { kValue, kRatio, kDifference };
constexpr auto enum_names(EvidenceForm) {
  return named<EvidenceForm>({{EvidenceForm::kValue, "value"},
                              {EvidenceForm::kRatio, "ratio"},
                              {EvidenceForm::kDifference, "difference"}});
}

// A workload (null: nothing runs) in a power mode; absent knobs count as the highest.
struct EvidencePoint {
  std::shared_ptr<const workload::WorkloadCost> cost;
  PowerMode mode;
};

struct Evidence {
  std::string board, name, source;
  std::string workload;  // "resnet18 training"; empty: nothing runs
  EvidenceQuantity quantity = EvidenceQuantity::kTime;
  EvidenceForm form = EvidenceForm::kValue;
  EvidencePoint at;
  std::optional<EvidencePoint> against;  // of a ratio or difference
  RunOptions options;
  double factor = 1;  // the figure is this multiple of the quantity: minibatches in an epoch
  double value = 0;   // in SI units; a ratio: 1
  double log_sd = 0;  // of its logarithm: how far off figure and model may be
};

// Of a CSV file's text. InputError with file and line on anything that is not such a row.
std::vector<Evidence> parse_evidence(std::string_view text, const std::string& source);
// The published figures of a board, by its name.
std::vector<Evidence> published_evidence(const std::string& board);

// The same figure as a twin has it; NaN where a difference is not positive.
double modelled(const Evidence& evidence, const Twin& twin);

}  // namespace ridgewatt::twin
