#include "ridgewatt/evaluate/predictor_scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/parallel.h"
#include "ridgewatt/base/progress.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/csv.h"
#include "ridgewatt/predict/auto_predictor.h"
#include "ridgewatt/predict/interval.h"
#include "ridgewatt/predict/pareto.h"
#include "ridgewatt/sweep/quality.h"

namespace ridgewatt::evaluate {
namespace {

// Number of rows chosen from the prior, before any measurement.
constexpr std::size_t kFirstDesigned = 6;
constexpr std::size_t kOneByOneUntil = 20;  // up to this number one at a time, then in small groups
constexpr std::size_t kDesignedGroup = 5;

PowerMode mode_from_log(const std::string& text, const std::string& where) {
  const auto fields = split(text, '_');
  std::vector<double> values;
  for (const auto& field : fields) {
    const auto value = parse_double(field);
    if (value && *value > 0) values.push_back(*value);
  }
  if (fields.size() != 4 || values.size() != 4) {
    throw InputError(fmt::format("mode '{}' does not have the form cores_cpukHz_gpuHz_memHz", text),
                     where);
  }
  return {static_cast<int>(values[0]), values[1] * 1e3, values[2], values[3], ""};
}

std::vector<Observation> rows_at(const Sweep& sweep, const std::vector<std::size_t>& rows) {
  std::vector<Observation> result;
  for (const auto row : rows) result.push_back(sweep.observations[row]);
  return result;
}

// Chooses rows one after the other; each is measured (looked up) before the next one. From
// `general` rows on, chooses rows for the budgets while these request more.
std::vector<std::size_t> designed_rows(const Sweep& sweep, const predict::PredictorOptions& options,
                                       const predict::PowerBudgets& budgets, std::size_t count,
                                       std::size_t general) {
  const auto points = sweep.points();
  std::vector<std::size_t> rows;
  predict::PredictorOptions own = options;
  own.method = "auto";
  const auto predictor = predict::make_predictor(own);
  auto& chooser = dynamic_cast<predict::AutoPredictor&>(*predictor);
  while (rows.size() < count) {
    if (!rows.empty()) chooser.fit(rows_at(sweep, rows));
    std::vector<std::size_t> next;
    if (rows.size() >= general) next = chooser.suggest_for_budgets(points, 1, budgets);
    if (next.empty()) {
      const std::size_t group = rows.empty()                   ? kFirstDesigned
                                : rows.size() < kOneByOneUntil ? 1
                                                               : kDesignedGroup;
      const std::size_t wanted = rows.size() < general ? general : count;
      next = chooser.suggest(points, std::min(group, wanted - rows.size()));
    }
    if (next.empty()) {
      throw UsageError(
          fmt::format("the sweep has only {} operating points to choose samples from", rows.size()),
          "", "give a larger sweep");
    }
    rows.insert(rows.end(), next.begin(), next.end());
  }
  return rows;
}

// The roles of the rows in a run.
struct RowRoles {
  std::vector<bool> flagged, learned;
};

QuantityScore score_quantity(const Sweep& sweep, const RowRoles& roles,
                             const std::vector<predict::Prediction>& predictions,
                             const predict::Estimate predict::Prediction::*quantity,
                             double (*measured)(const Observation&)) {
  // Mean over some of the rows.
  struct Mean {
    double sum = 0, count = 0;
    void add(double value) { sum += value, ++count; }
    double percent() const { return 100 * sum / count; }
  };
  Mean error, trusted_error, covered, trusted_covered, unlearned_error, width;
  for (std::size_t row = 0; row < predictions.size(); ++row) {
    const predict::Estimate& estimate = predictions[row].*quantity;
    const double actual = measured(sweep.observations[row]);
    const double one = std::abs(estimate.mean / actual - 1);
    error.add(one);
    if (!roles.flagged[row]) trusted_error.add(one);
    if (roles.learned[row] || !predict::has_interval(estimate)) continue;
    const bool inside = actual >= estimate.lo && actual <= estimate.hi;
    covered.add(inside);
    if (!roles.flagged[row]) trusted_covered.add(inside);
    unlearned_error.add(one);
    width.add((estimate.hi - estimate.lo) / 2 / estimate.mean);
  }
  return {error.percent(), trusted_error.percent(), covered.percent(), trusted_covered.percent(),
          width.sum / unlearned_error.sum};
}

double time_of_sample_s(double time_s, const OperatingPoint& point) {
  return time_s / std::max(point.batch, 1);
}

}  // namespace

BudgetScore score_budgets(const Sweep& sweep, const std::vector<bool>& barred,
                          const std::vector<predict::Prediction>& predictions,
                          const std::vector<double>& powers_w, const predict::PowerBudgets& budgets,
                          double tolerance_w) {
  BudgetScore score;
  std::vector<double> penalties;
  for (const double budget_w : budgets.values_w()) {
    const Observation* optimum = nullptr;
    const Observation* answer = nullptr;
    double least_s = 0, promised_s = 0;
    for (std::size_t row = 0; row < predictions.size(); ++row) {
      if (barred[row]) continue;
      const Observation& measured = sweep.observations[row];
      const double time_s = time_of_sample_s(measured.time_s, measured.point);
      if (measured.power_w <= budget_w && (optimum == nullptr || time_s < least_s)) {
        optimum = &measured, least_s = time_s;
      }
      const double predicted_s = time_of_sample_s(predictions[row].time_s.mean, measured.point);
      if (powers_w[row] <= budget_w + tolerance_w &&
          (answer == nullptr || predicted_s < promised_s)) {
        answer = &measured, promised_s = predicted_s;
      }
    }
    if (optimum == nullptr || answer == nullptr) continue;
    ++score.answers;
    penalties.push_back(100 * (time_of_sample_s(answer->time_s, answer->point) / least_s - 1));
    const double over = answer->power_w - budget_w;
    score.over_pct += over > 0;
    score.over_by_1w_pct += over > 1;
    score.area_w += std::max(over, 0.0);
  }
  if (score.answers == 0) {
    score.penalty_pct = score.over_pct = score.over_by_1w_pct = score.area_w =
        std::numeric_limits<double>::quiet_NaN();
    return score;
  }
  score.penalty_pct = median(penalties);
  score.over_pct *= 100.0 / score.answers;
  score.over_by_1w_pct *= 100.0 / score.answers;
  score.area_w /= score.answers;
  return score;
}

GivenSamples read_given_samples(const std::string& path, const Sweep& sweep) {
  const CsvTable table = read_csv(path);
  const auto size_column = table.require_column("n_modes");
  const auto run_column = table.require_column("run");
  const auto modes_column = table.require_column("sampled_modes");
  const KnobSpace space = sweep.space();
  std::map<PowerMode, std::size_t> index;
  for (std::size_t row = 0; row < sweep.observations.size(); ++row) {
    index.emplace(sweep.observations[row].point.mode, row);
  }
  GivenSamples samples;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    auto& rows = samples[{static_cast<int>(table.number(row, size_column)),
                          static_cast<int>(table.number(row, run_column))}];
    for (const auto& text : split(table.rows[row][modes_column], ';')) {
      const PowerMode wanted = mode_from_log(text, table.where(row));
      const PowerMode& mode = space.nearest(wanted);
      for (const Knob knob : kKnobs) {
        if (mode.has(knob) && std::abs(mode.get(knob) / wanted.get(knob) - 1) > 0.02) {
          throw InputError(fmt::format("mode '{}' is not in the sweep", text), table.where(row));
        }
      }
      rows.push_back(index.at(mode));
    }
  }
  return samples;
}

