#include "ridgewatt/evaluate/outcomes.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <numeric>
#include <tuple>

#include "ridgewatt/base/error.h"

namespace ridgewatt::evaluate {
namespace {

bool by_group_and_key(const Outcome& a, const Outcome& b) {
  return std::tie(a.group, a.key) < std::tie(b.group, b.key);
}

std::size_t outcomes_of(const std::vector<OutcomeGroup>& groups) {
  std::size_t total = 0;
  for (const auto& group : groups) total += group.outcomes;
  return total;
}

}  // namespace

std::vector<std::size_t> all_units(const Question& question) {
  std::vector<std::size_t> units(question.units());
  std::iota(units.begin(), units.end(), std::size_t{0});
  return units;
}

std::vector<Outcome> work_on(const Question& question, const std::vector<std::size_t>& wanted,
                             const AnswerOptions& options, std::vector<double>* seconds) {
  if (seconds != nullptr) seconds->assign(question.groups().size(), 0);
  const std::size_t total = wanted.size() == question.units() ? outcomes_of(question.groups()) : 0;
  std::vector<Outcome> found;
  std::size_t units_done = 0;
  std::mutex mutex;
  question.work(wanted, options.threads, [&](UnitOutcomes done) {
    const std::lock_guard lock(mutex);
    ++units_done;
    if (seconds != nullptr && !done.outcomes.empty()) {
      (*seconds)[done.outcomes.front().group] += done.seconds;
    }
    std::move(done.outcomes.begin(), done.outcomes.end(), std::back_inserter(found));
    if (!options.progress) return;
    // A part does not know the number of outcomes of its units in advance, so it counts units.
    if (total > 0)
      options.progress(found.size(), total);
    else
      options.progress(units_done, wanted.size());
  });
  std::sort(found.begin(), found.end(), by_group_and_key);
  return found;
}

Outcomes answer(const Question& question, const AnswerOptions& options) {
  std::vector<double> seconds;
  auto found = work_on(question, all_units(question), options, &seconds);
  Outcomes result = in_order(question.groups(), std::move(found));
  result.seconds = std::move(seconds);
  return result;
}

Outcomes in_order(const std::vector<OutcomeGroup>& groups, std::vector<Outcome> outcomes) {
  std::sort(outcomes.begin(), outcomes.end(), by_group_and_key);
  const auto twice = std::adjacent_find(
      outcomes.begin(), outcomes.end(),
      [](const Outcome& a, const Outcome& b) { return a.group == b.group && a.key == b.key; });
  if (twice != outcomes.end()) {
    throw InputError(fmt::format("two parts hold outcome {} of {}", twice->key,
                                 groups[twice->group].names.dump()),
                     "", "write all parts again with the same command and the same N");
  }
  Outcomes result;
  result.values.resize(groups.size());
  result.seconds.assign(groups.size(), 0);
  for (auto& outcome : outcomes) {
    result.values.at(outcome.group).push_back(std::move(outcome.values));
  }
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (result.values[g].size() == groups[g].outcomes) continue;
    throw InputError(fmt::format("the parts have only {} of {} outcomes of this group",
                                 result.values[g].size(), groups[g].outcomes),
                     groups[g].names.dump(),
                     "write all parts again with the same command and the same N");
  }
  return result;
}

}  // namespace ridgewatt::evaluate
