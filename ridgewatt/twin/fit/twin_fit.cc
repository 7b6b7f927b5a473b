#include "ridgewatt/twin/twin_fit.h"

#include <ceres/ceres.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/parallel.h"
#include "ridgewatt/base/random.h"

namespace ridgewatt {
namespace {

// Parameters of one stage: those of time, or those of power.
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

// Soft L1 as a residual: half its square is the loss, its sign is kept.
double soft_l1(double scaled) {
  return std::copysign(std::sqrt(2 * (std::sqrt(1 + scaled * scaled) - 1)), scaled);
}

// Residuals of all fitted rows, then of the priors, over the logarithms of a stage's parameters.
class StageCost : public ceres::CostFunction {
 public:
  StageCost(const Twin& twin, std::vector<FittedRun> runs, bool power,
            const CalibrateOptions& options)
      : twin_(twin),
        runs_(std::move(runs)),
        parameters_(stage_parameters(power)),
        power_(power),
        scale_(power ? options.power_scale : options.time_scale),
        threads_(options.threads) {
    std::size_t rows = 0;
    for (const auto& run : runs_) rows += run.rows.size();
    set_num_residuals(static_cast<int>(rows + parameters_.size()));
    mutable_parameter_block_sizes()->push_back(static_cast<int>(parameters_.size()));
  }

  std::size_t size() const { return parameters_.size(); }

  Twin at(const double* logs) const {
    Twin twin = twin_;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      twin.values[static_cast<std::size_t>(parameters_[i])] = std::exp(logs[i]);
    }
    return twin;
  }

  std::vector<double> start() const {
    std::vector<double> logs;
    for (const auto param : parameters_) logs.push_back(std::log(twin_[param]));
    return logs;
  }

  void residuals(const double* logs, double* out) const {
    const Twin twin = at(logs);
    for (const auto& [run, rows, weight] : runs_) {
      const Estimator estimator(twin, run->cost, run->options);
      for (const std::size_t row : rows) {
        const auto& measured = run->observations[row];
        const TimePower modelled = estimator(measured.point.mode).like(measured);
        const double ratio =
            power_ ? modelled.power_w / measured.power_w : modelled.time_s / measured.time_s;
        *out++ = weight * soft_l1(std::log(ratio) / scale_);
      }
    }
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const auto& spec = spec_of(parameters_[i]);
      *out++ = (logs[i] - std::log(spec.prior)) / spec.prior_log_sd;
    }
  }

  // Forward differences: the residuals are smooth but for changes of the longest chain.
  bool Evaluate(double const* const* parameters, double* out, double** jacobians) const override {
    residuals(parameters[0], out);
    if (jacobians == nullptr || jacobians[0] == nullptr) return true;
    constexpr double kStep = 1e-5;
    const auto rows = static_cast<std::size_t>(num_residuals());
    Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> jacobian(
        jacobians[0], num_residuals(), static_cast<Eigen::Index>(size()));
    parallel_for(
        size(),
        [&](std::size_t i) {
          std::vector<double> logs(parameters[0], parameters[0] + size());
          logs[i] += kStep;
          std::vector<double> moved(rows);
          residuals(logs.data(), moved.data());
          for (std::size_t r = 0; r < rows; ++r) {
            jacobian(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(i)) =
                (moved[r] - out[r]) / kStep;
          }
        },
        threads_);
    return true;
  }

  // Posterior deviations and correlations of the logarithms: the inverse of the Gauss-Newton
  // matrix.
  void set_deviations(const std::vector<double>& logs, Twin& twin) const {
    const auto rows = static_cast<Eigen::Index>(num_residuals());
    const auto columns = static_cast<Eigen::Index>(size());
    Eigen::VectorXd out(rows);
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> jacobian(rows, columns);
    const double* parameters[] = {logs.data()};
    double* jacobians[] = {jacobian.data()};
    Evaluate(parameters, out.data(), jacobians);
    const Eigen::MatrixXd inverse =
        (jacobian.transpose() * jacobian).ldlt().solve(Eigen::MatrixXd::Identity(columns, columns));
    const Eigen::VectorXd deviations = inverse.diagonal().cwiseMax(0).cwiseSqrt();
    if (twin.correlations.empty()) {
      twin.correlations.resize(kTwinParamCount * kTwinParamCount, 0.0);
      for (std::size_t i = 0; i < kTwinParamCount; ++i) {
        twin.correlations[i * kTwinParamCount + i] = 1;
      }
    }
    for (Eigen::Index i = 0; i < columns; ++i) {
      const auto row = static_cast<std::size_t>(parameters_[static_cast<std::size_t>(i)]);
      twin.log_sd[row] = deviations(i);
      for (Eigen::Index j = 0; j < columns; ++j) {
        const auto column = static_cast<std::size_t>(parameters_[static_cast<std::size_t>(j)]);
        const double both = deviations(i) * deviations(j);
        twin.correlations[row * kTwinParamCount + column] =
            i == j     ? 1
            : both > 0 ? std::clamp(inverse(i, j) / both, -1.0, 1.0)
                       : 0;
      }
    }
  }

 private:
  Twin twin_;
  std::vector<FittedRun> runs_;
  std::vector<TwinParam> parameters_;
  bool power_;
  double scale_;
  int threads_;
};

Twin fit_stage(const Twin& start, const std::vector<CalibrationRun>& runs, bool power,
               const CalibrateOptions& options, TwinFitReport* report_to) {
  auto* cost = new StageCost(start, choose_rows(runs, power, options), power, options);
  std::vector<double> logs = cost->start();
  ceres::Problem problem;
  problem.AddResidualBlock(cost, nullptr, logs.data());  // owns `cost`
  ceres::Solver::Options solver;
  solver.linear_solver_type = ceres::DENSE_QR;
  solver.max_num_iterations = options.max_iterations;
  solver.function_tolerance = 1e-5;
  solver.logging_type = ceres::SILENT;
  ceres::Solver::Summary report;
  ceres::Solve(solver, &problem, &report);
  if (!report.IsSolutionUsable()) {
    throw Error("the fit of the twin failed", power ? "power" : "time", report.message);
  }
  Twin twin = cost->at(logs.data());
  cost->set_deviations(logs, twin);
  if (report_to != nullptr) {
    report_to->iterations += report.num_successful_steps + report.num_unsuccessful_steps;
    report_to->initial_cost += report.initial_cost;
    report_to->final_cost += report.final_cost;
    report_to->converged =
        (power ? report_to->converged : true) && report.termination_type == ceres::CONVERGENCE;
  }
  return twin;
}

}  // namespace

Twin fit_twin(const Twin& start, const std::vector<CalibrationRun>& runs,
              const CalibrateOptions& options, TwinFitReport* report) {
  Twin twin = fit_stage(start, runs, false, options, report);
  if (options.fit_power) {
    // How long loading takes shows in power first; it bears on time where cores are few.
    twin = fit_stage(twin, runs, true, options, report);
    twin = fit_stage(twin, runs, false, options, report);
    twin = fit_stage(twin, runs, true, options, report);
  }
  twin.status = "fitted";
  twin.home = {};
  for (const auto& run : runs) twin.home.add(run.workload, features_of(*run.cost));
  return twin;
}

Twin fit_twin_without(const Twin& start, const std::vector<CalibrationRun>& runs,
                      const std::string& workload, const CalibrateOptions& options) {
  std::vector<CalibrationRun> others;
  for (const auto& run : runs) {
    if (run.workload != workload) others.push_back(run);
  }
  if (others.empty()) throw UsageError("no workload is left to fit", workload);
  return fit_twin(start, others, options);
}

}  // namespace ridgewatt
