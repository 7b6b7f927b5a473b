#include "ridgewatt/evaluate/explain_scores.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <utility>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/parallel.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/base/sort.h"
#include "ridgewatt/evaluate/explain/simulated_run.h"

namespace ridgewatt::evaluate {
namespace {

using answer::SlowCause;

constexpr double kLanguageShare = 0.2;
constexpr double kBinEdges[] = {0, 0.01, 0.03, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1};

struct RankedCause {
  SlowCause cause;
  double probability;
};
struct ExplainedRun {
  std::vector<SlowCause> causes;  // without a cause: {kNone}
  std::vector<RankedCause> watched, numbers;
  double parts_error[2] = {};
  double longest_s[2] = {};
};

std::vector<RankedCause> ranked(const answer::ExplainQuestion& question, double& parts_error,
                                double& longest_s) {
  const double begin_s = monotonic_s();
  const answer::ExplainAnswer found = answer::explain(question);
  longest_s = monotonic_s() - begin_s;
  std::vector<RankedCause> rows;
  double parts_s = 0;
  for (const auto& row : found.rows) {
    rows.push_back({row.cause, row.probability});
    parts_s += row.time_s;
  }
  parts_error = std::abs(parts_s - found.gap_s()) / std::max(std::abs(found.gap_s()), 1e-9);
  return rows;
}

template <typename T>
T take(std::vector<T>& values, Random& random) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(random.below(values.size()));
  const T value = *at;
  values.erase(at);
  return value;
}

// Draws causes uniformly, and boards and models until the causes are possible and have an effect.
SimulatedRun draw(Random random, std::size_t count) {
  constexpr int kTries = 60;
  const bool language = random.uniform() < kLanguageShare;
  std::vector<SlowCause> all = language_causes();
  if (!language) {
    all.clear();
    for (const auto& one : injected_causes()) all.push_back(one.cause);
  }
  for (;;) {
    std::vector<SlowCause> left = all, causes;
    while (causes.size() < count) causes.push_back(take(left, random));
    for (int i = 0; i < kTries; ++i) {
      auto run = language ? simulate_language_run(causes, random.next())
                          : simulate_run(causes, random.next());
      if (run) return std::move(*run);
    }
  }
}

ExplainedRun explained_run(const ExplainScoreOptions& options, std::size_t number) {
  constexpr std::size_t kCounts[] = {0, 1, 2, 1, 2};
  SimulatedRun run = draw(Random(options.seed).fork(number), kCounts[number % std::size(kCounts)]);
  ExplainedRun found;
  found.causes = run.causes;
  if (found.causes.empty()) found.causes = {SlowCause::kNone};
  found.watched = ranked(run.question, found.parts_error[0], found.longest_s[0]);
  run.question.seen.reset();
  found.numbers = ranked(run.question, found.parts_error[1], found.longest_s[1]);
  return found;
}

// Adds up counts; finish() divides them by the number of runs.
void count(const ExplainedRun& run, const std::vector<RankedCause>& rows, ExplainShares& shares) {
  const bool first = contains(run.causes, rows.at(0).cause);
  const bool second = contains(run.causes, rows.at(1).cause);
  ++shares.runs;
  shares.first += first;
  shares.first_two += first || second;
  shares.both += first && second;
}

void finish(ExplainShares& shares) {
  if (shares.runs == 0) return;
  const auto runs = static_cast<double>(shares.runs);
  shares.first /= runs;
  shares.first_two /= runs;
  shares.both /= runs;
}

using Evidence = std::vector<RankedCause> ExplainedRun::*;

std::vector<Confusion> confusions(const std::vector<ExplainedRun>& runs, Evidence evidence) {
  std::map<std::pair<SlowCause, SlowCause>, Confusion> pairs;
  for (const ExplainedRun& run : runs) {
    const std::vector<RankedCause>& ranked = run.*evidence;
    const SlowCause cause = run.causes.front(), first = ranked.at(0).cause;
    if (run.causes.size() != 1 || cause == first) continue;
    Confusion& row = pairs[{cause, first}];
    row = {cause, first, row.runs + 1, row.second + (ranked.at(1).cause == cause)};
  }
  std::vector<Confusion> rows;
  for (const auto& [pair, row] : pairs) rows.push_back(row);
  sort_stably(rows, [](const Confusion& a, const Confusion& b) { return a.runs > b.runs; });
  return rows;
}

std::vector<CauseShares> by_cause(const std::vector<ExplainedRun>& runs, Evidence evidence,
                                  const std::vector<Confusion>& wrong) {
  std::map<SlowCause, CauseShares> causes;
  for (const ExplainedRun& run : runs) {
    if (run.causes.size() != 1) continue;
    CauseShares& row = causes[run.causes.front()];
    row.cause = run.causes.front();
    count(run, run.*evidence, row.alone);
  }
  std::vector<CauseShares> rows;
  for (auto& [cause, row] : causes) {
    finish(row.alone);
    const auto most =
        std::find_if(wrong.begin(), wrong.end(),
                     [own = row.cause](const Confusion& one) { return one.cause == own; });
    if (most != wrong.end()) row.instead = name_of(most->first);
    rows.push_back(row);
  }
  return rows;
}

void add_reliability(const std::vector<ExplainedRun>& runs, Evidence evidence,
                     EvidenceScores& scores) {
  std::vector<StatedProbability> rows;
  for (const ExplainedRun& run : runs) {
    for (const auto& [cause, probability] : run.*evidence) {
      rows.push_back({probability, contains(run.causes, cause)});
    }
  }
  scores.reliability = reliability(rows, kBinEdges);
  scores.calibration_error = calibration_error(scores.reliability);
}

EvidenceScores score(const std::vector<ExplainedRun>& runs, Evidence evidence, std::size_t which) {
  EvidenceScores scores;
  for (const ExplainedRun& run : runs) {
    ExplainShares& shares = contains(run.causes, SlowCause::kNone) ? scores.none
                            : run.causes.size() == 1               ? scores.single
                                                                   : scores.pair;
    count(run, run.*evidence, shares);
    scores.parts_error = std::max(scores.parts_error, run.parts_error[which]);
    scores.longest_s = std::max(scores.longest_s, run.longest_s[which]);
  }
  for (ExplainShares* shares : {&scores.none, &scores.single, &scores.pair}) finish(*shares);
  scores.confusions = confusions(runs, evidence);
  scores.causes = by_cause(runs, evidence, scores.confusions);
  add_reliability(runs, evidence, scores);
  return scores;
}

}  // namespace

ExplainScores score_explain(const ExplainScoreOptions& options) {
  if (options.runs < 5) throw UsageError("--runs must be 5 or more", "");
  std::vector<ExplainedRun> runs(static_cast<std::size_t>(options.runs));
  parallel_for(runs.size(), [&](std::size_t i) { runs[i] = explained_run(options, i); });
  return {options, score(runs, &ExplainedRun::watched, 0), score(runs, &ExplainedRun::numbers, 1)};
}

}  // namespace ridgewatt::evaluate
