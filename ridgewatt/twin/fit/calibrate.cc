#include "ridgewatt/twin/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/progress.h"

namespace ridgewatt::twin {
namespace {

constexpr std::size_t kOutliersListed = 20;

std::vector<CalibrationOutlier> find_outliers(const Twin& twin,
                                              const std::vector<CalibrationRun>& runs) {
  std::vector<CalibrationOutlier> outliers;
  for (const auto& run : runs) {
    const Estimator estimator(twin, run.cost, run.options);
    for (std::size_t row = 0; row < run.observations.size(); ++row) {
      const auto& measured = run.observations[row];
      const TimePower modelled = estimator(measured.point.mode).like(measured);
      outliers.push_back({run.workload, measured, measured.time_s / modelled.time_s,
                          measured.power_w / modelled.power_w, run.is_flagged(row)});
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
  CalibrateOptions of_part = options;
  of_part.quiet = true;  // the progress of all parts is shown
  LeftOutTwins left_out(start, summary.twin, runs, of_part);
  const std::size_t steps = summary.workloads.size() + (options.coverage ? 2 : 1);
  Progress progress("leaving workloads out", steps, options.quiet);
  for (std::size_t i = 0; i < summary.workloads.size(); ++i) {
    auto& fit = summary.workloads[i];
    progress.update(i, fit.workload);
    const Twin& twin = left_out.without({i});
    std::vector<CalibrationRun> unseen;
    for (const auto& run : runs) {
      if (run.board.empty() && run.workload == fit.workload) unseen.push_back(run);
    }
    fit.unseen = score_rows(twin, unseen);
    summary.left_out.push_back(twin);
  }
  summary.unseen = mean_over(summary.workloads, &WorkloadFit::unseen);
  summary.twin.fit.unseen_time_mape = summary.unseen.time;
  summary.twin.fit.unseen_power_mape = summary.unseen.power;
  progress.update(summary.workloads.size(), "two and more at once");
  summary.twin.errors = left_out.errors({});
  left_out.add_boards("", summary.twin.errors);
  if (!options.coverage) return;
  progress.update(summary.workloads.size() + 1, "and the parts of the intervals");
  summary.coverage = left_out.coverage();
}

void check_row(const CalibrationRun& run, const Observation& row, const Twin& start) {
  const std::string where =
      fmt::format("{}, batch {}, {}", run.workload, row.point.batch, describe(row.point.mode));
  if (!std::isfinite(row.time_s) || !(row.time_s > 0) || !std::isfinite(row.power_w) ||
      !(row.power_w > 0)) {
    throw InputError("the time and the power of a row must be positive numbers", where);
  }
  const auto check_clock = [&](double clock_hz, double highest_hz, std::string_view knob) {
    if (clock_hz > 20 * highest_hz) {
      throw InputError(fmt::format("{} of {:g} MHz is above the highest clock of this board", knob,
                                   mhz_of_hz(clock_hz)),
                       where, "clocks must be in MHz, not in kHz or Hz");
    }
    if (clock_hz > 0 && clock_hz < highest_hz / 200) {
      throw InputError(fmt::format("{} of {:g} MHz is too low", knob, mhz_of_hz(clock_hz)), where,
                       "clocks must be in MHz, not in GHz");
    }
  };
  check_clock(row.point.mode.cpu_clock_hz, start.cpu_clock_hz, "cpu_mhz");
  check_clock(row.point.mode.gpu_clock_hz, start.gpu_clock_hz, "gpu_mhz");
  check_clock(row.point.mode.mem_clock_hz, start.mem_clock_hz, "mem_mhz");
  if (!(row.time_s > 1e-6) || row.time_s > 1e5 || row.power_w > 5000 || row.power_w < 0.05) {
    throw InputError(fmt::format("a minibatch of {:g} ms and {:g} W is not plausible",
                                 row.time_s * 1e3, row.power_w),
                     where, "time_ms must be in ms, and power_w in W");
  }
}

}  // namespace

std::string mean_error_text(const Twin& twin, const std::vector<WorkloadFit>& workloads) {
  const FitScore mean = mean_over(workloads, &WorkloadFit::score);
  return fmt::format("{}{}, time {:.1f} %, power {:.1f} % mean error",
                     twin.status == kFitted ? "" : twin.status + ": ",
                     counted(std::ssize(workloads), "workload"), 100 * mean.time, 100 * mean.power);
}

std::string CalibrateSummary::brief_report() const {
  std::string line =
      fmt::format("{}; {} iterations, {}", mean_error_text(twin, workloads), search.iterations,
                  search.converged ? "converged" : "not converged");
  if (unseen.time > 0) {
    line += fmt::format("; unseen workloads: time {:.1f} %, power {:.1f} %", 100 * unseen.time,
                        100 * unseen.power);
  }
  return line;
}

void check_calibration_rows(const Twin& start, const std::vector<CalibrationRun>& runs) {
  for (const auto& run : runs) {
    if (!run.flagged.empty() && run.flagged.size() != run.observations.size()) {
      throw UsageError("the quality check must give one flag per row", run.workload);
    }
    for (const auto& row : run.observations) check_row(run, row, start);
  }
}

std::vector<std::string> check_calibration(const Twin& start,
                                           const std::vector<CalibrationRun>& runs) {
  constexpr std::size_t kFewestModes = 12;
  check_calibration_rows(start, runs);
  std::set<PowerMode> modes;
  std::set<std::string> workloads;
  KnobArray<std::set<double>> values;
  for (const auto& run : runs) {
    workloads.insert(run.workload);
    for (const auto& row : run.observations) {
      modes.insert(row.point.mode);
      for (const Knob knob : kKnobs) values[knob].insert(row.point.mode.get(knob));
    }
  }
  if (modes.size() < kFewestModes) {
    throw InputError(
        fmt::format("the calibration sweeps have only {}, which is too few to fit a twin",
                    counted(modes.size(), "power mode")),
        "", fmt::format("profile at least {} modes, spread over all clocks", kFewestModes));
  }
  require_trusted_rows(runs);
  std::vector<std::string> notices;
  for (const Knob knob : kKnobs) {
    if (values[knob].size() > 1) continue;
    notices.push_back(fmt::format(
        "{} is constant in the sweeps, so the parameters that depend on it keep their priors",
        knob_field(knob)));
  }
  if (workloads.size() < 2) {
    notices.push_back(
        "there is only one workload: operator classes that it lacks keep their priors, and the "
        "error on unseen workloads is not known");
  }
  return notices;
}

void summarize_scores(const std::vector<CalibrationRun>& runs, CalibrateSummary& summary) {
  summary.workloads = score_twin(summary.twin, runs);
  summary.mean = mean_over(summary.workloads, &WorkloadFit::score);
  summary.pooled = score_rows(summary.twin, runs);
}

CalibrateSummary calibrate(const Twin& start, const std::vector<CalibrationRun>& all,
                           const CalibrateOptions& options) {
  options.check();
  const std::vector<CalibrationRun> runs = runs_at_home(all);
  if (runs.empty()) throw UsageError("the calibration needs at least one sweep");
  CalibrateSummary summary;
  summary.notices = check_calibration(start, runs);
  TwinFit fit = fit_twin(start, runs, options);
  summary.twin = std::move(fit.twin);
  summary.search = fit.search;
  summarize_scores(runs, summary);
  summary.twin.fit.time_mape = summary.mean.time;
  summary.twin.fit.power_mape = summary.mean.power;
  summary.outliers = find_outliers(summary.twin, runs);
  if (options.cross_validate && summary.workloads.size() > 1) {
    cross_validate(start, all, options, summary);
  }
  if (!summary.search.converged)
    summary.notices.push_back("the fit did not converge; its last iteration is used");
  return summary;
}

}  // namespace ridgewatt::twin
