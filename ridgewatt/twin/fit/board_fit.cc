#include "ridgewatt/twin/board_fit.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/parallel.h"
#include "ridgewatt/base/progress.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/numerics/dense.h"
#include "ridgewatt/numerics/minimize.h"
#include "ridgewatt/numerics/posterior.h"
#include "ridgewatt/twin/hardware.h"
#include "ridgewatt/twin/twin_score.h"

namespace ridgewatt::twin {
namespace {

constexpr auto kUnknowns = static_cast<Eigen::Index>(kTwinParamCount);
// Log deviation that is assumed if the model predicts a difference with the wrong sign.
constexpr double kWrongSign = 3;

Eigen::VectorXd logs_of(const Twin& twin) {
  Eigen::VectorXd logs(kUnknowns);
  for (Eigen::Index i = 0; i < kUnknowns; ++i) {
    logs[i] = std::log(twin.values[static_cast<std::size_t>(i)]);
  }
  return logs;
}

// Inverse square root of the covariance of the prior's logarithms. It makes them independent.
Eigen::MatrixXd whitening(const Twin& prior) {
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(kUnknowns, kUnknowns);
  for (Eigen::Index i = 0; i < kUnknowns; ++i) {
    const auto row = static_cast<std::size_t>(i);
    if (!(prior.log_sd[row] > 0))
      throw UsageError("the twin that is used as a prior has no standard deviations", prior.board);
    for (Eigen::Index j = 0; j < kUnknowns; ++j) {
      const auto column = static_cast<std::size_t>(j);
      const double correlation = i == j ? 1
                                 : prior.correlations.empty()
                                     ? 0
                                     : prior.correlations[row * kTwinParamCount + column];
      covariance(i, j) = correlation * prior.log_sd[row] * prior.log_sd[column];
    }
  }
  // Rounded correlations can give a negative eigenvalue, which is raised here.
  const EigenPairs parts = symmetric_eigen(covariance);
  const double least = 1e-8 * parts.values.maxCoeff();
  const Eigen::VectorXd roots = parts.values.cwiseMax(least).cwiseSqrt();
  return roots.cwiseInverse().asDiagonal() * parts.vectors.transpose();
}

// Residuals of evidence, of rows of sweeps, and of the prior, as functions of all log parameters.
class BoardCost {
 public:
  BoardCost(const Twin& prior, const std::vector<Evidence>& evidence,
            const std::vector<CalibrationRun>& runs, const CalibrateOptions& options,
            const std::vector<ParameterObservation>& parameters)
      : prior_(prior),
        evidence_(evidence),
        parameters_(parameters),
        options_(options),
        middle_(logs_of(prior)),
        whitening_(whitening(prior)) {
    count_ = static_cast<Eigen::Index>(evidence_.size() + parameters_.size()) + kUnknowns;
    const Random random(options.seed);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (!runs[i].board.empty()) continue;
      Fitted fitted{&runs[i], {}};
      for (std::size_t row = 0; row < runs[i].observations.size(); ++row) {
        if (!runs[i].is_flagged(row)) fitted.rows.push_back(row);
      }
      Random(random.fork(i)).shuffle(fitted.rows);
      if (fitted.rows.size() > static_cast<std::size_t>(options.rows_per_run)) {
        fitted.rows.resize(static_cast<std::size_t>(options.rows_per_run));
      }
      std::sort(fitted.rows.begin(), fitted.rows.end());
      rows_of_workload_[runs[i].workload] += static_cast<double>(fitted.rows.size());
      count_ += 2 * static_cast<Eigen::Index>(fitted.rows.size());
      fitted_.push_back(std::move(fitted));
    }
  }

  const Eigen::VectorXd& start() const { return middle_; }

  Twin at(const Eigen::VectorXd& logs) const {
    Twin twin = prior_;
    for (Eigen::Index i = 0; i < kUnknowns; ++i) {
      twin.values[static_cast<std::size_t>(i)] = std::exp(logs[i]);
    }
    double& products = twin.values[static_cast<std::size_t>(TwinParam::kGemmRate)];
    // Unlike convolutions, products cannot save multiplications.
    products = std::min(1.0, products);
    limit_tensor_share(twin);
    return twin;
  }

  void operator()(const Eigen::VectorXd& logs, Eigen::VectorXd& residuals,
                  Eigen::MatrixXd* jacobian) const {
    evaluate(logs, residuals);
    if (jacobian == nullptr) return;
    constexpr double kStep = 1e-5;
    jacobian->resize(count_, kUnknowns);
    parallel_for(
        kTwinParamCount,
        [&](std::size_t i) {
          const auto column = static_cast<Eigen::Index>(i);
          Eigen::VectorXd moved_logs = logs, moved;
          moved_logs[column] += kStep;
          evaluate(moved_logs, moved);
          jacobian->col(column) = (moved - residuals) / kStep;
        },
        options_.threads);
  }

 private:
  struct Fitted {
    const CalibrationRun* run;
    std::vector<std::size_t> rows;
  };

  // Rows of one workload share the model's error, so together they count as fewer independent rows.
  double weight(const Fitted& fitted, double observations) const {
    return std::sqrt(std::min(1.0, observations / rows_of_workload_.at(fitted.run->workload)));
  }

