#include "ridgewatt/roofline/calibrate.h"

#include <ceres/ceres.h>
#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <set>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/parallel.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/base/statistics.h"

namespace ridgewatt {
namespace {

constexpr std::size_t kOutliersListed = 20;

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
        const TimePower modelled = estimator(measured.point.mode);
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

  // Posterior deviations of the logarithms: the inverse of the Gauss-Newton matrix.
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
    for (std::size_t i = 0; i < size(); ++i) {
      const auto at = static_cast<Eigen::Index>(i);
      twin.log_sd[static_cast<std::size_t>(parameters_[i])] =
          std::sqrt(std::max(0.0, inverse(at, at)));
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
               const CalibrateOptions& options, CalibrateSummary* summary) {
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
  if (summary != nullptr) {
    summary->iterations += report.num_successful_steps + report.num_unsuccessful_steps;
    summary->initial_cost += report.initial_cost;
    summary->final_cost += report.final_cost;
    summary->converged =
        (power ? summary->converged : true) && report.termination_type == ceres::CONVERGENCE;
  }
  return twin;
}

// Running means of absolute percentage errors.
struct ScoreSum {
  double rows = 0, trusted = 0;
  FitScore sum;
  void add(double time, double power, double energy, bool flagged) {
    rows += 1;
    sum.time += time;
    sum.power += power;
    sum.energy += energy;
    if (flagged) return;
    trusted += 1;
    sum.trusted_time += time;
    sum.trusted_power += power;
    sum.trusted_energy += energy;
  }
  void add(const ScoreSum& other) {
    rows += other.rows;
    trusted += other.trusted;
    sum.time += other.sum.time;
    sum.power += other.sum.power;
    sum.energy += other.sum.energy;
    sum.trusted_time += other.sum.trusted_time;
    sum.trusted_power += other.sum.trusted_power;
    sum.trusted_energy += other.sum.trusted_energy;
  }
  FitScore mean() const {
    const double all = std::max(rows, 1.0);
    const double good = std::max(trusted, 1.0);
    return {sum.time / all,          sum.power / all,          sum.energy / all,
            sum.trusted_time / good, sum.trusted_power / good, sum.trusted_energy / good};
  }
};

bool is_flagged(const CalibrationRun& run, std::size_t row) {
  return !run.flagged.empty() && run.flagged[row];
}

ScoreSum score_run(const Twin& twin, const CalibrationRun& run) {
  const Estimator estimator(twin, run.cost, run.options);
  ScoreSum sum;
  for (std::size_t row = 0; row < run.observations.size(); ++row) {
    const auto& measured = run.observations[row];
    const TimePower modelled = estimator(measured.point.mode);
    sum.add(std::abs(modelled.time_s / measured.time_s - 1),
            std::abs(modelled.power_w / measured.power_w - 1),
            std::abs(modelled.energy_j() / measured.energy_j() - 1), is_flagged(run, row));
  }
  return sum;
}

FitScore mean_over(const std::vector<WorkloadFit>& fits, FitScore WorkloadFit::*score) {
  FitScore mean;
  const auto count = static_cast<double>(fits.size());
  for (const auto& fit : fits) {
    const FitScore& one = fit.*score;
    mean.time += one.time / count;
    mean.power += one.power / count;
    mean.energy += one.energy / count;
    mean.trusted_time += one.trusted_time / count;
    mean.trusted_power += one.trusted_power / count;
    mean.trusted_energy += one.trusted_energy / count;
  }
  return mean;
}

// Deviation such that a normal interval of 90 % covers 90 % of the rows of a workload that the
// twin did not see; every workload counts the same.
struct UnseenErrors {
  std::vector<double> time, power, energy;
  static double deviation(std::vector<double>& errors) {
    return errors.empty() ? 0 : quantile(errors, 0.9) / kNormal95;
  }
};

void collect_errors(const Twin& twin, const CalibrationRun& run, std::size_t stride,
                    UnseenErrors& errors) {
  const Estimator estimator(twin, run.cost, run.options);
  for (std::size_t row = 0; row < run.observations.size(); row += stride) {
    if (is_flagged(run, row)) continue;
    const auto& measured = run.observations[row];
    const TimePower modelled = estimator(measured.point.mode);
    errors.time.push_back(std::abs(std::log(modelled.time_s / measured.time_s)));
    errors.power.push_back(std::abs(std::log(modelled.power_w / measured.power_w)));
    errors.energy.push_back(std::abs(std::log(modelled.energy_j() / measured.energy_j())));
  }
}

std::vector<CalibrationOutlier> find_outliers(const Twin& twin,
                                              const std::vector<CalibrationRun>& runs) {
  std::vector<CalibrationOutlier> outliers;
  for (const auto& run : runs) {
    const Estimator estimator(twin, run.cost, run.options);
    for (std::size_t row = 0; row < run.observations.size(); ++row) {
      const auto& measured = run.observations[row];
      const TimePower modelled = estimator(measured.point.mode);
      outliers.push_back({run.workload, measured, measured.time_s / modelled.time_s,
                          measured.power_w / modelled.power_w, is_flagged(run, row)});
    }
  }
  const auto badness = [](const CalibrationOutlier& o) {
    return std::max(std::abs(std::log(o.time_ratio)), 2 * std::abs(std::log(o.power_ratio)));
  };
  const std::size_t listed = std::min(kOutliersListed, outliers.size());
  std::partial_sort(outliers.begin(), outliers.begin() + static_cast<std::ptrdiff_t>(listed),
                    outliers.end(),
                    [&](const auto& a, const auto& b) { return badness(a) > badness(b); });
  outliers.resize(listed);
  return outliers;
}

void cross_validate(const Twin& start, const std::vector<CalibrationRun>& runs,
                    const CalibrateOptions& options, CalibrateSummary& summary) {
  UnseenErrors errors;
  std::size_t fewest = runs.front().observations.size();
  for (const auto& fit : summary.workloads) fewest = std::min(fewest, fit.rows);
  for (auto& fit : summary.workloads) {
    // The full fit is a good start, and does not decide where the search ends.
    Twin from = start;
    from.values = summary.twin.values;
    const Twin twin = fit_twin_without(from, runs, fit.workload, options);
    ScoreSum sum;
    for (const auto& run : runs) {
      if (run.workload != fit.workload) continue;
      sum.add(score_run(twin, run));
      collect_errors(twin, run, std::max<std::size_t>(1, fit.rows / fewest), errors);
    }
    fit.unseen = sum.mean();
    summary.left_out.push_back(twin);
  }
  summary.unseen = mean_over(summary.workloads, &WorkloadFit::unseen);
  summary.twin.fit.unseen_time_mape = summary.unseen.time;
  summary.twin.fit.unseen_power_mape = summary.unseen.power;
  summary.twin.fit.time_log_sd = UnseenErrors::deviation(errors.time);
  summary.twin.fit.power_log_sd = UnseenErrors::deviation(errors.power);
  summary.twin.fit.energy_log_sd = UnseenErrors::deviation(errors.energy);
}

void check_row(const CalibrationRun& run, const Observation& row, const Twin& start) {
  const std::string where =
      fmt::format("{}, batch {}, {}", run.workload, row.point.batch, describe(row.point.mode));
  if (!std::isfinite(row.time_s) || !(row.time_s > 0) || !std::isfinite(row.power_w) ||
      !(row.power_w > 0)) {
    throw InputError("time or power of a row is not a positive number", where);
  }
  const auto check_clock = [&](double clock_hz, double highest_hz, std::string_view knob) {
    if (clock_hz > 20 * highest_hz) {
      throw InputError(fmt::format("{} of {:g} MHz is beyond this board", knob, clock_hz / 1e6),
                       where, "clocks are in MHz: is the file in kHz or Hz?");
    }
    if (clock_hz > 0 && clock_hz < highest_hz / 200) {
      throw InputError(fmt::format("{} of {:g} MHz is too low", knob, clock_hz / 1e6), where,
                       "clocks are in MHz: is the file in GHz?");
    }
  };
  check_clock(row.point.mode.cpu_clock_hz, start.cpu_clock_hz, "cpu_mhz");
  check_clock(row.point.mode.gpu_clock_hz, start.gpu_clock_hz, "gpu_mhz");
  check_clock(row.point.mode.mem_clock_hz, start.mem_clock_hz, "mem_mhz");
  if (!(row.time_s > 1e-6) || row.time_s > 1e5 || row.power_w > 5000 || row.power_w < 0.05) {
    throw InputError(fmt::format("time {:g} ms and power {:g} W are not a minibatch's",
                                 row.time_s * 1e3, row.power_w),
                     where, "time_ms is in ms and power_w in W: is the file in other units?");
  }
}

}  // namespace

std::string CalibrateSummary::brief_report() const {
  std::string line = fmt::format(
      "{} workloads, time {:.1f} %, power {:.1f} % mean error; {} iterations, {}", workloads.size(),
      100 * mean.time, 100 * mean.power, iterations, converged ? "converged" : "not converged");
  if (unseen.time > 0) {
    line += fmt::format("; unseen workloads: time {:.1f} %, power {:.1f} %", 100 * unseen.time,
                        100 * unseen.power);
  }
  return line;
}

std::vector<std::string> check_calibration(const Twin& start,
                                           const std::vector<CalibrationRun>& runs) {
  constexpr std::size_t kFewestModes = 12;
  std::set<PowerMode> modes;
  std::set<std::string> workloads;
  std::array<std::set<double>, kKnobs.size()> values;
  for (const auto& run : runs) {
    workloads.insert(run.workload);
    if (!run.flagged.empty() && run.flagged.size() != run.observations.size()) {
      throw UsageError("one flag a row is needed", run.workload);
    }
    for (const auto& row : run.observations) {
      check_row(run, row, start);
      modes.insert(row.point.mode);
      for (std::size_t i = 0; i < kKnobs.size(); ++i)
        values[i].insert(row.point.mode.get(kKnobs[i]));
    }
  }
  if (modes.size() < kFewestModes) {
    throw InputError(fmt::format("{} power modes are too few to fit a twin", modes.size()),
                     "calibration sweeps",
                     fmt::format("profile at least {}, spread over all clocks", kFewestModes));
  }
  std::vector<std::string> notices;
  for (std::size_t i = 0; i < kKnobs.size(); ++i) {
    if (values[i].size() > 1) continue;
    notices.push_back(
        fmt::format("{} never changes in the sweeps: what depends on it stays at its prior",
                    knob_field(kKnobs[i])));
  }
  if (workloads.size() < 2) {
    notices.push_back(
        "one workload alone: operator classes that it lacks stay at their priors, and the error on "
        "unseen workloads is not known");
  }
  return notices;
}

Twin fit_twin(const Twin& start, const std::vector<CalibrationRun>& runs,
              const CalibrateOptions& options, CalibrateSummary* summary) {
  Twin twin = fit_stage(start, runs, false, options, summary);
  if (options.fit_power) {
    // How long loading takes shows in power first; it bears on time where cores are few.
    twin = fit_stage(twin, runs, true, options, summary);
    twin = fit_stage(twin, runs, false, options, summary);
    twin = fit_stage(twin, runs, true, options, summary);
  }
  twin.status = "fitted";
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

std::vector<WorkloadFit> score_twin(const Twin& twin, const std::vector<CalibrationRun>& runs) {
  std::vector<WorkloadFit> fits;
  std::vector<ScoreSum> sums;
  for (const auto& run : runs) {
    auto found = std::find_if(fits.begin(), fits.end(),
                              [&](const auto& fit) { return fit.workload == run.workload; });
    if (found == fits.end()) {
      fits.push_back({run.workload, 0, 0, {}, {}, {}});
      sums.emplace_back();
      found = fits.end() - 1;
    }
    const ScoreSum sum = score_run(twin, run);
    found->rows += run.observations.size();
    found->flagged +=
        static_cast<std::size_t>(std::count(run.flagged.begin(), run.flagged.end(), true));
    found->batches.push_back({run.cost->batch, run.observations.size(), sum.mean()});
    auto& total = sums[static_cast<std::size_t>(found - fits.begin())];
    total.add(sum);
    found->score = total.mean();
  }
  return fits;
}

void summarize_scores(const std::vector<CalibrationRun>& runs, CalibrateSummary& summary) {
  summary.workloads = score_twin(summary.twin, runs);
  summary.mean = mean_over(summary.workloads, &WorkloadFit::score);
  ScoreSum pooled;
  for (const auto& run : runs) pooled.add(score_run(summary.twin, run));
  summary.pooled = pooled.mean();
}

CalibrateSummary calibrate(const Twin& start, const std::vector<CalibrationRun>& runs,
                           const CalibrateOptions& options) {
  if (runs.empty()) throw UsageError("calibration needs a sweep");
  CalibrateSummary summary;
  summary.notices = check_calibration(start, runs);
  summary.twin = fit_twin(start, runs, options, &summary);
  summarize_scores(runs, summary);
  summary.twin.fit.time_mape = summary.pooled.time;
  summary.twin.fit.power_mape = summary.pooled.power;
  summary.outliers = find_outliers(summary.twin, runs);
  if (options.cross_validate && summary.workloads.size() > 1) {
    cross_validate(start, runs, options, summary);
  }
  if (!summary.converged)
    summary.notices.push_back("the fit did not converge: its last step is used");
  return summary;
}

}  // namespace ridgewatt
