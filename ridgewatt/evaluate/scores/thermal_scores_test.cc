// Tests the documented targets on boards drawn for this test, and the simulated boards themselves.
#include "ridgewatt/evaluate/thermal_scores.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/thermal/random_board.h"

namespace ridgewatt::evaluate {
namespace {

// In nine of ten cases, constants must be within 10 % and times to throttling within 15 %.
// label: slow
TEST(ThermalScores, ReachTheirAims) {
  const ThermalScores scores = score_thermal({.boards = 16, .seed = 20261123});
  EXPECT_GE(scores.all_within, 0.9);
  EXPECT_EQ(scores.loads, 48u);
  ASSERT_GE(scores.throttling, 10u);
  EXPECT_GE(scores.time_within, 0.9);
  EXPECT_LE(scores.false_alarms, 0.1);
  EXPECT_LE(scores.clear, scores.throttling);
  ASSERT_EQ(scores.constants.size(), 5u);
  EXPECT_EQ(scores.constants.back().constant, "ambient_celsius");
  for (const auto& constant : scores.constants) {
    EXPECT_LE(constant.median_error, constant.ninth_decile) << constant.constant;
  }
}

// The boards and the questions do not depend on whether the air temperature is given.
// label: slow
TEST(ThermalScores, AskTheSameOfAllFits) {
  const ThermalScores given = score_thermal({.boards = 3, .seed = 4, .ambient_known = true});
  const ThermalScores fitted = score_thermal({.boards = 3, .seed = 4, .ambient_known = false});
  EXPECT_EQ(given.throttling, fitted.throttling);
  EXPECT_EQ(given.clear, fitted.clear);
  const ThermalScores again = score_thermal({.boards = 3, .seed = 4, .ambient_known = true});
  EXPECT_EQ(given.constants[0].median_error, again.constants[0].median_error);
  EXPECT_THROW(score_thermal({.boards = 0}), UsageError);
}

// By the heat balance, the trace of an idle board starts at P R_total, on the grid of the zone. A
// heat spreader, as a third mass between the two, does not change steady states.
TEST(SimulatedTrace, BeginsAtRest) {
  Random random(8);
  for (int board = 0; board < 4; ++board) {
    thermal::ThermalModel model = thermal::random_thermal_model(random, 30, 0.31);
    model.leakage_per_k = 0;
    const double rest_c =
        22 + 0.2 * 30 * (model.junction_sink_k_per_w + 1 / model.sink_w_per_k(0.31));
    for (const bool unmodelled : {false, true}) {
      const auto trace = simulated_trace(model, {22, 30, 0.5, unmodelled, 5});
      // With effects that the model lacks, the air drifts by a degree.
      EXPECT_NEAR(trace.rows.front().celsius, rest_c, unmodelled ? 1.6 : 0.7);
      EXPECT_NEAR(trace.rows.front().power_w, 6, 0.08 * 6);
      EXPECT_NEAR(trace.duration_s(), 1500, 1);
      for (const auto& row : trace.rows) {
        EXPECT_EQ(row.celsius * 2, std::round(row.celsius * 2));
      }
    }
  }
}

}  // namespace
}  // namespace ridgewatt::evaluate
