#include "ridgewatt/roofline/microbench_fit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/base/test_support.h"

namespace ridgewatt::roofline {
namespace {

EnergyRoofline device(Random& random) {
  EnergyRoofline r;
  r.peak_flop_per_s = std::exp(random.uniform(std::log(1e11), std::log(5e13)));
  r.bandwidth_bytes_per_s = r.peak_flop_per_s / std::exp(random.uniform(std::log(5), std::log(60)));
  // The shares of FLOP, bytes and static power are typical of devices.
  r.energy_per_flop_j = random.uniform(3, 20) / r.peak_flop_per_s;
  r.energy_per_byte_j = random.uniform(3, 20) / r.bandwidth_bytes_per_s;
  r.static_power_w = random.uniform(3, 20);
  return r;
}

// Intensities of 1/16 .. 512, with `noise` on time and power. A share `outliers` of the points is
// wrong by a factor of up to 2.
std::vector<MicrobenchPoint> points_of(const EnergyRoofline& r, Random& random, double noise,
                                       double outliers, int repeats = 3) {
  std::vector<MicrobenchPoint> points;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    for (double intensity = 1.0 / 16; intensity <= 512; intensity *= 2) {
      MicrobenchPoint p;
      p.traffic_bytes = 1e9;
      p.work_flop = intensity * p.traffic_bytes;
      p.time_s = r.time_s(p.work_flop, p.traffic_bytes) * std::exp(noise * random.normal());
      p.power_w = r.power_w(p.work_flop, p.traffic_bytes) * std::exp(noise * random.normal());
      if (random.uniform() < outliers) p.time_s *= random.uniform(1.2, 2);
      if (random.uniform() < outliers) *p.power_w *= random.uniform(0.4, 0.8);
      points.push_back(p);
    }
  }
  return points;
}

bool covers(const FittedValue& fitted, double truth) {
  return fitted.lo <= truth && truth <= fitted.hi;
}

TEST(MicrobenchFit, ExactPointsGiveTheParametersBack) {
  Random random(1);
  for (int trial = 0; trial < 50; ++trial) {
    const EnergyRoofline truth = device(random);
    const MicrobenchFit fit = fit_microbench(points_of(truth, random, 0, 0));
    EXPECT_NEAR(fit.roofline.peak_flop_per_s / truth.peak_flop_per_s, 1, 1e-6);
    EXPECT_NEAR(fit.roofline.bandwidth_bytes_per_s / truth.bandwidth_bytes_per_s, 1, 1e-6);
    EXPECT_NEAR(fit.roofline.energy_per_flop_j / truth.energy_per_flop_j, 1, 1e-6);
    EXPECT_NEAR(fit.roofline.energy_per_byte_j / truth.energy_per_byte_j, 1, 1e-6);
    EXPECT_NEAR(fit.roofline.static_power_w / truth.static_power_w, 1, 1e-6);
    EXPECT_TRUE(fit.outliers.empty());
  }
}

// The stated 90 % intervals contain the truth in at least 90 % of the cases, although 10 % of the
// points are outliers.
// label: slow
TEST(MicrobenchFit, IntervalsCoverTheTruthDespiteOutliers) {
  Random random(2);
  constexpr int kTrials = 600;
  std::array<int, 6> covered{};
  for (int trial = 0; trial < kTrials; ++trial) {
    const EnergyRoofline truth = device(random);
    const MicrobenchFit fit = fit_microbench(points_of(truth, random, 0.02, 0.05));
    covered[0] += covers(fit.peak_flop_per_s, truth.peak_flop_per_s);
    covered[1] += covers(fit.bandwidth_bytes_per_s, truth.bandwidth_bytes_per_s);
    covered[2] += covers(fit.energy->energy_per_flop_j, truth.energy_per_flop_j);
    covered[3] += covers(fit.energy->energy_per_byte_j, truth.energy_per_byte_j);
    covered[4] += covers(fit.energy->static_power_w, truth.static_power_w);
    covered[5] += covers(fit.energy->race_to_halt_ratio, truth.race_to_halt_ratio());
  }
  for (std::size_t i = 0; i < covered.size(); ++i) {
    EXPECT_GE(covered[i], 0.9 * kTrials) << "parameter " << i << ": " << covered[i];
  }
}

TEST(MicrobenchFit, OutliersAreListed) {
  Random random(3);
  const EnergyRoofline truth = device(random);
  auto points = points_of(truth, random, 0.01, 0);
  *points[4].power_w *= 0.4;
  points[20].time_s *= 2;
  const auto outliers = fit_microbench(points).outliers;
  EXPECT_EQ(outliers, (std::vector<std::size_t>{4, 20}));
}

TEST(MicrobenchFit, AParameterThatIsZeroStaysNonNegative) {
  Random random(4);
  EnergyRoofline truth = device(random);
  truth.energy_per_byte_j = 0;
  int covered = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const MicrobenchFit fit = fit_microbench(points_of(truth, random, 0.02, 0.05));
    EXPECT_GE(fit.roofline.energy_per_byte_j, 0);
    covered += fit.energy->energy_per_byte_j.lo == 0 ? 1 : 0;
  }
  EXPECT_GE(covered, 85);
}

