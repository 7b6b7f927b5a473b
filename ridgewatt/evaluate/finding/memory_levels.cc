#include "ridgewatt/evaluate/memory_levels.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/numerics/minimize.h"
#include "ridgewatt/twin/estimate.h"

namespace ridgewatt::evaluate {
namespace {

using twin::CalibrateOptions;
using twin::CalibrationRun;
using twin::Twin;
using twin::TwinParam;
using Runs = std::vector<CalibrationRun>;

struct LevelRow {
  Observation measured;
  twin::TimePower modelled;

  double log_time() const { return std::log(modelled.time_s / measured.time_s); }
  double log_power() const { return std::log(modelled.power_w / measured.power_w); }
};

std::vector<LevelRow> rows_of(const Twin& twin, const Runs& runs) {
  std::vector<LevelRow> rows;
  for (const auto& run : runs) {
    const twin::Estimator estimator(twin, run.cost, run.options);
    for (std::size_t i = 0; i < run.observations.size(); ++i) {
      const Observation& measured = run.observations[i];
      if (run.is_flagged(i)) continue;
      rows.push_back({measured, estimator(measured.point.mode).like(measured)});
    }
  }
  return rows;
}

std::vector<std::string> workloads_of(const Runs& runs) {
  std::vector<std::string> workloads;
  for (const auto& run : runs) {
    if (!contains(workloads, run.workload)) {
      workloads.push_back(run.workload);
    }
  }
  return workloads;
}

// The runs whose workload meets a condition.
Runs runs_where(const Runs& runs, const std::function<bool(const std::string&)>& workload) {
  Runs found;
  for (const auto& run : runs) {
    if (workload(run.workload)) found.push_back(run);
  }
  return found;
}

Runs runs_of(const Runs& runs, const std::string& name) {
  return runs_where(runs, [&](const std::string& workload) { return workload == name; });
}

// Trusted rows at one level. Runs without such rows are left out.
Runs runs_at(const Runs& runs, double mem_clock_hz) {
  Runs found;
  for (const auto& run : runs) {
    CalibrationRun at = run;
    at.observations.clear();
    at.flagged.clear();
    for (std::size_t i = 0; i < run.observations.size(); ++i) {
      const bool here = run.observations[i].point.mode.mem_clock_hz == mem_clock_hz;
      if (here && !run.is_flagged(i)) at.observations.push_back(run.observations[i]);
    }
    if (!at.observations.empty()) found.push_back(std::move(at));
  }
  return found;
}

std::vector<double> levels_of(const Runs& runs) {
  std::vector<double> levels;
  for (const auto& run : runs) {
    for (const auto& row : run.observations) {
      if (row.point.mode.has(Knob::kMemClock)) levels.push_back(row.point.mode.mem_clock_hz);
    }
  }
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  return levels;
}

// Means of ln(modelled / measured).
struct Bias {
  double time = 0;
  double power = 0;
};

Bias bias_of(const std::vector<LevelRow>& rows) {
  Bias bias;
  const auto count = static_cast<double>(rows.size());
  for (const auto& row : rows) {
    bias.time += row.log_time() / count;
    bias.power += row.log_power() / count;
  }
  return bias;
}

// All workloads have the same weight.
Bias mean_bias(const Twin& twin, const Runs& runs) {
  Bias mean;
  const auto workloads = workloads_of(runs);
  const auto count = static_cast<double>(workloads.size());
  for (const auto& workload : workloads) {
    const Bias bias = bias_of(rows_of(twin, runs_of(runs, workload)));
    mean.time += bias.time / count;
    mean.power += bias.power / count;
  }
  return mean;
}

LevelErrors errors_of(const std::vector<LevelRow>& rows) {
  LevelErrors errors;
  const auto count = static_cast<double>(rows.size());
  for (const auto& [measured, modelled] : rows) {
    errors.time += std::abs(modelled.time_s / measured.time_s - 1) / count;
    errors.power += std::abs(modelled.power_w / measured.power_w - 1) / count;
    errors.energy += std::abs(modelled.energy_j() / measured.energy_j() - 1) / count;
  }
  return errors;
}

constexpr TwinParam kTimeTerms[] = {TwinParam::kMemoryBandwidthShare,
                                    TwinParam::kLaunchMemoryCycles};
constexpr TwinParam kPowerTerms[] = {TwinParam::kMemoryClockPower, TwinParam::kEnergyPerByte};
// Prior standard deviation of ln(factor) on a term. Chosen: the share of the peak bandwidth that is
// reached differs between levels by at most some tens of percent.
constexpr double kTermLogSd = 0.2;

// Residuals: ln(modelled / measured) of the rows of a level, and the priors of the factors.
class TermCost {
 public:
  TermCost(const Twin& twin, const Runs& runs, bool power, double levels,
           const CalibrateOptions& options)
      : twin_(twin), runs_(runs), power_(power), terms_(kTimeTerms) {
    if (power) terms_ = kPowerTerms;
    const double scale = power ? options.power_scale : options.time_scale;
    const double weight = power ? options.power_observations : options.time_observations;
    std::map<std::string, double> rows;
    for (const auto& run : runs) {
      rows[run.workload] += static_cast<double>(run.observations.size());
    }
    for (const auto& run : runs) {
      weights_.push_back(std::sqrt(weight / (levels * rows[run.workload])) / scale);
    }
  }