  void evaluate(const Eigen::VectorXd& logs, Eigen::VectorXd& residuals) const {
    residuals.resize(count_);
    const Twin twin = at(logs);
    Eigen::Index next = 0;
    for (const auto& row : evidence_) {
      const double off = std::log(modelled(row, twin) / row.value);
      residuals[next++] = soft_l1(std::isfinite(off) ? off / row.log_sd : -kWrongSign / row.log_sd);
    }
    for (const auto& seen : parameters_) {
      residuals[next++] = soft_l1(std::log(twin[seen.param] / seen.value) / seen.log_sd);
    }
    for (const auto& fitted : fitted_) {
      const Estimator estimator(twin, fitted.run->cost, fitted.run->options);
      const double time_weight = weight(fitted, options_.time_observations);
      const double power_weight = weight(fitted, options_.power_observations);
      for (const std::size_t row : fitted.rows) {
        const Observation& seen = fitted.run->observations[row];
        const TimePower at = estimator(seen.point.mode).like(seen);
        residuals[next++] =
            time_weight * soft_l1(std::log(at.time_s / seen.time_s) / options_.time_scale);
        residuals[next++] =
            power_weight * soft_l1(std::log(at.power_w / seen.power_w) / options_.power_scale);
      }
    }
    residuals.tail(kUnknowns) = whitening_ * (logs - middle_);
  }

  Twin prior_;
  const std::vector<Evidence>& evidence_;
  const std::vector<ParameterObservation>& parameters_;
  const CalibrateOptions& options_;
  Eigen::VectorXd middle_;
  Eigen::MatrixXd whitening_;
  std::vector<Fitted> fitted_;
  std::map<std::string, double> rows_of_workload_;
  Eigen::Index count_ = 0;
};

// Widens the intervals to at least the scatter of the rows of the fit: the root mean square of the
// log errors, each workload counted once.
void widen_to_rows(const std::vector<CalibrationRun>& runs, Twin& twin) {
  std::map<std::string, std::array<double, kQuantities.size()>> squares;
  std::map<std::string, double> rows;
  for (const auto& run : runs) {
    if (!run.board.empty()) continue;
    const Estimator estimator(twin, run.cost, run.options);
    for (std::size_t row = 0; row < run.observations.size(); ++row) {
      if (run.is_flagged(row)) continue;
      const Observation& seen = run.observations[row];
      const TimePower at = estimator(seen.point.mode).like(seen);
      const double time = std::log(at.time_s / seen.time_s);
      const double power = std::log(at.power_w / seen.power_w);
      auto& sums = squares[run.workload];
      sums[kTime] += squared(time), sums[kPower] += squared(power);
      sums[kEnergy] += squared(time + power);
      ++rows[run.workload];
    }
  }
  for (std::size_t q = 0; q < kQuantities.size(); ++q) {
    double mean = 0;
    for (const auto& [workload, sums] : squares) {
      mean += sums[q] / rows[workload] / static_cast<double>(squares.size());
    }
    double& home = twin.errors.scales[q].home;
    home = std::max(home, std::sqrt(mean));
  }
}

}  // namespace

BoardFit fit_board(const Twin& prior, const std::vector<Evidence>& evidence,
                   const std::vector<CalibrationRun>& runs, const CalibrateOptions& options,
                   const std::vector<ParameterObservation>& parameters) {
  options.check();
  const BoardCost cost(prior, evidence, runs, options, parameters);
  Eigen::VectorXd logs = cost.start();
  std::optional<Progress> progress;  // absent: a part of longer work
  if (!options.quiet) progress.emplace("fitting the twin", 1);
  int steps = 0;
  const auto residuals_of = [&](const Eigen::VectorXd& at, Eigen::VectorXd& residuals,
                                Eigen::MatrixXd* jacobian) {
    if (progress) progress->update(0, fmt::format("step {}", ++steps));
    cost(at, residuals, jacobian);
  };
  const SquaresReport report = minimize_squares(residuals_of, logs,
                                                {.max_iterations = 3 * options.max_iterations,
                                                 .gradient_tolerance = 1e-8,
                                                 .absolute_tolerance = 0,
                                                 .relative_tolerance = 1e-6,
                                                 .take_last_step = false,
                                                 .first_damping = 1e-4});
  BoardFit fit;
  fit.twin = cost.at(logs);
  fit.search = {report.iterations, report.converged};
  Eigen::VectorXd residuals;
  Eigen::MatrixXd jacobian;
  cost(logs, residuals, &jacobian);
  Posterior known = posterior(jacobian, prior.board);
  std::copy(known.deviations.begin(), known.deviations.end(), fit.twin.log_sd.begin());
  fit.twin.correlations = std::move(known.correlations);
  fit.twin.scaled = false;
  const bool figures_alone = runs.empty() && prior.scaled;
  fit.twin.status = figures_alone ? "fitted to published figures" : fitted_status(runs);
  fit.twin.fit = {};
  const std::vector<CalibrationRun> home = runs_at_home(runs);
  fit.workloads = score_twin(fit.twin, home);
  if (!fit.workloads.empty()) {
    const FitScore mean = mean_over(fit.workloads, &WorkloadFit::score);
    fit.twin.fit.time_mape = mean.time;
    fit.twin.fit.power_mape = mean.power;
  }
  widen_to_rows(runs, fit.twin);
  for (const auto& row : evidence) {
    if (row.at.cost) fit.twin.home.add(row.workload, features_of(*row.at.cost));
    fit.rows.push_back({row, modelled(row, prior), modelled(row, fit.twin)});
  }
  for (const auto& run : runs) {
    if (run.board.empty()) fit.twin.home.add(run.workload, features_of(*run.cost));
  }
  return fit;
}

}  // namespace ridgewatt::twin
