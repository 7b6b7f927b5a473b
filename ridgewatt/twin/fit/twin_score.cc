#include "ridgewatt/twin/twin_score.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ridgewatt::twin {
namespace {

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
    // Without trusted rows, the error is unknown, not 0.
    const double good = trusted > 0 ? trusted : std::numeric_limits<double>::quiet_NaN();
    return {sum.time / all,          sum.power / all,          sum.energy / all,
            sum.trusted_time / good, sum.trusted_power / good, sum.trusted_energy / good};
  }
};

ScoreSum score_run(const Twin& twin, const CalibrationRun& run) {
  const Estimator estimator(twin, run.cost, run.options);
  ScoreSum sum;
  for (std::size_t row = 0; row < run.observations.size(); ++row) {
    const auto& measured = run.observations[row];
    const TimePower modelled = estimator(measured.point.mode).like(measured);
    sum.add(std::abs(modelled.time_s / measured.time_s - 1),
            std::abs(modelled.power_w / measured.power_w - 1),
            std::abs(modelled.energy_j() / measured.energy_j() - 1), run.is_flagged(row));
  }
  return sum;
}

}  // namespace

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

FitScore score_rows(const Twin& twin, const std::vector<CalibrationRun>& runs) {
  ScoreSum pooled;
  for (const auto& run : runs) pooled.add(score_run(twin, run));
  return pooled.mean();
}

}  // namespace ridgewatt::twin
