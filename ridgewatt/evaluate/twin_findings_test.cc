#include "ridgewatt/evaluate/twin_findings.h"

#include <gtest/gtest.h>

#include "ridgewatt/base/test_support.h"

namespace ridgewatt::evaluate {
namespace {

// The acceptance criteria on the measured sweeps, with the shipped twin and with each workload held
// out in turn.
// label: slow
TEST(SharedSweeps, TheTwinAgreesWithTheBoardFittedAndUnseen) {
  RIDGEWATT_REQUIRE_SHARED();
  const auto data = testing::shared_folder() / "data" / "agx-orin";
  std::vector<twin::SweepSpec> specs;
  for (const char* name : {"inference/resnet50", "inference/mobilenet_v3", "training/resnet18",
                           "training/mobilenet_v3", "training/yolov8n"}) {
    specs.push_back(twin::parse_sweep_spec((data / (std::string(name) + ".csv")).string()));
  }
  const auto runs = twin::load_calibration_runs(specs);
  const twin::CalibrateSummary summary =
      twin::calibrate(twin::prior_twin(load_board("agx-orin")), runs);
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
  shipped.twin = twin::load_twin(load_board("agx-orin"));
  twin::summarize_scores(runs, shipped);
  EXPECT_LE(shipped.pooled.time, 0.12);
  EXPECT_LE(shipped.pooled.power, 0.06);
}

}  // namespace
}  // namespace ridgewatt::evaluate
