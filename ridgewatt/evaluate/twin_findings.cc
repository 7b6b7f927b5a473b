#include "ridgewatt/evaluate/twin_findings.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include "ridgewatt/sweep/neighbors.h"
#include "ridgewatt/sweep/replay.h"
#include "ridgewatt/tune/verify.h"

namespace ridgewatt::evaluate {
namespace {

struct Row {
  Observation measured;
  twin::TimePower modelled;
};

// Index of the row with the least energy in a group that is sorted by GPU clock.
template <typename Energy>
std::size_t least(const std::vector<Row>& rows, Energy energy) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (energy(rows[i]) < energy(rows[best])) best = i;
  }
  return best;
}

double measured_energy(const Row& row) {
  return row.measured.energy_j();
}
double modelled_energy(const Row& row) {
  return row.modelled.energy_j();
}

void check_minima(const std::vector<Row>& rows, WorkloadFindings& findings) {
  std::map<std::tuple<int, double, double>, std::vector<Row>> groups;
  for (const auto& row : rows) {
    const auto& mode = row.measured.point.mode;
    groups[{mode.cpu_cores, mode.cpu_clock_hz, mode.mem_clock_hz}].push_back(row);
  }
  for (auto& [key, group] : groups) {
    if (group.size() < 3) continue;
    std::sort(group.begin(), group.end(), [](const Row& a, const Row& b) {
      return a.measured.point.mode.gpu_clock_hz < b.measured.point.mode.gpu_clock_hz;
    });
    ++findings.groups;
    const std::size_t measured = least(group, measured_energy);
    if (measured == 0 || measured + 1 == group.size()) continue;
    ++findings.measured_interior;
    const std::size_t modelled = least(group, modelled_energy);
    if (modelled > 0 && modelled + 1 < group.size()) ++findings.modelled_interior;
    if (modelled + 1 >= measured && modelled <= measured + 1) ++findings.within_one_step;
  }
}

constexpr double kMaxSlowdown = 0.05;
constexpr double kSlowdownMargin = 0.03;

bool saving_is_near(double saving, double best_saving) {
  return saving >= 0.8 * best_saving || best_saving - saving <= 0.005;
}

void check_tuning(const std::vector<Row>& rows, const Row& maxn, WorkloadFindings& findings) {
  const Row* best = &maxn;
  const Row* answer = &maxn;
  double least_j = modelled_energy(maxn);
  const auto allowed = [&](const Row& row) {
    return row.modelled.time_s <= (1 + kMaxSlowdown) * maxn.modelled.time_s;
  };
  for (const auto& row : rows) {
    if (row.measured.time_s <= (1 + kMaxSlowdown) * maxn.measured.time_s &&
        measured_energy(row) < measured_energy(*best)) {
      best = &row;
    }
    if (allowed(row) && modelled_energy(row) < least_j) {
      least_j = modelled_energy(row);
      answer = &row;
    }
  }
  for (const auto& row : rows) {
    if (allowed(row) && modelled_energy(row) <= (1 + twin::kTwinTie) * least_j &&
        row.modelled.time_s < answer->modelled.time_s) {
      answer = &row;
    }
  }
  const double reference = measured_energy(maxn);
  findings.tuned = true;
  findings.best_saving = 1 - measured_energy(*best) / reference;
  findings.saving = 1 - measured_energy(*answer) / reference;
  findings.slowdown = answer->measured.time_s / maxn.measured.time_s - 1;
  findings.saving_holds = saving_is_near(findings.saving, findings.best_saving);
  findings.slowdown_holds = findings.slowdown <= kMaxSlowdown + kSlowdownMargin;
}

PowerMode top_mode(const twin::CalibrationRun& run) {
  PowerMode top;
  for (const auto& row : run.observations) {
    for (const Knob knob : kKnobs) top.set(knob, std::max(top.get(knob), row.point.mode.get(knob)));
  }
  return top;
}

// `modelled` has one entry per row of the run. Empty without a trusted row.
std::optional<WorkloadFindings> check_run(const twin::CalibrationRun& run,
                                          const std::vector<twin::TimePower>& modelled,
                                          bool keep_flagged) {
  WorkloadFindings findings;
  findings.workload = run.workload;
  findings.batch = run.cost->batch;
  std::vector<Row> rows;
  for (std::size_t i = 0; i < run.observations.size(); ++i) {
    if (!keep_flagged && !run.flagged.empty() && run.flagged[i]) continue;
    rows.push_back({run.observations[i], modelled[i]});
  }
  if (rows.empty()) return std::nullopt;
  const PowerMode top = top_mode(run);
  const Row* maxn = nullptr;
  for (const auto& row : rows) {
    if (row.measured.point.mode == top) maxn = &row;
  }
  findings.least_energy_j = measured_energy(rows[least(rows, measured_energy)]);
  check_minima(rows, findings);
  if (maxn != nullptr) {
    findings.maxn_energy_j = measured_energy(*maxn);
    findings.modelled_maxn_over_least =
        modelled_energy(*maxn) / modelled_energy(rows[least(rows, modelled_energy)]);
    check_tuning(rows, *maxn, findings);
  }
  return findings;
}

