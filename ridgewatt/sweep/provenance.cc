#include "ridgewatt/sweep/provenance.h"

#include <algorithm>
#include <array>

namespace ridgewatt {
namespace {

// Ascending distance from a measurement.
constexpr std::array kProvenances = {Provenance::kMeasured, Provenance::kReplayed,
                                     Provenance::kPredicted, Provenance::kModelled,
                                     Provenance::kFake};

constexpr std::array<std::string_view, 6> kOriginNames = {"workload",   "kind",    "board",
                                                          "provenance", "runtime", "twin"};

std::string origin_value(const RowOrigin& origin, std::string_view name) {
  if (name == "workload") return origin.workload;
  if (name == "kind") return origin.kind;
  if (name == "board") return origin.board;
  if (name == "runtime") return origin.runtime;
  if (name == "twin") return origin.twin;
  return std::string(provenance_name(origin.provenance));
}

}  // namespace

std::string_view provenance_name(Provenance provenance) {
  switch (provenance) {
    case Provenance::kMeasured:
      return "measured";
    case Provenance::kReplayed:
      return "replayed";
    case Provenance::kModelled:
      return "modelled";
    case Provenance::kPredicted:
      return "predicted";
    case Provenance::kFake:
      return "fake";
  }
  return "";
}

std::optional<Provenance> parse_provenance(std::string_view word) {
  for (const auto provenance : kProvenances) {
    if (word == provenance_name(provenance)) return provenance;
  }
  return std::nullopt;
}

Provenance derived_provenance(Provenance rows, Provenance made) {
  const bool of_a_board = rows == Provenance::kMeasured || rows == Provenance::kReplayed;
  return of_a_board ? made : rows;
}

Provenance weaker_provenance(Provenance a, Provenance b) {
  const auto distance = [](Provenance one) {
    return std::find(kProvenances.begin(), kProvenances.end(), one) - kProvenances.begin();
  };
  return distance(a) < distance(b) ? b : a;
}

std::string describe(const RowOrigin& origin) {
  std::string text = origin.workload;
  if (!origin.kind.empty()) text += (text.empty() ? "" : " ") + origin.kind;
  if (!origin.board.empty()) text += " on " + origin.board;
  text += (text.empty() ? "" : ", ") + std::string(provenance_name(origin.provenance));
  if (!origin.runtime.empty()) text += " " + origin.runtime;
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
