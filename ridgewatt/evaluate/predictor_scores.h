// Scores of predictors on measured sweeps: error over all modes, honesty of the intervals, and what
// the predictions are worth when a mode is chosen by them (PowerTrain's budgets of power).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/evaluate/outcomes.h"
#include "ridgewatt/predict/design.h"
#include "ridgewatt/predict/factory.h"
#include "ridgewatt/sweep/sweep.h"

namespace ridgewatt::evaluate {

enum class Sampling {
  kRandom,    // drawn from all rows of the sweep
  kDesigned,  // chosen by the few-shot predictor itself, one after the other (design.h)
  kBudgets,   // the first half designed, the others chosen for the budgets of power
  kGiven,     // exactly the lists of `given`
};
constexpr auto enum_names(Sampling) {
  return named<Sampling>({{Sampling::kRandom, "random"},
                          {Sampling::kDesigned, "designed"},
                          {Sampling::kBudgets, "budgets"},
                          {Sampling::kGiven, "given"}});
}

// Rows of the sweep that a published run profiled, by number of modes and run.
using GivenSamples = std::map<std::pair<int, int>, std::vector<std::size_t>>;
// Reads a log with the columns n_modes, run and sampled_modes (cores_cpukHz_gpuHz_memHz joined by
// ';') and finds each mode in the sweep: the nearest one, since logs round clocks. InputError when
// a mode is further than 2 % from any of the sweep.
GivenSamples read_given_samples(const std::string& path, const Sweep& sweep);

struct EvaluationOptions {
  std::vector<std::string> methods = {"auto"};
  std::vector<int> sizes = {10, 20, 50};
  int runs = 10;
  Sampling sampling = Sampling::kRandom;
  GivenSamples given;
  predict::PredictorOptions
      predictor;  // references and priors; method, seed and space are set here
  double interval = predict::kDefaultInterval;
  predict::PowerBudgets budgets;  // that answers are scored at
  // Probability with which an answer is to keep its budget; up to 0.5: by the mean alone.
  double confidence = 0;
  // What an answer may be over its budget, in W: the mean, or what is kept with `confidence`.
  double tolerance_w = 0;
  // Flagged rows are optimum and answer, too, and samples are not checked. Else what the check
  // flags of the samples alone is not learned from, up to kMostFlagged of them: as `predict` does.
  bool keep_outliers = false;
  std::uint64_t seed = 1;
  int threads = 0;
  bool quiet = true;  // else progress on standard error
};

// One quantity over the modes of a sweep.
struct QuantityScore {
  double mape_pct = 0;          // over all rows
  double trusted_mape_pct = 0;  // without flagged rows
  // Of rows that were not learned from: inside their interval, all rows and without flagged ones;
  // mean half-width of the intervals over the MAPE. NaN, as above, where there are no such rows.
  double coverage_pct = 0, trusted_coverage_pct = 0;
  double width_ratio = 0;
};

// Answers to "the fastest mode within a budget", per sample, over all budgets that have one. A mode
// that was profiled costs what was measured. NaN where no budget has an answer.
struct BudgetScore {
  double penalty_pct = 0;     // median of time over the measured optimum
  double over_pct = 0;        // A/L: answers above their budget
  double over_by_1w_pct = 0;  // A/L+1: by more than 1 W
  double area_w = 0;          // mean power above the budget
  int answers = 0;
};

struct RunScore {
  std::string method;
  int size = 0, run = 0;
  QuantityScore time, power, energy;
  BudgetScore budget;
  double flagged_samples_pct = 0;  // by the check of the samples alone
  double fit_s = 0, predict_s = 0;
  // What the modes on the predicted Pareto front of time and power cost, predicted and measured;
  // without flagged rows.
  std::vector<Observation> predicted_front, measured_front;
};

// `sweep` with its times and powers, as pairs, given to other operating points at random: a
// reference that can only mislead.
Sweep shuffle_costs(Sweep sweep, std::uint64_t seed);
// Rows of the measured Pareto front of time and power, by rising time.
std::vector<Observation> measured_front(const Sweep& sweep, const std::vector<bool>& flagged);

// Every method at every size, `runs` times, side by side. Flagged rows are no answer and no
// optimum. Deterministic by seed.
std::vector<RunScore> evaluate_predictors(const Sweep& sweep, const EvaluationOptions& options);

// The same as a question of one outcome a run (outcomes.h), and the scores of its outcomes: without
// fronts and times.
std::unique_ptr<Question> predictor_question(const Sweep& sweep, const EvaluationOptions& options);
std::vector<RunScore> predictor_scores(const std::vector<OutcomeGroup>& groups,
                                       const Outcomes& outcomes);

}  // namespace ridgewatt::evaluate