Sweep trusted_rows(const twin::CalibrationRun& run) {
  Sweep rows;
  rows.workload = run.workload;
  for (std::size_t i = 0; i < run.observations.size(); ++i) {
    if (run.is_flagged(i)) continue;
    rows.observations.push_back(run.observations[i]);
    rows.observations.back().point.batch = run.cost->batch;
  }
  return rows;
}

// The view has the time statistic of `run`: medians or periods.
tune::TwinView view_of(const twin::Twin& twin, const twin::CalibrationRun& run,
                       const PowerMode& top) {
  const auto modelled = [&run](const twin::Twin& asked, std::span<const OperatingPoint> points) {
    const twin::Estimator estimator(asked, run.cost, run.options);
    std::vector<twin::TimePower> costs;
    for (const auto& point : points) {
      costs.push_back(estimator(point.mode).like(run.observations.front()));
    }
    return costs;
  };
  const twin::EstimateError error = twin::ErrorModel(twin, run.cost, run.options)(top);
  return {twin, modelled, {error[twin::kTime].sd, error[twin::kPower].sd}};
}

// Adds the answer after each number of profiles. One search gives all of them, since each profile
// is chosen only from earlier ones.
void add_profiled_answers(const tune::SearchSummary& found, int profiles, VerifiedTuning& tuning) {
  const Observation& maxn = found.steps.front().seen;
  const Observation* best = &maxn;
  for (int n = 1; n <= profiles; ++n) {
    if (static_cast<std::size_t>(n) <= found.steps.size()) {
      const auto& step = found.steps[static_cast<std::size_t>(n) - 1];
      const bool kept = step.seen.time_s <= (1 + kMaxSlowdown) * maxn.time_s;
      if (kept && step.seen.energy_j() < best->energy_j()) best = &step.seen;
    }
    VerifiedTuning::Answer answer;
    answer.saving = 1 - best->energy_j() / maxn.energy_j();
    answer.slowdown = best->time_s / maxn.time_s - 1;
    answer.saving_holds = saving_is_near(answer.saving, tuning.best_saving);
    answer.within_limit = answer.slowdown <= kMaxSlowdown;
    answer.holds = answer.saving_holds && answer.within_limit;
    tuning.answers.push_back(answer);
  }
}

std::optional<VerifiedTuning> verify_run(const twin::Twin& twin, const twin::CalibrationRun& run,
                                         int profiles) {
  const Sweep rows = trusted_rows(run);
  const PowerMode top = top_mode(run);
  std::vector<twin::TimePower> modelled;
  const twin::Estimator estimator(twin, run.cost, run.options);
  for (const auto& row : run.observations) modelled.push_back(estimator(row.point.mode).like(row));
  const auto unverified = check_run(run, modelled, false);
  if (!unverified || !unverified->tuned) return std::nullopt;
  VerifiedTuning tuning{run.workload, run.cost->batch, unverified->best_saving, {}};
  tuning.answers.push_back({unverified->saving, unverified->slowdown, unverified->saving_holds,
                            unverified->slowdown <= kMaxSlowdown,
                            unverified->saving_holds && unverified->slowdown_holds});
  if (profiles < 1) return tuning;
  tune::Goal goal;
  goal.objective = tune::Objective::kEnergy;
  goal.limits.slowdown = kMaxSlowdown;
  tune::StrategyOptions options;
  options.budget.profiles = profiles;
  const tune::SearchSpace space(rows.points());
  tune::Verification verification(goal, space, view_of(twin, run, top), options);
  ReplayProfiler profiler(rows);
  add_profiled_answers(verification.search(profiler), profiles, tuning);
  return tuning;
}

}  // namespace

std::vector<VerifiedTuning> find_verified_tuning(const twin::Twin& twin,
                                                 const std::vector<twin::CalibrationRun>& runs,
                                                 int profiles) {
  std::vector<VerifiedTuning> all;
  for (const auto& run : runs) {
    if (const auto tuning = verify_run(twin, run, profiles)) all.push_back(*tuning);
  }
  return all;
}

