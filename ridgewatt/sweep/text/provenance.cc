#include "ridgewatt/sweep/provenance.h"

#include <algorithm>

namespace ridgewatt {
namespace {

std::string runtime_word(std::optional<Runtime> runtime) {
  return runtime ? std::string(name_of(*runtime)) : "";
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

std::array<OriginField, 6> origin_fields(const RowOrigin& origin) {
  return {{{"workload", origin.workload},
           {"kind", origin.kind},
           {"board", origin.board},
           {"provenance", std::string(name_of(origin.provenance))},
           {"runtime", runtime_word(origin.runtime)},
           {"twin", origin.twin}}};
}

}  // namespace ridgewatt