Sweep shuffle_costs(Sweep sweep, std::uint64_t seed) {
  auto costs = sweep.observations;
  Random(seed).shuffle(costs);
  for (std::size_t i = 0; i < costs.size(); ++i) {
    sweep.observations[i].time_s = costs[i].time_s;
    sweep.observations[i].power_w = costs[i].power_w;
  }
  return sweep;
}

namespace {

std::vector<std::size_t> front_of(const std::vector<Observation>& rows,
                                  const std::vector<bool>& flagged) {
  std::vector<double> times, powers;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    // A flagged row is never on a front.
    times.push_back(flagged[row] ? std::numeric_limits<double>::infinity() : rows[row].time_s);
    powers.push_back(rows[row].power_w);
  }
  return predict::pareto_front(times, powers);
}

// The rows of a run from which `predict` would learn, and the share of them that the quality check
// flags.
std::pair<std::vector<Observation>, double> learned_samples(Sweep samples, bool keep_outliers) {
  const QualityReport report = check_quality(samples);
  const double share = report.flagged_share();
  const bool drop = !keep_outliers && share <= kMostFlagged;
  if (drop) samples = trusted_rows(samples, report);
  return {std::move(samples.observations), 100 * share};
}

RunScore score_predictions(const Sweep& sweep, const RowRoles& roles,
                           const std::vector<Observation>& samples,
                           const predict::Predictor& predictor, const EvaluationOptions& options) {
  RunScore score;
  const auto points = sweep.points();
  const auto predictions = predictor.predict(points, options.interval);
  score.time = score_quantity(sweep, roles, predictions, &predict::Prediction::time_s,
                              [](const Observation& o) { return o.time_s; });
  score.power = score_quantity(sweep, roles, predictions, &predict::Prediction::power_w,
                               [](const Observation& o) { return o.power_w; });
  score.energy = score_quantity(sweep, roles, predictions, &predict::Prediction::energy_j,
                                [](const Observation& o) { return o.energy_j(); });
  const bool cautious = options.confidence > 0.5;
  auto costs = cautious ? predictor.predict(points, 2 * options.confidence - 1) : predictions;
  predict::use_measured(points, samples, costs);
  std::vector<double> powers_w;
  for (const auto& cost : costs) powers_w.push_back(cautious ? cost.power_w.hi : cost.power_w.mean);
  const std::vector<bool> none(roles.flagged.size(), false);
  const std::vector<bool>& barred = options.keep_outliers ? none : roles.flagged;
  score.budget =
      score_budgets(sweep, barred, costs, powers_w, options.budgets, options.tolerance_w);
  std::vector<Observation> predicted;
  for (std::size_t row = 0; row < points.size(); ++row) {
    predicted.push_back({points[row], predictions[row].time_s.mean, predictions[row].power_w.mean});
  }
  for (const auto row : front_of(predicted, barred)) {
    score.predicted_front.push_back(predicted[row]);
    score.measured_front.push_back(sweep.observations[row]);
  }
  return score;
}

}  // namespace

