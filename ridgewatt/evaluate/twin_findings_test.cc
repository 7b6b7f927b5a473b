#include "ridgewatt/evaluate/twin_findings.h"

#include <gtest/gtest.h>

#include <array>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/twin/published_runs.h"

namespace ridgewatt::evaluate {
namespace {

// The acceptance criterion: 90 % intervals for workloads that were held out contain 85 to 95 % of
// the rows. Every workload has the same weight.
void expect_intervals(const twin::CalibrateSummary& summary, const Board& board) {
  std::array<double, twin::kQuantities.size()> mean{};
  for (const auto& row : summary.coverage) {
    if (row.left_out != "workload") continue;
    for (std::size_t q = 0; q < mean.size(); ++q) mean[q] += row.held[q].share / 5;
  }
  // The shipped scales agree with the scales of this fit or are somewhat larger, because their fit
  // used slightly different rows.
  const twin::TwinErrors shipped = twin::load_twin(board).errors;
  for (std::size_t q = 0; q < mean.size(); ++q) {
    EXPECT_GE(mean[q], 0.85) << twin::kQuantities[q];
    EXPECT_LE(mean[q], 0.95) << twin::kQuantities[q];
    EXPECT_LE(summary.twin.errors.scales[q].home, 1.02 * shipped.scales[q].home);
    EXPECT_GE(summary.twin.errors.scales[q].home, 0.8 * shipped.scales[q].home);
  }
}

// The acceptance criteria on the measured sweeps, with the shipped twin and with each workload held
// out in turn. A single test, because the fits take long.
// label: slow
TEST(SharedSweeps, TheTwinAgreesWithTheBoardFittedAndUnseenAndIntervalsHold) {
  RIDGEWATT_REQUIRE_SHARED();
  const auto shared = testing::shared_folder() / "data", data = shared / "agx-orin";
  std::vector<twin::SweepSpec> specs;
  for (const char* name : {"inference/resnet50", "inference/mobilenet_v3", "training/resnet18",
                           "training/mobilenet_v3", "training/yolov8n"}) {
    specs.push_back(twin::parse_sweep_spec((data / (std::string(name) + ".csv")).string()));
  }
  // Rows of other boards are not fitted. They determine the intervals on other boards.
  specs.push_back(twin::parse_sweep_spec((shared / "orin-nano/training/mobilenet_v3.csv").string() +
                                         ",device=orin-nano"));
  const Board board = load_board("agx-orin");
  const auto all = twin::load_calibration_runs(specs, board);
  const auto runs = twin::runs_at_home(all);
  twin::CalibrateOptions options;
  options.coverage = true;
  const auto summary = twin::calibrate(twin::prior_twin(board), all, options);
  expect_intervals(summary, board);
  EXPECT_LE(summary.pooled.time, 0.12);
  EXPECT_LE(summary.pooled.power, 0.06);
  for (const auto& fit : summary.workloads) {
    EXPECT_LE(fit.unseen.time, 0.25) << fit.workload;
    EXPECT_LE(fit.unseen.power, 0.125) << fit.workload;
  }
  EXPECT_LE(summary.unseen.time, 0.15);
  EXPECT_LE(summary.unseen.power, 0.08);
  for (const auto& findings :
       {find_findings(summary.twin, runs), find_unseen_findings(summary, runs)}) {
    const FindingsCount count = count_findings(findings);
    EXPECT_EQ(count.maxn_is_best, 0);
    EXPECT_GE(count.modelled_interior, 0.9 * count.measured_interior);
    EXPECT_GE(count.within_one_step, 0.7 * count.measured_interior);
    for (const auto& f : findings) {
      EXPECT_TRUE(f.batch != 1 || f.bound == "launch") << f.workload;
    }
  }
  // With profiles, no answer is slower than the limit, and more answers are correct than without.
  const auto counts = count_verified(find_unseen_verified_tuning(summary, runs, 4));
  ASSERT_EQ(counts.size(), 5U);
  for (std::size_t profiles = 1; profiles < counts.size(); ++profiles) {
    EXPECT_EQ(counts[profiles].within_limit, counts[profiles].cases);
  }
  EXPECT_GE(counts[4].holds, counts[0].holds + 2);
  twin::CalibrateSummary shipped;
  shipped.twin = twin::load_twin(board);
  twin::summarize_scores(runs, shipped);
  EXPECT_LE(shipped.pooled.time, 0.12);
  EXPECT_LE(shipped.pooled.power, 0.06);
}

}  // namespace
}  // namespace ridgewatt::evaluate
