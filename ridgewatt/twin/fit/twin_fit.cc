#include "ridgewatt/twin/twin_fit.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <span>

#include "ridgewatt/base/check_option.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/parallel.h"
#include "ridgewatt/base/progress.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/numerics/minimize.h"
#include "ridgewatt/numerics/posterior.h"
#include "ridgewatt/twin/estimate/moved_twins.h"

namespace ridgewatt::twin {
namespace {

// The parameters of one stage: of time or of power.
std::vector<TwinParam> stage_parameters(bool power) {
  std::vector<TwinParam> parameters;
  for (const auto& spec : twin_parameters()) {
    if (spec.power == power) parameters.push_back(spec.param);
  }
  return parameters;
}

const TwinParamSpec& spec_of(TwinParam param) {
  return twin_parameters()[static_cast<std::size_t>(param)];
}

// The rows of a run that are fitted, and the weight of each.
struct FittedRun {
  const CalibrationRun* run = nullptr;
  std::vector<std::size_t> rows;
  double weight = 1;
};

std::vector<FittedRun> choose_rows(const std::vector<CalibrationRun>& runs, bool power,
                                   const CalibrateOptions& options) {
  std::vector<FittedRun> fitted;
  std::map<std::string, std::size_t> rows_of_workload;
  const Random random(options.seed);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    FittedRun chosen{&runs[i], {}, 1};
    for (std::size_t row = 0; row < runs[i].observations.size(); ++row) {
      if (runs[i].flagged.empty() || !runs[i].flagged[row]) chosen.rows.push_back(row);
    }
    Random(random.fork(i)).shuffle(chosen.rows);
    if (chosen.rows.size() > static_cast<std::size_t>(options.rows_per_run)) {
      chosen.rows.resize(static_cast<std::size_t>(options.rows_per_run));
    }
    std::sort(chosen.rows.begin(), chosen.rows.end());
    rows_of_workload[runs[i].workload] += chosen.rows.size();
    fitted.push_back(std::move(chosen));
  }
  for (auto& run : fitted) {
    run.weight = std::sqrt((power ? options.power_observations : options.time_observations) /
                           static_cast<double>(rows_of_workload[run.run->workload]));
  }
  return fitted;
}

// Residuals of all fitted rows, then of the priors, as functions of a stage's log parameters.
class StageCost {
 public:
  StageCost(const Twin& twin, std::vector<FittedRun> runs, bool power,
            const CalibrateOptions& options)
      : twin_(twin),
        runs_(std::move(runs)),
        parameters_(stage_parameters(power)),
        power_(power),
        scale_(power ? options.power_scale : options.time_scale),
        threads_(options.threads) {
    for (const auto& run : runs_) rows_ += static_cast<Eigen::Index>(run.rows.size());
    rows_ += static_cast<Eigen::Index>(parameters_.size());
  }

  Twin at(const Eigen::VectorXd& logs) const {
    Twin twin = twin_;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      twin.values[static_cast<std::size_t>(parameters_[i])] =
          std::exp(logs[static_cast<Eigen::Index>(i)]);
    }
    return twin;
  }