TEST(MicrobenchFitOptions, DefaultsAreValidAndEachBadOneIsRefusedByName) {
  EXPECT_NO_THROW(MicrobenchFitOptions{}.check());
  const std::pair<MicrobenchFitOptions, std::string> bad[] = {
      {{.confidence = 1}, "MicrobenchFitOptions::confidence is 1, but must be between 0 and 1"},
      {{.outlier_sigmas = 0}, "MicrobenchFitOptions::outlier_sigmas is 0, but must be positive"},
  };
  for (const auto& [options, message] : bad) {
    try {
      fit_microbench({}, options);
      ADD_FAILURE() << message;
    } catch (const UsageError& error) {
      EXPECT_EQ(error.what(), message);
    }
  }
}

TEST(MicrobenchFit, FaultsAreNamed) {
  Random random(5);
  const EnergyRoofline truth = device(random);
  const auto points = points_of(truth, random, 0.01, 0);
  EXPECT_THROW(fit_microbench(std::span(points).first(5)), UsageError);
  EXPECT_THROW(fit_microbench(std::span(points).first(4)), UsageError);
  std::vector<MicrobenchPoint> memory_bound(8, points[0]);
  EXPECT_THROW(fit_microbench(memory_bound), UsageError);
  const testing::TemporaryFolder folder;
  const std::string header = "gpu_mhz,work_flop,traffic_bytes,time_ms,power_w\n";
  EXPECT_EQ(read_microbench(folder.write("a.csv", header + "1300.5,1e9,1e9,10,20\n")).points.size(),
            1U);
  // In the format of `ridgewatt microbench`.
  const std::string kernels = "kernel,work_flop,traffic_bytes,time_ms,gflops,power_w\n";
  EXPECT_EQ(read_microbench(folder.write("k.csv", kernels + "fma_fp32,1e9,0,1,1,20\n"
                                                            "triad,1e9,1e9,10,1,20\n"
                                                            "launch,0,0,1,0,\n"))
                .points.size(),
            3U);
  EXPECT_THROW(read_microbench(folder.write("n.csv", kernels + "triade,1e9,1e9,10,1,\n")),
               InputError);
  EXPECT_THROW(read_microbench(folder.write("e.csv", header)), InputError);
  EXPECT_THROW(
      read_microbench(folder.write(
          "m.csv", "target,work_flop,traffic_bytes,time_ms\ncpu,1e9,1e9,10\ncuda,1e9,1e9,1\n")),
      InputError);
  EXPECT_THROW(read_microbench(folder.write("b.csv", header + "1300500,1e9,1e9,10,20\n")),
               InputError);
  EXPECT_THROW(read_microbench(folder.write("c.csv", header + "1300.5,1e9,1e9,nan,20\n")),
               InputError);
  EXPECT_THROW(read_microbench(folder.write("d.csv", header + "1300.5,1e9,0,10,20\n")), InputError);
}

