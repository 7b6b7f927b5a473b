// Scores searches of a GPU clock in the groups of sweeps.
#include "ridgewatt/base/error.h"
#include "ridgewatt/evaluate/score_tables.h"

namespace ridgewatt::evaluate {

void add_clock_scores(const std::vector<Sweep>& sweeps, const std::string& path, std::size_t count,
                      double tolerance, std::vector<ScoredClocks>& scores) {
  const std::size_t before = scores.size();
  for (const auto& sweep : sweeps) {
    for (const auto& score : predict::score_clock_search(sweep, count)) {
      scores.push_back({sweep.workload + " " + sweep.kind, score, score.excess <= tolerance});
    }
  }
  if (scores.size() == before) {
    throw InputError("the sweep lacks three rows that differ only in the GPU clock", path);
  }
}

}  // namespace ridgewatt::evaluate