std::vector<Observation> measured_front(const Sweep& sweep, const std::vector<bool>& flagged) {
  return rows_at(sweep, front_of(sweep.observations, flagged));
}

namespace {

// Runs of all methods with all sample sizes: the common parts, and the score of one run.
class PredictorRuns {
 public:
  PredictorRuns(const Sweep& sweep, const EvaluationOptions& options)
      : sweep_(sweep), options_(options), flagged_(check_quality(sweep).flagged) {
    for (const auto& method : options.methods) {
      for (const int size : options.sizes) {
        for (int run = 0; run < options.runs; ++run) jobs_.push_back({method, size, run});
      }
    }
    common_ = options.predictor;
    common_.space = sweep.points();
    common_.network.threads = 1;
    common_.kind = find_name<WorkloadKind>(sweep_.kind);
    if (transfers()) train_reference();
  }

  std::size_t count() const { return jobs_.size(); }
  const std::string& method(std::size_t i) const { return jobs_[i].method; }

  RunScore score(std::size_t i) const {
    const Job& job = jobs_[i];
    Random random = Random(options_.seed)
                        .fork(static_cast<std::uint64_t>(job.size))
                        .fork(static_cast<std::uint64_t>(job.run));
    predict::PredictorOptions own = common_;
    own.method = job.method;
    own.seed = random.next();
    own.design_seed = static_cast<std::uint64_t>(job.run);
    const auto rows = rows_of(job, random, own);
    RowRoles roles{flagged_, std::vector<bool>(flagged_.size(), false)};
    for (const auto row : rows) roles.learned[row] = true;
    const auto [samples, flagged_pct] =
        learned_samples(profiled(rows, random), options_.keep_outliers);
    const auto predictor = predict::make_predictor(own);
    predictor->fit(samples);
    RunScore score = score_predictions(sweep_, roles, samples, *predictor, options_);
    score.method = job.method;
    score.size = job.size;
    score.run = job.run;
    score.flagged_samples_pct = flagged_pct;
    return score;
  }

 private:
  struct Job {
    std::string method;
    int size, run;
  };

  bool transfers() const {
    return contains(options_.methods, "powertrain") && !common_.reference_model &&
           !common_.references.empty();
  }

  // One reference model serves all runs.
  void train_reference() {
    predict::NnOptions network = common_.network;
    network.rows_per_mode = common_.reference_rows_per_mode;
    network.seed = options_.seed;
    network.threads = options_.threads;
    common_.reference_model = predict::train_reference(common_.references[0].workload,
                                                       common_.references[0].observations, network);
  }

  std::vector<std::size_t> rows_of(const Job& job, Random& random,
                                   const predict::PredictorOptions& own) const {
    const auto count = static_cast<std::size_t>(job.size);
    const std::size_t all = sweep_.observations.size();
    if (count == 0 || count > all) {
      throw UsageError(fmt::format("cannot take {} samples from a sweep of {} rows", job.size, all),
                       "", "give smaller --sizes");
    }
    if (options_.sampling == Sampling::kRandom) return random.sample(all, count);
    if (options_.sampling != Sampling::kGiven) {
      const bool half = options_.sampling == Sampling::kBudgets;
      return designed_rows(sweep_, own, options_.budgets, count, half ? (count + 1) / 2 : count);
    }
    const auto found = options_.given.find({job.size, job.run});
    if (found == options_.given.end()) {
      throw UsageError(fmt::format("the file of --runs-file has no run {} with {} sampled modes",
                                   job.run, job.size),
                       "", "give fewer --runs, or other --sizes");
    }
    return found->second;
  }