// The stated interval of a ceiling contains the truth, and the ceiling is not far above the truth.
TEST(MeasuredCeilings, HoldTheRoofsThatThePointsWereMadeWith) {
  Random random(6);
  constexpr int kTrials = 400;
  for (const int repeats : {1, 3}) {
    int peaks = 0, bandwidths = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      const EnergyRoofline truth = device(random);
      const MeasuredRoof roof = measured_ceilings(points_of(truth, random, 0.02, 0.05, repeats));
      const MeasuredValue peak = *roof.find(RoofQuantity::kFp32);
      const MeasuredValue bandwidth = *roof.find(RoofQuantity::kBandwidth);
      peaks += peak.lo <= truth.peak_flop_per_s && truth.peak_flop_per_s <= peak.hi;
      bandwidths += bandwidth.lo <= truth.bandwidth_bytes_per_s &&
                    truth.bandwidth_bytes_per_s <= bandwidth.hi;
      EXPECT_NEAR(peak.value / truth.peak_flop_per_s, 1.03, 0.08);
      EXPECT_LE(peak.lo, peak.value);
      EXPECT_GE(peak.hi, peak.value);
    }
    EXPECT_GE(peaks, 0.9 * kTrials) << repeats;
    EXPECT_GE(bandwidths, 0.9 * kTrials) << repeats;
  }
}

// Computed by hand: 2e9 FLOP in 1 ms, 24e6 bytes in 2 ms; a launch takes 4 us; power is 5 W idle
// and at most 20 W.
TEST(MeasuredCeilings, AreTheFastestOfEachKernel) {
  using enum MicrobenchKernel;
  const auto point = [](MicrobenchKernel kernel, double flop, double bytes, double time_s,
                        std::optional<double> power_w) {
    MicrobenchPoint p;
    p.kernel = kernel, p.work_flop = flop, p.traffic_bytes = bytes, p.time_s = time_s;
    p.power_w = power_w;
    return p;
  };
  const std::vector<MicrobenchPoint> points = {
      point(kFmaFp32, 2e9, 0, 1e-3, 20),        point(kFmaFp32, 2e9, 0, 2e-3, 12),
      point(kTensorFp16, 8e9, 0, 1e-3, 18),     point(kTriad, 2e6, 24e6, 2e-3, 15),
      point(kLaunch, 0, 0, 4e-6, std::nullopt), point(kIdle, 0, 0, 1, 5)};
  const MeasuredRoof roof = measured_ceilings(points);
  const auto value = [&](RoofQuantity quantity) { return roof.find(quantity)->value; };
  EXPECT_NEAR(value(RoofQuantity::kFp32) / 2e12, 1, 1e-12);
  EXPECT_NEAR(value(RoofQuantity::kTensorFp16) / 8e12, 1, 1e-12);
  EXPECT_NEAR(value(RoofQuantity::kBandwidth) / 12e9, 1, 1e-12);
  EXPECT_NEAR(value(RoofQuantity::kLaunch) / 4e-6, 1, 1e-12);
  EXPECT_EQ(value(RoofQuantity::kIdlePower), 5);
  EXPECT_EQ(value(RoofQuantity::kBusyPower), 20);
  EXPECT_EQ(roof.find(RoofQuantity::kFp16), nullptr);
  // Without a triad, the bandwidth cannot be determined.
  EXPECT_THROW(measured_ceilings(std::span(points).first(3)), UsageError);
}

// Without power, the fit gives the same roofs of time as with power, but no energies.
TEST(MicrobenchFit, TimeAloneGivesTheRoofsOfTime) {
  Random random(7);
  auto points = points_of(device(random), random, 0.02, 0);
  const MicrobenchFit powered = fit_microbench(points);
  for (auto& point : points) point.power_w.reset();
  const MicrobenchFit timed = fit_microbench(points);
  EXPECT_EQ(timed.peak_flop_per_s.value, powered.peak_flop_per_s.value);
  EXPECT_EQ(timed.bandwidth_bytes_per_s.lo, powered.bandwidth_bytes_per_s.lo);
  EXPECT_TRUE(powered.energy.has_value());
  EXPECT_FALSE(timed.energy.has_value());
  EXPECT_EQ(timed.ceilings.find(RoofQuantity::kStaticPower), nullptr);
  ASSERT_EQ(timed.notices.size(), 1U);
  EXPECT_NE(timed.notices[0].find("no power"), std::string::npos);
}

}  // namespace
}  // namespace ridgewatt::roofline