  Eigen::VectorXd start() const {
    Eigen::VectorXd logs(static_cast<Eigen::Index>(parameters_.size()));
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      logs[static_cast<Eigen::Index>(i)] = std::log(twin_[parameters_[i]]);
    }
    return logs;
  }

  void operator()(const Eigen::VectorXd& logs, Eigen::VectorXd& residuals,
                  Eigen::MatrixXd* jacobian) const {
    const Twin twin = at(logs);
    std::vector<Estimator> estimators;
    estimators.reserve(runs_.size());
    for (const auto& fitted : runs_) {
      estimators.emplace_back(twin, fitted.run->cost, fitted.run->options);
    }
    evaluate(logs, estimators, residuals);
    if (jacobian != nullptr) differentiate(logs, residuals, estimators, *jacobian);
  }

  // Posterior deviations and correlations of the logarithms.
  void set_deviations(const Eigen::VectorXd& logs, Twin& twin) const {
    Eigen::VectorXd residuals;
    Eigen::MatrixXd jacobian;
    (*this)(logs, residuals, &jacobian);
    const Posterior known = posterior(jacobian, power_ ? "power" : "time");
    if (twin.correlations.empty()) {
      twin.correlations.resize(kTwinParamCount * kTwinParamCount, 0.0);
      for (std::size_t i = 0; i < kTwinParamCount; ++i) {
        twin.correlations[i * kTwinParamCount + i] = 1;
      }
    }
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const auto row = static_cast<std::size_t>(parameters_[i]);
      twin.log_sd[row] = known.deviations[i];
      for (std::size_t j = 0; j < parameters_.size(); ++j) {
        const auto column = static_cast<std::size_t>(parameters_[j]);
        twin.correlations[row * kTwinParamCount + column] = known.correlation(i, j);
      }
    }
  }

 private:
  double residual(const MinibatchCost& cost, const Observation& measured, double weight) const {
    const TimePower modelled = cost.like(measured);
    const double ratio =
        power_ ? modelled.power_w / measured.power_w : modelled.time_s / measured.time_s;
    return weight * soft_l1(std::log(ratio) / scale_);
  }

  double of_prior(const Eigen::VectorXd& logs, std::size_t parameter) const {
    const auto& spec = spec_of(parameters_[parameter]);
    return (logs[static_cast<Eigen::Index>(parameter)] - std::log(spec.prior)) / spec.prior_log_sd;
  }

  // `estimators`: one per run, of the twin at `logs`.
  void evaluate(const Eigen::VectorXd& logs, const std::vector<Estimator>& estimators,
                Eigen::VectorXd& residuals) const {
    residuals.resize(rows_);
    double* out = residuals.data();
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      const auto& [run, rows, weight] = runs_[r];
      for (const std::size_t row : rows) {
        const auto& measured = run->observations[row];
        *out++ = residual(estimators[r](measured.point.mode), measured, weight);
      }
    }
    for (std::size_t i = 0; i < parameters_.size(); ++i) *out++ = of_prior(logs, i);
  }

  // Forward differences. The residuals are smooth except where the longest chain changes.
  void differentiate(const Eigen::VectorXd& logs, const Eigen::VectorXd& residuals,
                     const std::vector<Estimator>& estimators, Eigen::MatrixXd& jacobian) const {
    constexpr double kStep = 1e-5;
    constexpr std::size_t kTogether = 8;  // chosen: parameters per task of a thread
    const std::size_t count = parameters_.size();
    const auto of_priors = rows_ - static_cast<Eigen::Index>(count);
    jacobian.setZero(rows_, logs.size());
    std::vector<Twin> moved;
    for (Eigen::Index i = 0; i < logs.size(); ++i) {
      Eigen::VectorXd moved_logs = logs;
      moved_logs[i] += kStep;
      moved.push_back(at(moved_logs));
      const Eigen::Index row = of_priors + i;
      jacobian(row, i) =
          (of_prior(moved_logs, static_cast<std::size_t>(i)) - residuals[row]) / kStep;
    }
    std::vector<Eigen::Index> first_rows{0};
    for (const auto& run : runs_) {
      first_rows.push_back(first_rows.back() + static_cast<Eigen::Index>(run.rows.size()));
    }
    const std::size_t parts = (count + kTogether - 1) / kTogether;
    parallel_for(
        runs_.size() * parts,
        [&](std::size_t task) {
          const std::size_t r = task / parts, first = task % parts * kTogether;
          const auto twins = std::span(moved).subspan(first, std::min(kTogether, count - first));
          MovedTwins costs_of(estimators[r], twins);
          const auto& [run, rows, weight] = runs_[r];
          Eigen::Index at = first_rows[r];
          for (const std::size_t row : rows) {
            const auto& measured = run->observations[row];
            const std::vector<MinibatchCost> costs = costs_of(measured.point.mode);
            for (std::size_t i = 0; i < costs.size(); ++i) {
              jacobian(at, static_cast<Eigen::Index>(first + i)) =
                  (residual(costs[i], measured, weight) - residuals[at]) / kStep;
            }
            ++at;
          }
        },
        threads_);
  }

  Twin twin_;
  std::vector<FittedRun> runs_;
  std::vector<TwinParam> parameters_;
  Eigen::Index rows_ = 0;  // number of residuals: of the rows, then of the priors
  bool power_;
  double scale_;
  int threads_;
};

