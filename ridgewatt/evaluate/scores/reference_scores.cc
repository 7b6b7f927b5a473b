#include "ridgewatt/evaluate/reference_scores.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/evaluate/predictor_scores.h"
#include "ridgewatt/sweep/quality.h"

namespace ridgewatt::evaluate {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

double median_of(const std::vector<RunScore>& scores, double (*get)(const RunScore&)) {
  std::vector<double> values;
  for (const auto& score : scores) values.push_back(get(score));
  return median(values);
}

ReferenceScore summary(const std::string& reference, const std::string& workload,
                       const std::vector<RunScore>& scores) {
  ReferenceScore found{reference, workload, scores.front().method, scores.front().size};
  found.runs = static_cast<int>(scores.size());
  found.time_mape_pct = median_of(scores, [](const RunScore& s) { return s.time.mape_pct; });
  found.power_mape_pct = median_of(scores, [](const RunScore& s) { return s.power.mape_pct; });
  found.penalty_pct = median_of(scores, [](const RunScore& s) { return s.budget.penalty_pct; });
  found.over_by_1w_pct =
      median_of(scores, [](const RunScore& s) { return s.budget.over_by_1w_pct; });
  return found;
}

// Baselines that choose among a few rows by their measured times.
class Baselines {
 public:
  Baselines(const Sweep& sweep, const Board& board, const ReferenceOptions& options)
      : sweep_(sweep), board_(board), options_(options), flagged_(check_quality(sweep).flagged) {
    for (const auto& row : sweep.observations) {
      predict::Prediction measured;
      measured.time_s.mean = row.time_s;
      measured.power_w.mean = row.power_w;
      measured_.push_back(measured);
    }
  }

  ReferenceScore random() const {
    std::vector<double> penalties, over;
    Random random(options_.seed);
    const auto count =
        std::min(static_cast<std::size_t>(options_.modes), sweep_.observations.size());
    for (int run = 0; run < options_.runs; ++run) {
      std::vector<double> powers_w(measured_.size(), kNever);
      for (const auto row : random.sample(measured_.size(), count)) {
        powers_w[row] = sweep_.observations[row].power_w;
      }
      const BudgetScore score = of(powers_w);
      penalties.push_back(score.penalty_pct);
      over.push_back(score.over_by_1w_pct);
    }
    return named("random modes", static_cast<int>(count), options_.runs, median(penalties),
                 median(over));
  }
  ReferenceScore maxn() const {
    std::vector<double> powers_w(measured_.size(), kNever);
    powers_w[row_of(space().top())] = 0;
    return once("MAXN", of(powers_w));
  }
  // Chooses among the presets by the power in their names.
  ReferenceScore preset() const {
    std::vector<double> powers_w(measured_.size(), kNever);
    for (const auto& preset : presets(board_)) {
      const auto promised_w = power_in_name_w(preset.name);
      if (promised_w) powers_w[row_of(space().nearest(preset.mode))] = *promised_w;
    }
    return once("preset", of(powers_w));
  }

 private:
  BudgetScore of(const std::vector<double>& powers_w) const {
    return score_budgets(sweep_, flagged_, measured_, powers_w, options_.budgets, 0);
  }
  KnobSpace space() const {
    std::vector<PowerMode> modes;
    for (const auto& row : sweep_.observations) modes.push_back(row.point.mode);
    return KnobSpace(std::move(modes));
  }
  std::size_t row_of(const PowerMode& mode) const {
    const auto found = std::find_if(sweep_.observations.begin(), sweep_.observations.end(),
                                    [&](const Observation& row) { return row.point.mode == mode; });
    return static_cast<std::size_t>(found - sweep_.observations.begin());
  }
  ReferenceScore named(const char* method, int modes, int runs, double penalty_pct,
                       double over_pct) const {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    return {"", sweep_.workload, method, modes, runs, kNone, kNone, penalty_pct, over_pct};
  }
  ReferenceScore once(const char* method, const BudgetScore& score) const {
    return named(method, 0, 1, score.penalty_pct, score.over_by_1w_pct);
  }

  const Sweep& sweep_;
  const Board& board_;
  const ReferenceOptions& options_;
  std::vector<bool> flagged_;
  std::vector<predict::Prediction> measured_;
};

EvaluationOptions evaluation_of(const ReferenceOptions& options) {
  EvaluationOptions evaluation;
  evaluation.runs = options.runs;
  evaluation.sizes = {options.modes};
  evaluation.budgets = options.budgets;
  evaluation.seed = options.seed;
  evaluation.threads = options.threads;
  evaluation.quiet = options.quiet;
  evaluation.predictor.reference_rows_per_mode = options.reference_rows;
  return evaluation;
}

// The network trained on all modes of a workload.
ReferenceScore diagonal(const Sweep& sweep, const ReferenceOptions& options) {
  EvaluationOptions evaluation = evaluation_of(options);
  evaluation.methods = {"nn"};
  evaluation.sizes = {static_cast<int>(sweep.observations.size())};
  evaluation.runs = 1;
  evaluation.keep_outliers = true;
  evaluation.predictor.network.rows_per_mode = options.reference_rows;
  return summary(sweep.workload, sweep.workload, evaluate_predictors(sweep, evaluation));
}

ReferenceScore transferred(Sweep reference, const Sweep& sweep, const ReferenceOptions& options) {
  const auto count = static_cast<std::size_t>(options.reference_modes);
  if (count > 0 && count < reference.observations.size()) {
    std::vector<Observation> some;
    for (const auto row : Random(options.seed).sample(reference.observations.size(), count)) {
      some.push_back(reference.observations[row]);
    }
    reference.observations = std::move(some);
  }
  EvaluationOptions evaluation = evaluation_of(options);
  evaluation.methods = {"powertrain"};
  const std::string name = reference.workload;
  evaluation.predictor.references = {std::move(reference)};
  return summary(name, sweep.workload, evaluate_predictors(sweep, evaluation));
}

}  // namespace

std::vector<ReferenceScore> score_references(const std::vector<Sweep>& sweeps, const Board& board,
                                             const ReferenceOptions& options) {
  if (sweeps.size() < 2)
    throw UsageError("evaluate references needs two or more --sweep files", "");
  std::vector<ReferenceScore> scores;
  for (const auto& sweep : sweeps) {
    for (const auto& reference : sweeps) {
      scores.push_back(&reference == &sweep ? diagonal(sweep, options)
                                            : transferred(reference, sweep, options));
    }
    const Baselines baselines(sweep, board, options);
    for (const auto& score : {baselines.random(), baselines.maxn(), baselines.preset()}) {
      scores.push_back(score);
    }
  }
  return scores;
}

}  // namespace ridgewatt::evaluate
