// Scores of predictors on measured sweeps: error over all modes, coverage of the intervals, and the
// value of the predictions for choosing a mode (PowerTrain's power budgets).
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
  kBudgets,   // the first half designed, the others chosen for the power budgets
  kGiven,     // the lists of `given`
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
// ';') and finds each mode in the sweep: the nearest one, because logs round clocks. Throws
// InputError if a mode differs by more than 2 % from all modes of the sweep.
GivenSamples read_given_samples(const std::string& path, const Sweep& sweep);

struct EvaluationOptions {
  std::vector<std::string> methods = {"auto"};
  std::vector<int> sizes = {10, 20, 50};
  int runs = 10;
  Sampling sampling = Sampling::kRandom;
  GivenSamples given;
  predict::PredictorOptions
      predictor;  // references and priors; method, seed and space are set by the evaluation
  double interval = predict::kDefaultInterval;
  predict::PowerBudgets budgets;  // that answers are scored at
  // Probability with which an answer must stay within its budget; up to 0.5: by the mean only.
  double confidence = 0;
  // Tolerance of an answer over its budget, in W: of the mean, or of the value with `confidence`.
  double tolerance_w = 0;
  // Flagged rows may be optimum and answer, and samples are not checked. Otherwise samples that the
  // check of the samples flags are not used for learning, up to kMostFlagged of them, like in
  // `predict`.
  bool keep_outliers = false;
  // One sample of each run, drawn at random, has its time and power multiplied by 1 + this.
  double outlier = 0;
  std::uint64_t seed = 1;
  int threads = 0;
  bool quiet = true;  // false: progress on standard error
};

// One quantity over the modes of a sweep.
struct QuantityScore {
  double mape_pct = 0;          // over all rows
  double trusted_mape_pct = 0;  // without flagged rows
  // For rows that were not learned from: share inside their interval, over all rows and without
  // flagged ones; mean half-width of the intervals over the MAPE. NaN if there are no such rows.
  double coverage_pct = 0, trusted_coverage_pct = 0;
  double width_ratio = 0;
};

// Answers to "the fastest mode within a budget", per sample, over all budgets that have one. A
// profiled mode has its measured cost. NaN if no budget has an answer.
struct BudgetScore {
  double penalty_pct = 0;     // median of time over the measured optimum
  double over_pct = 0;        // A/L: answers above their budget
  double over_by_1w_pct = 0;  // A/L+1: by more than 1 W
  double area_w = 0;          // mean power above the budget
  int answers = 0;
};

// Answers from costs of the rows of a sweep. `powers_w` is what is held against a budget and its
// tolerance; barred rows are neither answer nor optimum.
BudgetScore score_budgets(const Sweep& sweep, const std::vector<bool>& barred,
                          const std::vector<predict::Prediction>& predictions,
                          const std::vector<double>& powers_w, const predict::PowerBudgets& budgets,
                          double tolerance_w);

struct RunScore {
  std::string method;
  int size = 0, run = 0;
  QuantityScore time, power, energy;
  BudgetScore budget;
  double flagged_samples_pct = 0;  // according to the check of the samples
  double fit_s = 0, predict_s = 0;
  // Predicted and measured costs of the modes on the predicted Pareto front of time and power,
  // without flagged rows.
  std::vector<Observation> predicted_front, measured_front;
};

// `sweep` with its (time, power) pairs randomly permuted over its operating points: a misleading
// reference.
Sweep shuffle_costs(Sweep sweep, std::uint64_t seed);
// Rows of the measured Pareto front of time and power, by rising time.
std::vector<Observation> measured_front(const Sweep& sweep, const std::vector<bool>& flagged);

// Every method at every size, `runs` times, in parallel. Flagged rows are neither answer nor
// optimum. Deterministic by seed.
std::vector<RunScore> evaluate_predictors(const Sweep& sweep, const EvaluationOptions& options);

// The same as a question of one outcome per run (outcomes.h), and the scores of its outcomes,
// without fronts and times.
std::unique_ptr<Question> predictor_question(const Sweep& sweep, const EvaluationOptions& options);
std::vector<RunScore> predictor_scores(const std::vector<OutcomeGroup>& groups,
                                       const Outcomes& outcomes);

// Budgets 1 W apart from LEAST:MOST, or one budget, in W: the value of --budgets. UsageError.
predict::PowerBudgets parse_budgets(const std::string& text);

}  // namespace ridgewatt::evaluate
