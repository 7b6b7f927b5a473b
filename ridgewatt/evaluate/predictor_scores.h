// Scores of predictors on measured sweeps: error over all modes, coverage of the intervals, and
// quality of the modes that are chosen by the predictions within power budgets, as in PowerTrain.
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

// How the samples of a run are chosen.
enum class Sampling {
  kRandom,    // drawn from all rows of the sweep
  kDesigned,  // chosen by the few-shot predictor one after the other (predict/design.h)
  kBudgets,   // the first half like kDesigned, the second half for the power budgets
  kGiven,     // the lists in EvaluationOptions::given
};
constexpr auto enum_names(Sampling) {
  return named<Sampling>({{Sampling::kRandom, "random"},
                          {Sampling::kDesigned, "designed"},
                          {Sampling::kBudgets, "budgets"},
                          {Sampling::kGiven, "given"}});
}

// Row indices of the modes that a published run profiled, by number of modes and run.
using GivenSamples = std::map<std::pair<int, int>, std::vector<std::size_t>>;
// Reads a log with the columns n_modes, run and sampled_modes (cores_cpukHz_gpuHz_memHz joined by
// ';'). Each mode is replaced by the nearest mode of the sweep, because logs round clocks. Throws
// InputError if a mode differs by more than 2 % from that mode.
GivenSamples read_given_samples(const std::string& path, const Sweep& sweep);

struct EvaluationOptions {
  std::vector<std::string> methods = {"auto"};
  std::vector<int> sizes = {10, 20, 50};
  int runs = 10;
  Sampling sampling = Sampling::kRandom;
  GivenSamples given;  // for Sampling::kGiven
  // References and priors. The evaluation sets method, seed and space.
  predict::PredictorOptions predictor;
  double interval = predict::kDefaultInterval;
  predict::PowerBudgets budgets;  // power budgets for which modes are chosen
  // Required probability that a mode is within its budget. Up to 0.5: only its mean counts.
  double confidence = 0;
  // Tolerance in W that is added to a budget before predictions are compared with it.
  double tolerance_w = 0;
  // If true, flagged rows can be optimum and answer, and samples are not checked. If false,
  // flagged samples are not used for learning, as in `predict`, unless their share exceeds
  // kMostFlagged.
  bool keep_outliers = false;
  // Time and power of one random sample per run are multiplied by 1 + `outlier`.
  double outlier = 0;
  std::uint64_t seed = 1;
  int threads = 0;    // 0: all hardware threads
  bool quiet = true;  // false: prints progress on standard error
};

// Score of time, power or energy over the modes of a sweep.
struct QuantityScore {
  double mape_pct = 0;          // mean absolute percentage error over all rows
  double trusted_mape_pct = 0;  // without flagged rows
  // Over rows outside the samples: share of rows in their interval, with and without flagged rows;
  // mean half-width of the intervals divided by the MAPE. NaN without such rows.
  double coverage_pct = 0, trusted_coverage_pct = 0;
  double width_ratio = 0;
};

// Quality of the fastest mode within a power budget, per sample, over all budgets that have an
// answer and an optimum. Profiled modes use their measured cost. NaN if there is no such budget.
struct BudgetScore {
  double penalty_pct = 0;     // median of time / measured optimum - 1
  double over_pct = 0;        // share of answers above their budget (A/L in PowerTrain)
  double over_by_1w_pct = 0;  // share of answers more than 1 W above it (A/L+1)
  double area_w = 0;          // mean of the power above the budget, 0 if below
  int answers = 0;            // number of budgets with an answer
};

// Chooses the fastest row within each budget from `predictions` and compares it with the measured
// optimum. `powers_w` are the powers that must be within the budget plus `tolerance_w`. Rows with
// `barred` set are neither answer nor optimum. All vectors have one element per row.
BudgetScore score_budgets(const Sweep& sweep, const std::vector<bool>& barred,
                          const std::vector<predict::Prediction>& predictions,
                          const std::vector<double>& powers_w, const predict::PowerBudgets& budgets,
                          double tolerance_w);

struct RunScore {
  std::string method;
  int size = 0, run = 0;
  QuantityScore time, power, energy;
  BudgetScore budget;
  // Share of the samples that the quality check flags, given only the samples.
  double flagged_samples_pct = 0;
  // Predicted and measured costs of the modes on the predicted Pareto front of time and power,
  // without flagged rows.
  std::vector<Observation> predicted_front, measured_front;
};

// Returns `sweep` with its (time, power) pairs randomly permuted over the points. Serves as a
// misleading reference.
Sweep shuffle_costs(Sweep sweep, std::uint64_t seed);
// Returns the unflagged rows on the measured Pareto front of time and power, in ascending order of
// time.
std::vector<Observation> measured_front(const Sweep& sweep, const std::vector<bool>& flagged);

// Evaluates every method at every size, `runs` times, in parallel. Flagged rows are neither answer
// nor optimum unless keep_outliers is set. The result depends only on the seed.
std::vector<RunScore> evaluate_predictors(const Sweep& sweep, const EvaluationOptions& options);

// The same evaluation as a Question with one outcome per run (outcomes.h), and the scores from its
// outcomes, without fronts and times.
std::unique_ptr<Question> predictor_question(const Sweep& sweep, const EvaluationOptions& options);
std::vector<RunScore> predictor_scores(const std::vector<OutcomeGroup>& groups,
                                       const Outcomes& outcomes);

// Parses LEAST:MOST in W, which gives budgets 1 W apart, or one budget. Throws UsageError.
predict::PowerBudgets parse_budgets(const std::string& text);

}  // namespace ridgewatt::evaluate