  Twin at(const Eigen::VectorXd& logs) const {
    Twin twin = twin_;
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      twin.values[static_cast<std::size_t>(terms_[i])] *=
          std::exp(logs[static_cast<Eigen::Index>(i)]);
    }
    return twin;
  }

  void operator()(const Eigen::VectorXd& logs, Eigen::VectorXd& residuals,
                  Eigen::MatrixXd* jacobian) const {
    residuals = at_factors(logs);
    if (jacobian == nullptr) return;
    constexpr double kStep = 1e-5;
    jacobian->resize(residuals.size(), logs.size());
    for (Eigen::Index i = 0; i < logs.size(); ++i) {
      Eigen::VectorXd moved = logs;
      moved[i] += kStep;
      jacobian->col(i) = (at_factors(moved) - residuals) / kStep;
    }
  }

 private:
  Eigen::VectorXd at_factors(const Eigen::VectorXd& logs) const {
    const Twin twin = at(logs);
    std::vector<double> residuals;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      for (const auto& row : rows_of(twin, {runs_[i]})) {
        residuals.push_back(weights_[i] * (power_ ? row.log_power() : row.log_time()));
      }
    }
    for (const double log : logs) residuals.push_back(log / kTermLogSd);
    return Eigen::Map<Eigen::VectorXd>(residuals.data(),
                                       static_cast<Eigen::Index>(residuals.size()));
  }

  const Twin& twin_;
  const Runs& runs_;
  bool power_;
  std::span<const TwinParam> terms_;
  std::vector<double> weights_;  // by run
};

// The twin with the terms of one level fitted to the rows of this level.
Twin fit_terms(const Twin& twin, const Runs& at_level, double levels,
               const CalibrateOptions& options) {
  Twin fitted = twin;
  for (const bool power : {false, true}) {
    const TermCost cost(fitted, at_level, power, levels, options);
    Eigen::VectorXd logs = Eigen::VectorXd::Zero(std::size(kTimeTerms));
    minimize_squares(std::cref(cost), logs);
    Twin next = cost.at(logs);
    fitted = std::move(next);
  }
  return fitted;
}

// The change from level `lower` to level `here`. All rows have the same workload.
std::optional<LevelStep> step_between(const std::vector<LevelRow>& lower,
                                      const std::vector<LevelRow>& here) {
  std::map<OperatingPoint, const LevelRow*> found;
  for (const auto& row : lower) found[row.measured.point] = &row;
  std::vector<double> measured, modelled;
  LevelStep step;
  for (const auto& row : here) {
    OperatingPoint point = row.measured.point;
    if (lower.empty()) break;
    point.mode.mem_clock_hz = lower.front().measured.point.mode.mem_clock_hz;
    const auto pair = found.find(point);
    if (pair == found.end()) continue;
    measured.push_back(pair->second->measured.time_s / row.measured.time_s - 1);
    modelled.push_back(pair->second->modelled.time_s / row.modelled.time_s - 1);
    if (measured.back() < 0) step.slower += 1;
  }
  if (measured.empty()) return std::nullopt;
  step.pairs = measured.size();
  step.measured = median(measured);
  step.modelled = median(modelled);
  step.slower /= static_cast<double>(step.pairs);
  return step;
}

