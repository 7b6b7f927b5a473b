// The origin of a result's rows (measured, predicted, ...), which is part of every output.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/device/runtime.h"

#pragma GCC visibility push(default)

namespace ridgewatt {

// Ordered by distance from a measurement. kReplayed is also used for a recorded file that does not
// state its origin. kProfiled means an answer that is one of the samples used by the search.
enum class Provenance { kMeasured, kReplayed, kProfiled, kPredicted, kModelled, kFake };
constexpr auto enum_names(Provenance) {
  return named<Provenance>({{Provenance::kMeasured, "measured"},
                            {Provenance::kReplayed, "replayed"},
                            {Provenance::kProfiled, "profiled"},
                            {Provenance::kPredicted, "predicted"},
                            {Provenance::kModelled, "modelled"},
                            {Provenance::kFake, "fake"}});
}

// Returns the provenance of a result made from rows of provenance `rows`: kFake for kFake rows,
// otherwise `made`.
Provenance derived_provenance(Provenance rows, Provenance made);
// Returns the provenance of rows of two origins together: the one farther from a measurement.
Provenance weaker_provenance(Provenance a, Provenance b);

// The origin of a set of rows. Empty members: not known or not applicable.
struct RowOrigin {
  std::string workload;
  std::string kind = {};   // "inference", "training", or a phase
  std::string board = {};  // "agx-orin"
  Provenance provenance = Provenance::kReplayed;
  std::optional<Runtime> runtime = {};  // for modelled rows
  std::string twin = {};                // for modelled rows: "fitted" or "scaled, not validated"
  bool operator==(const RowOrigin&) const = default;
};

// Returns text for titles and remarks: "resnet18 training on agx-orin, fake".
std::string describe(const RowOrigin& origin);

// A member of RowOrigin as a field of a row in tables and files.
struct OriginField {
  std::string_view name;
  std::string value;  // empty: not known or not applicable
};
// Returns always the same fields: workload, kind, board, provenance, runtime, twin.
std::array<OriginField, 6> origin_fields(const RowOrigin& origin);

}  // namespace ridgewatt

#pragma GCC visibility pop
