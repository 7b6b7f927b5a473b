// Parses the inputs of a schedule evaluation as a user names them.
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/evaluate/schedule_scores.h"
#include "ridgewatt/sweep/quality.h"

namespace ridgewatt::evaluate {

PlanStrategyRun parse_plan_run(const std::string& text) {
  const auto parts = split(text, ':');
  const auto profiles = parts.size() == 2 ? parse_int(parts[1]) : std::optional<std::int64_t>(15);
  if (parts.size() > 2 || !profiles || *profiles < 1 || *profiles > 1'000'000) {
    throw UsageError("is not a strategy with its number of profiles", text,
                     "write NAME:PROFILES, for example auto:15");
  }
  return {parts[0], static_cast<int>(*profiles)};
}

std::vector<PairOfSweeps> read_pairs(const std::vector<std::string>& trainings,
                                     const std::vector<std::string>& inferences) {
  std::vector<Sweep> whole, sweeps;
  for (const auto* paths : {&trainings, &inferences}) {
    for (const auto& path : *paths) whole.push_back(read_sweep(path));
  }
  // All pairs use the same modes. Flagged rows are dropped from their own pair only.
  const auto modes = common_modes(whole);
  if (modes.empty())
    throw InputError("the training and inference sweeps have no power mode in common");
  for (const auto& sweep : whole) {
    sweeps.push_back(at_modes(trusted_rows(sweep, check_quality(sweep)), modes));
  }
  std::vector<PairOfSweeps> pairs;
  for (std::size_t t = 0; t < trainings.size(); ++t) {
    for (std::size_t i = 0; i < inferences.size(); ++i) {
      pairs.push_back({sweeps[t], sweeps[trainings.size() + i]});
    }
  }
  return pairs;
}

}  // namespace ridgewatt::evaluate