std::vector<VerifiedTuning> find_unseen_verified_tuning(
    const twin::CalibrateSummary& summary, const std::vector<twin::CalibrationRun>& runs,
    int profiles) {
  std::vector<VerifiedTuning> all;
  for (std::size_t i = 0; i < summary.left_out.size(); ++i) {
    std::vector<twin::CalibrationRun> own;
    for (const auto& run : runs) {
      if (run.workload == summary.workloads[i].workload) own.push_back(run);
    }
    for (auto& tuning : find_verified_tuning(summary.left_out[i], own, profiles)) {
      all.push_back(std::move(tuning));
    }
  }
  return all;
}

std::vector<VerifiedCount> count_verified(const std::vector<VerifiedTuning>& tunings) {
  std::vector<VerifiedCount> counts;
  for (const auto& tuning : tunings) {
    counts.resize(std::max(counts.size(), tuning.answers.size()));
    for (std::size_t n = 0; n < tuning.answers.size(); ++n) {
      const auto& answer = tuning.answers[n];
      ++counts[n].cases;
      counts[n].within_limit += answer.within_limit;
      counts[n].saving_holds += answer.saving_holds;
      counts[n].holds += answer.holds;
    }
  }
  return counts;
}

std::vector<WorkloadFindings> find_findings(const twin::Twin& twin,
                                            const std::vector<twin::CalibrationRun>& runs,
                                            bool keep_flagged) {
  std::vector<WorkloadFindings> all;
  for (const auto& run : runs) {
    const twin::Estimator estimator(twin, run.cost, run.options);
    std::vector<twin::TimePower> modelled;
    for (const auto& row : run.observations)
      modelled.push_back(estimator(row.point.mode).like(row));
    const auto findings = check_run(run, modelled, keep_flagged);
    if (!findings) continue;
    all.push_back(*findings);
    all.back().bound = name_of(estimator.breakdown(top_mode(run)).dominant());
  }
  return all;
}

std::vector<WorkloadFindings> find_neighbor_findings(const std::vector<twin::CalibrationRun>& runs,
                                                     bool keep_flagged) {
  std::vector<WorkloadFindings> all;
  for (const auto& run : runs) {
    const NeighborLines lines(run.observations);
    std::vector<bool> trusted(run.observations.size(), true);
    std::vector<double> log_time, log_power;
    for (std::size_t i = 0; i < run.observations.size(); ++i) {
      if (!run.flagged.empty() && !keep_flagged) trusted[i] = !run.flagged[i];
      log_time.push_back(std::log(run.observations[i].time_s));
      log_power.push_back(std::log(run.observations[i].power_w));
    }
    const auto time_off = neighbor_deviations(lines, log_time, trusted, kTimeSlopes);
    const auto power_off = neighbor_deviations(lines, log_power, trusted, kPowerSlopes);
    std::vector<twin::TimePower> expected;
    for (std::size_t i = 0; i < run.observations.size(); ++i) {
      expected.push_back(
          {std::exp(log_time[i] - time_off[i]), std::exp(log_power[i] - power_off[i])});
    }
    if (const auto findings = check_run(run, expected, keep_flagged)) all.push_back(*findings);
  }
  return all;
}

std::vector<WorkloadFindings> find_unseen_findings(const twin::CalibrateSummary& summary,
                                                   const std::vector<twin::CalibrationRun>& runs,
                                                   bool keep_flagged) {
  std::vector<WorkloadFindings> all;
  for (std::size_t i = 0; i < summary.left_out.size(); ++i) {
    std::vector<twin::CalibrationRun> own;
    for (const auto& run : runs) {
      if (run.workload == summary.workloads[i].workload) own.push_back(run);
    }
    for (auto& findings : find_findings(summary.left_out[i], own, keep_flagged)) {
      all.push_back(std::move(findings));
    }
  }
  return all;
}

FindingsCount count_findings(const std::vector<WorkloadFindings>& findings) {
  FindingsCount count;
  for (const auto& f : findings) {
    count.measured_interior += f.measured_interior;
    count.modelled_interior += f.modelled_interior;
    count.within_one_step += f.within_one_step;
    if (!f.tuned) continue;
    ++count.cases;
    count.maxn_is_best += f.maxn_energy_j <= f.least_energy_j;
    count.tuned_holds += f.saving_holds && f.slowdown_holds;
  }
  return count;
}

}  // namespace ridgewatt::evaluate