// Errors on the rows of one workload at a level, by what was fitted for this level to `others`.
std::array<LevelErrors, kLevelForms> errors_by_form(const Twin& start, const Twin& unseen,
                                                    const Runs& own, const Runs& others,
                                                    double levels,
                                                    const CalibrateOptions& options) {
  const auto at = [](LevelForm form) { return static_cast<std::size_t>(form); };
  std::array<LevelErrors, kLevelForms> errors;
  auto rows = rows_of(unseen, own);
  errors.fill(errors_of(rows));
  if (others.empty()) return errors;
  const Bias bias = mean_bias(unseen, others);
  for (auto& row : rows) {
    row.modelled.time_s *= std::exp(-bias.time);
    row.modelled.power_w *= std::exp(-bias.power);
  }
  errors[at(LevelForm::kFactors)] = errors_of(rows);
  errors[at(LevelForm::kTerms)] =
      errors_of(rows_of(fit_terms(unseen, others, levels, options), own));
  errors[at(LevelForm::kTwin)] = errors_of(rows_of(fit_twin(start, others, options).twin, own));
  return errors;
}

void add_share(const MemoryLevelScore& part, double share, MemoryLevelScore& whole) {
  whole.time_bias += share * part.time_bias;
  whole.power_bias += share * part.power_bias;
  for (std::size_t form = 0; form < kLevelForms; ++form) {
    whole.errors[form].time += share * part.errors[form].time;
    whole.errors[form].power += share * part.errors[form].power;
    whole.errors[form].energy += share * part.errors[form].energy;
  }
}

}  // namespace

std::vector<MemoryLevelScore> score_memory_levels(const Twin& start, const Runs& runs,
                                                  std::span<const Twin> left_out,
                                                  const CalibrateOptions& options) {
  const auto workloads = workloads_of(runs);
  const auto levels = levels_of(runs);
  if (workloads.size() < 2 || left_out.size() != workloads.size()) {
    throw UsageError("--memory-levels needs two or more workloads", "",
                     "give sweeps of several workloads");
  }
  if (levels.empty()) throw InputError("no row of the calibration sweeps has a memory clock", "");
  std::vector<MemoryLevelScore> scores;
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    const auto is_other = [&](const std::string& workload) { return workload != workloads[i]; };
    const Runs own = runs_of(runs, workloads[i]), others = runs_where(runs, is_other);
    std::vector<LevelRow> lower;
    for (const double level : levels) {
      const Runs own_here = runs_at(own, level);
      if (own_here.empty()) continue;
      auto rows = rows_of(left_out[i], own_here);
      const Bias bias = bias_of(rows);
      scores.push_back({workloads[i], level, rows.size(), step_between(lower, rows), bias.time,
                        bias.power,
                        errors_by_form(start, left_out[i], own_here, runs_at(others, level),
                                       static_cast<double>(levels.size()), options)});
      lower = std::move(rows);
    }
  }
  return scores;
}

std::vector<MemoryLevelScore> mean_over_levels(const std::vector<MemoryLevelScore>& scores) {
  std::vector<MemoryLevelScore> means;
  for (const auto& score : scores) {
    if (means.empty() || means.back().workload != score.workload) {
      means.push_back({.workload = score.workload});
    }
    means.back().rows += score.rows;
  }
  MemoryLevelScore mean{.workload = "mean of workloads"};
  for (auto& whole : means) {
    for (const auto& score : scores) {
      if (score.workload != whole.workload) continue;
      add_share(score, static_cast<double>(score.rows) / static_cast<double>(whole.rows), whole);
    }
    add_share(whole, 1 / static_cast<double>(means.size()), mean);
    mean.rows += whole.rows;
  }
  means.push_back(std::move(mean));
  return means;
}

}  // namespace ridgewatt::evaluate