// The stages of a fit. Power determines the loading time best. The loading time affects time if
// cores are few.
constexpr bool kPowerStages[] = {false, true, false, true};

// Replaces `fit.twin` with the fit of one stage and adds to its report. Calls `step` before each
// evaluation.
void fit_stage(const std::vector<CalibrationRun>& runs, bool power, const CalibrateOptions& options,
               const std::function<void()>& step, TwinFit& fit) {
  const StageCost cost(fit.twin, choose_rows(runs, power, options), power, options);
  Eigen::VectorXd logs = cost.start();
  const auto residuals_of = [&](const Eigen::VectorXd& at, Eigen::VectorXd& residuals,
                                Eigen::MatrixXd* jacobian) {
    step();
    cost(at, residuals, jacobian);
  };
  const SquaresReport report = minimize_squares(residuals_of, logs,
                                                {.max_iterations = options.max_iterations,
                                                 .gradient_tolerance = 1e-10,
                                                 .absolute_tolerance = 0,
                                                 .relative_tolerance = 1e-5,
                                                 .take_last_step = false,
                                                 .first_damping = 1e-4});
  fit.twin = cost.at(logs);
  cost.set_deviations(logs, fit.twin);
  fit.search.iterations += report.iterations;
  fit.search.converged = (power ? fit.search.converged : true) && report.converged;
}

}  // namespace

void CalibrateOptions::check() const {
  const auto positive = [](double value, std::string_view field) {
    require_option(value > 0 && std::isfinite(value), field, value, "positive");
  };
  positive(time_scale, "CalibrateOptions::time_scale");
  positive(power_scale, "CalibrateOptions::power_scale");
  positive(time_observations, "CalibrateOptions::time_observations");
  positive(power_observations, "CalibrateOptions::power_observations");
  require_option(rows_per_run >= 1, "CalibrateOptions::rows_per_run", rows_per_run, "1 or more");
  require_option(max_iterations >= 1, "CalibrateOptions::max_iterations", max_iterations,
                 "1 or more");
  require_option(threads >= 0, "CalibrateOptions::threads", threads, "0 (all processors) or more");
}

TwinFit fit_twin(const Twin& start, const std::vector<CalibrationRun>& runs,
                 const CalibrateOptions& options) {
  options.check();
  TwinFit fit{start, {}};
  const std::size_t stages = options.fit_power ? std::size(kPowerStages) : 1;
  std::optional<Progress> progress;  // absent: a part of longer work
  if (!options.quiet) progress.emplace("fitting the twin", stages);
  for (std::size_t stage = 0; stage < stages; ++stage) {
    int steps = 0;
    const auto step = [&] {
      if (!progress) return;
      progress->update(stage,
                       fmt::format("{}, step {}", kPowerStages[stage] ? "power" : "time", ++steps));
    };
    fit_stage(runs, kPowerStages[stage], options, step, fit);
  }
  fit.twin.status = fitted_status(runs);
  fit.twin.home = {};
  for (const auto& run : runs) {
    fit.twin.home.add(run.workload, features_of(*run.cost));
    for (const auto& row : run.observations) {
      fit.twin.home.add_cpu_clock(run.cost->kind, row.point.mode.cpu_clock_hz);
    }
  }
  return fit;
}

TwinFit fit_twin_without(const Twin& start, const std::vector<CalibrationRun>& runs,
                         const std::string& workload, const CalibrateOptions& options) {
  std::vector<CalibrationRun> others;
  for (const auto& run : runs) {
    if (run.workload != workload) others.push_back(run);
  }
  if (others.empty())
    throw UsageError("the fit of the twin needs a workload other than the one that is left out",
                     workload, "give sweeps of at least two workloads");
  return fit_twin(start, others, options);
}

}  // namespace ridgewatt::twin
