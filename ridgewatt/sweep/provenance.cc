#include "ridgewatt/sweep/provenance.h"

#include <algorithm>

namespace ridgewatt {
namespace {

constexpr std::string_view kOriginNames[] = {"workload",   "kind",    "board",
                                             "provenance", "runtime", "twin"};

std::string runtime_word(std::optional<Runtime> runtime) {
  return runtime ? std::string(name_of(*runtime)) : "";
}

std::string origin_value(const RowOrigin& origin, std::string_view name) {
  if (name == "workload") return origin.workload;
  if (name == "kind") return origin.kind;
  if (name == "board") return origin.board;
  if (name == "runtime") return runtime_word(origin.runtime);
  if (name == "twin") return origin.twin;
  return std::string(name_of(origin.provenance));
}

}  // namespace

Provenance derived_provenance(Provenance rows, Provenance made) {
  const bool of_a_board = rows < Provenance::kPredicted;
  return of_a_board ? made : rows;
}

Provenance weaker_provenance(Provenance a, Provenance b) {
  return std::max(a, b);
}

std::string describe(const RowOrigin& origin) {
  std::string text = origin.workload;
  if (!origin.kind.empty()) text += (text.empty() ? "" : " ") + origin.kind;
  if (!origin.board.empty()) text += " on " + origin.board;
  text += (text.empty() ? "" : ", ") + std::string(name_of(origin.provenance));
  if (origin.runtime) text += " " + runtime_word(origin.runtime);
  if (!origin.twin.empty()) text += " (" + origin.twin + ")";
  return text;
}

OriginFields::OriginFields(const std::vector<RowOrigin>& origins) {
  for (const auto name : kOriginNames) {
    const bool any = name == "provenance" ||
                     std::any_of(origins.begin(), origins.end(),
                                 [&](const auto& one) { return !origin_value(one, name).empty(); });
    if (any) names_.emplace_back(name);
  }
}

std::vector<std::string> OriginFields::values(const RowOrigin& origin) const {
  std::vector<std::string> values;
  for (const auto& name : names_) values.push_back(origin_value(origin, name));
  return values;
}

}  // namespace ridgewatt