  // The profiles of `rows`, one of which is disturbed if an outlier is requested.
  Sweep profiled(const std::vector<std::size_t>& rows, Random& random) const {
    Sweep samples = sweep_.without_rows();
    samples.observations = rows_at(sweep_, rows);
    if (options_.outlier == 0) return samples;
    Observation& disturbed = samples.observations[random.below(rows.size())];
    disturbed.time_s *= 1 + options_.outlier;
    disturbed.power_w *= 1 + options_.outlier;
    return samples;
  }

  const Sweep& sweep_;
  const EvaluationOptions& options_;
  std::vector<bool> flagged_;
  std::vector<Job> jobs_;
  predict::PredictorOptions common_;
};

// Visits the figures of a run in the order in which a part of an evaluation stores them.
template <typename Score, typename Visit>
void visit_figures(Score& score, Visit visit) {
  for (auto* quantity : {&score.time, &score.power, &score.energy}) {
    visit(quantity->mape_pct);
    visit(quantity->trusted_mape_pct);
    visit(quantity->coverage_pct);
    visit(quantity->trusted_coverage_pct);
    visit(quantity->width_ratio);
  }
  visit(score.budget.penalty_pct);
  visit(score.budget.over_pct);
  visit(score.budget.over_by_1w_pct);
  visit(score.budget.area_w);
  visit(score.flagged_samples_pct);
}

class PredictorQuestion : public Question {
 public:
  PredictorQuestion(Sweep sweep, EvaluationOptions options)
      : sweep_(std::move(sweep)), options_(std::move(options)), runs_(sweep_, options_) {
    for (const auto& method : options_.methods) {
      for (const int size : options_.sizes) {
        Json names;
        names["method"] = method;
        names["modes"] = size;
        groups_.push_back({std::move(names), static_cast<std::size_t>(options_.runs)});
      }
    }
  }

  const std::vector<OutcomeGroup>& groups() const override { return groups_; }
  std::size_t units() const override { return runs_.count(); }

  void work(const std::vector<std::size_t>& wanted, int threads,
            const std::function<void(UnitOutcomes)>& give) const override {
    const auto runs = static_cast<std::size_t>(options_.runs);
    parallel_for(
        wanted.size(),
        [&](std::size_t i) {
          const Stopwatch watch;
          const RunScore score = runs_.score(wanted[i]);
          Outcome outcome{wanted[i] / runs, wanted[i] % runs, {}};
          visit_figures(score, [&](double value) { outcome.values.push_back(value); });
          outcome.values.push_back(score.budget.answers);
          give({wanted[i], {std::move(outcome)}, watch.s()});
        },
        threads);
  }

 private:
  Sweep sweep_;
  EvaluationOptions options_;
  PredictorRuns runs_;
  std::vector<OutcomeGroup> groups_;
};

}  // namespace

std::vector<RunScore> evaluate_predictors(const Sweep& sweep, const EvaluationOptions& options) {
  const PredictorRuns runs(sweep, options);
  std::vector<RunScore> scores(runs.count());
  Progress progress("evaluating predictors", runs.count(), options.quiet);
  std::mutex mutex;
  std::size_t done = 0;
  parallel_for(
      runs.count(),
      [&](std::size_t i) {
        scores[i] = runs.score(i);
        const std::lock_guard lock(mutex);
        progress.update(++done, runs.method(i));
      },
      options.threads);
  return scores;
}

std::unique_ptr<Question> predictor_question(const Sweep& sweep, const EvaluationOptions& options) {
  return std::make_unique<PredictorQuestion>(sweep, options);
}

std::vector<RunScore> predictor_scores(const std::vector<OutcomeGroup>& groups,
                                       const Outcomes& outcomes) {
  std::vector<RunScore> scores;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    int run = 0;
    for (const auto& values : outcomes.values[g]) {
      RunScore score;
      std::size_t next = 0;
      if (values.size() != 21) throw InputError("an outcome of a predictor must have 21 numbers");
      visit_figures(score, [&](double& value) { value = values[next++]; });
      score.budget.answers = static_cast<int>(values[next]);
      score.method = groups[g].names.at("method").get<std::string>();
      score.size = groups[g].names.at("modes").get<int>();
      score.run = run++;
      scores.push_back(std::move(score));
    }
  }
  return scores;
}

}  // namespace ridgewatt::evaluate
