// Published and user-supplied figures about a board's time, power and energy (from papers, data
// sheets and logs), for boards without a full sweep. Each figure is one observation with its error.
// fit_board() (board_fit.h) fits a twin to them.
//
//   for (const Evidence& evidence : published_evidence("xavier-nx")) ...
//
// The published figures and their sources are in studies/published/boards.csv. A file with a user's
// own figures has the same format (docs/reference/board_file.md).
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

// The meaning of the figure: the quantity at the point `at`, the ratio `at` / `against`, or the
// difference `at` - `against`.
enum class EvidenceForm { kValue, kRatio, kDifference };
constexpr auto enum_names(EvidenceForm) {
  return named<EvidenceForm>({{EvidenceForm::kValue, "value"},
                              {EvidenceForm::kRatio, "ratio"},
                              {EvidenceForm::kDifference, "difference"}});
}

// A workload in a power mode. A null `cost` means that the board is idle. Absent knobs have their
// highest values.
struct EvidencePoint {
  std::shared_ptr<const workload::WorkloadCost> cost;
  PowerMode mode;
};

struct Evidence {
  std::string board, name, source;
  std::string workload;  // Model and kind, "resnet18 training". Empty: the board is idle.
  EvidenceQuantity quantity = EvidenceQuantity::kTime;
  EvidenceForm form = EvidenceForm::kValue;
  EvidencePoint at;
  std::optional<EvidencePoint> against;  // absent: the figure has the form kValue
  RunOptions options;
  // The figure is `factor` times the quantity, for example the number of minibatches in an epoch.
  double factor = 1;
  double value = 0;   // in SI units; dimensionless for a ratio
  double log_sd = 0;  // standard deviation of ln(figure / modelled value)
};

// Parses the text of a CSV file. `source` names the file in error messages. Throws InputError, with
// file and line, on an invalid row.
std::vector<Evidence> parse_evidence(std::string_view text, const std::string& source);
// Returns the published figures of the named board; empty if there are none.
std::vector<Evidence> published_evidence(const std::string& board);

// Returns the figure as `twin` predicts it. NaN for a difference that the twin predicts as zero or
// negative.
double modelled(const Evidence& evidence, const Twin& twin);

}  // namespace ridgewatt::twin
