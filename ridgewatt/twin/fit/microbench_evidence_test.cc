#include "ridgewatt/twin/microbench_evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ridgewatt/device/board.h"

namespace ridgewatt::twin {
namespace {

using ::testing::HasSubstr;

constexpr TwinParam kShare = TwinParam::kMemoryBandwidthShare;

// A board with measured bandwidth: `share` of the DRAM's peak, with a 90 % interval of a factor
// `ratio` up and down.
Board measured(const std::string& name, double share, double ratio,
               RoofTarget target = RoofTarget::kGpu) {
  const Board board = load_board(name);
  MeasuredRoofs roofs;
  roofs.target = target;
  roofs.origin = "made by a test";
  MeasuredRoof& roof = roofs.modes.emplace_back();
  roof.mode = knob_space(board).top();
  const double bandwidth = share * peak_bandwidth(board, roof.mode);
  roof.quantities[RoofQuantity::kBandwidth] = {bandwidth, bandwidth / ratio, bandwidth * ratio};
  roof.quantities[RoofQuantity::kEnergyPerByte] = {1e-10, 0.9e-10, 1.1e-10};
  return parse_board(board_toml_with_microbench(board, roofs), "own.toml");
}

TEST(MicrobenchEvidence, IsTheShareOfThePeakAndTheEnergies) {
  // 1.0863 is exp(1.645 x 0.0503).
  const auto seen = microbench_observations(measured("agx-orin", 0.9, std::exp(1.6449 * 0.05)));
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0].param, kShare);
  EXPECT_NEAR(seen[0].value, 0.9, 1e-5);
  EXPECT_NEAR(seen[0].log_sd, 0.05, 1e-4);
  EXPECT_THAT(seen[0].source, HasSubstr("made by a test"));
  EXPECT_EQ(seen[1].param, TwinParam::kEnergyPerByte);
  EXPECT_NEAR(seen[1].value, 1e-10, 1e-15);
  EXPECT_GT(seen[1].log_sd, 0.3);  // the benchmark's operations differ from a network's
  EXPECT_TRUE(microbench_observations(load_board("agx-orin")).empty());
  EXPECT_TRUE(microbench_observations(measured("agx-orin", 0.9, 1.1, RoofTarget::kCpu)).empty());
}

// For a twin that was scaled from another board, the measured share replaces the twin's share; all
// other parameters stay.
TEST(MicrobenchEvidence, ReplacesTheShareOfAScaledTwin) {
  Twin plain = load_twin(load_board("agx-orin"));
  plain.scaled = true;
  Twin seen = plain;
  observe_microbench(measured("agx-orin", 0.7, 1.1), seen);
  EXPECT_NEAR(seen[kShare], 0.7, 1e-5);
  for (std::size_t i = 0; i < kTwinParamCount; ++i) {
    if (i == static_cast<std::size_t>(kShare)) continue;
    EXPECT_EQ(seen.values[i], plain.values[i]);
  }
  EXPECT_THAT(seen.status, HasSubstr("bandwidth measured"));
}

// Half of the peak is many deviations from the value of the sweeps, so it must not change other
// parameters.
TEST(MicrobenchEvidence, AContradictionMovesNothingElse) {
  const Twin plain = load_twin(load_board("agx-orin"));
  const Twin seen = load_twin(measured("agx-orin", 0.5, 1.02));
  EXPECT_NEAR(seen[kShare], 0.5, 1e-5);
  EXPECT_EQ(seen[TwinParam::kBasePower], plain[TwinParam::kBasePower]);
  EXPECT_EQ(seen[TwinParam::kConvTraffic], plain[TwinParam::kConvTraffic]);
}

// The posterior of normal distributions, computed by hand: without correlation, the mean is
// weighted by the inverse variances, and the variance is the inverse of their sum. A correlated
// parameter moves by its regression.
TEST(MicrobenchEvidence, ConditionsATwinOfItsOwnSweeps) {
  const auto s = static_cast<std::size_t>(kShare);
  const auto other = static_cast<std::size_t>(TwinParam::kConvTraffic);
  Twin twin = load_twin(load_board("agx-orin"));
  twin.values[s] = 0.8, twin.log_sd[s] = 0.05;
  twin.values[other] = 1.5, twin.log_sd[other] = 0.2;
  twin.correlations.assign(kTwinParamCount * kTwinParamCount, 0);
  for (std::size_t i = 0; i < kTwinParamCount; ++i) twin.correlations[i * kTwinParamCount + i] = 1;
  twin.correlations[s * kTwinParamCount + other] = 0.6;
  twin.correlations[other * kTwinParamCount + s] = 0.6;
  const Twin before = twin;
  observe_microbench(measured("agx-orin", 0.9, std::exp(1.6449 * 0.05)), twin);
  const double off = std::log(0.9 / 0.8);
  EXPECT_NEAR(std::log(twin.values[s] / 0.8), off / 2, 1e-4);  // equal weights
  EXPECT_NEAR(twin.log_sd[s], 0.05 / std::sqrt(2), 1e-5);
  EXPECT_NEAR(std::log(twin.values[other] / 1.5), 0.6 * 0.2 / 0.05 * off / 2, 1e-3);
  EXPECT_NEAR(twin.log_sd[other], 0.2 * std::sqrt(1 - 0.36 / 2), 1e-4);
  const auto gemm = static_cast<std::size_t>(TwinParam::kGemmRate);
  EXPECT_EQ(twin.values[gemm], before.values[gemm]);
}

// load_twin applies the measurement: a board with slower memory gets a slower twin.
TEST(MicrobenchEvidence, IsInEveryTwinThatIsLoaded) {
  const Twin plain = load_twin(load_board("orin-nano"));
  const Twin slow = load_twin(measured("orin-nano", 0.5, 1.02));
  EXPECT_LT(slow[kShare], 0.55);
  EXPECT_LT(slow[kShare], plain[kShare]);
  EXPECT_THAT(slow.provenance(), HasSubstr("bandwidth measured"));
  EXPECT_EQ(plain.provenance().find("bandwidth measured"), std::string::npos);
}

}  // namespace
}  // namespace ridgewatt::twin
