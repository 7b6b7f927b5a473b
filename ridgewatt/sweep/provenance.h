// The origin of the rows of a result, which is part of every output.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/device/runtime.h"

#pragma GCC visibility push(default)

namespace ridgewatt {

// In ascending distance from a measurement. `kReplayed` is also a recorded file that does not state
// its origin; `kProfiled` is an answer that is one of the samples that the search used.
enum class Provenance { kMeasured, kReplayed, kProfiled, kPredicted, kModelled, kFake };
constexpr auto enum_names(Provenance) {
  return named<Provenance>({{Provenance::kMeasured, "measured"},
                            {Provenance::kReplayed, "replayed"},
                            {Provenance::kProfiled, "profiled"},
                            {Provenance::kPredicted, "predicted"},
                            {Provenance::kModelled, "modelled"},
                            {Provenance::kFake, "fake"}});
}

// The provenance of a result made from such rows. Results from fake rows (a replay, a prediction,
// an answer) are fake. Results from recorded rows get the provenance `made`.
Provenance derived_provenance(Provenance rows, Provenance made);
// The provenance of rows of two origins together: the one farther from a measurement.
Provenance weaker_provenance(Provenance a, Provenance b);

// Empty: unknown or not applicable.
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

// An origin as fields of a row, for all tables and files.
struct OriginField {
  std::string_view name;
  std::string value;  // empty: unknown or not applicable
};
// Always the same fields: workload, kind, board, provenance, runtime, twin.
std::array<OriginField, 6> origin_fields(const RowOrigin& origin);

}  // namespace ridgewatt

#pragma GCC visibility pop
