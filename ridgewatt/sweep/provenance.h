// Where the rows of a result come from: what every row that leaves the program says.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/device/runtime.h"

namespace ridgewatt {

// Ascending distance from a measurement. `kReplayed` is also a recorded file that does not say more
// of itself; `kProfiled` an answer that is one of the samples it was looked for with.
enum class Provenance { kMeasured, kReplayed, kProfiled, kPredicted, kModelled, kFake };
constexpr auto enum_names(Provenance) {
  return named<Provenance>({{Provenance::kMeasured, "measured"},
                            {Provenance::kReplayed, "replayed"},
                            {Provenance::kProfiled, "profiled"},
                            {Provenance::kPredicted, "predicted"},
                            {Provenance::kModelled, "modelled"},
                            {Provenance::kFake, "fake"}});
}

// What is made of rows keeps the word of the rows where they are not of a board: of fake rows a
// replay, a prediction and an answer are fake. Of recorded rows they are what was made: `made`.
Provenance derived_provenance(Provenance rows, Provenance made);
// Of rows of two origins together: the one that is farther from a measurement.
Provenance weaker_provenance(Provenance a, Provenance b);

// Empty: not known, or not so.
struct RowOrigin {
  std::string workload;
  std::string kind = {};   // "inference", "training", or a phase
  std::string board = {};  // "agx-orin"
  Provenance provenance = Provenance::kReplayed;
  std::optional<Runtime> runtime = {};  // of modelled rows
  std::string twin = {};                // of modelled rows: "fitted" or "scaled, not validated"
  bool operator==(const RowOrigin&) const = default;
};

// "resnet18 training on agx-orin, fake", for titles and remarks.
std::string describe(const RowOrigin& origin);

// Origins as fields of rows, for every table and file; a field that no row has is left out, but
// for `provenance`, which is always there.
class OriginFields {
 public:
  explicit OriginFields(const std::vector<RowOrigin>& origins);
  // In the order workload, kind, board, provenance, runtime, twin.
  const std::vector<std::string>& names() const { return names_; }
  // One value per name.
  std::vector<std::string> values(const RowOrigin& origin) const;

 private:
  std::vector<std::string> names_;
};

}  // namespace ridgewatt
