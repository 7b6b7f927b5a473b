#include "ridgewatt/evaluate/reference_scores.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ridgewatt/base/error.h"

namespace ridgewatt::evaluate {
namespace {

// Time and power of a workload over clocks: doubling the GPU clock halves the time and adds power;
// the number of cores has no effect.
Sweep sweep_of(const std::string& workload, double scale) {
  Sweep sweep{workload, workload, "training", {}, {}};
  const KnobSpace space = knob_space(load_board("agx-orin"));
  for (const double cores : {4.0, 8.0, 12.0}) {
    for (const double gpu_hz : space.levels(Knob::kGpuClock)) {
      PowerMode mode = space.top();
      mode.set(Knob::kCpuCores, cores);
      mode.set(Knob::kGpuClock, gpu_hz);
      const double share = gpu_hz / space.top().gpu_clock_hz;
      sweep.observations.push_back({{mode, 16}, scale * 0.1 / share, 12 + scale * 30 * share});
    }
  }
  return sweep;
}

// label: slow
TEST(ReferenceScores, EveryPairAndEveryBaselineIsARow) {
  const std::vector<Sweep> sweeps = {sweep_of("a", 1), sweep_of("b", 1.1)};
  ReferenceOptions options;
  options.modes = 12;
  options.runs = 2;
  options.reference_rows = 4;
  const auto scores = score_references(sweeps, load_board("agx-orin"), options);
  ASSERT_EQ(scores.size(), 2U * 5U);
  EXPECT_EQ(scores[0].reference, "a");  // the reference is the workload itself
  EXPECT_EQ(scores[0].method, "nn");
  EXPECT_EQ(scores[0].modes, 39);
  EXPECT_EQ(scores[1].reference, "b");
  EXPECT_EQ(scores[1].method, "powertrain");
  EXPECT_EQ(scores[1].runs, 2);
  EXPECT_GE(scores[1].time_mape_pct, 0);
  const ReferenceScore& random = scores[2];
  EXPECT_EQ(random.method, "random modes");
  EXPECT_TRUE(std::isnan(random.time_mape_pct));
  EXPECT_GE(random.penalty_pct, 0);
  EXPECT_EQ(random.over_by_1w_pct, 0);  // all its modes were profiled
  const ReferenceScore& maxn = scores[3];
  EXPECT_EQ(maxn.method, "MAXN");
  EXPECT_LE(maxn.penalty_pct, 0);  // faster than any mode within the budget
  // MAXN draws 42 W, so it is within budgets from 42 W on, and within 1 W of budgets from 41 W on.
  EXPECT_NEAR(maxn.over_by_1w_pct, 100.0 * 24 / 34, 1e-9);
  const ReferenceScore& preset = scores[4];
  EXPECT_EQ(preset.method, "preset");
  EXPECT_GT(preset.penalty_pct, 0);
  EXPECT_THROW(score_references({sweeps[0]}, load_board("agx-orin"), options), UsageError);
}

}  // namespace
}  // namespace ridgewatt::evaluate
