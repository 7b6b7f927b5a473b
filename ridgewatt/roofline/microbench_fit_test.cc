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
  // Power shares of FLOP, bytes and static as devices have them.
  r.energy_per_flop_j = random.uniform(3, 20) / r.peak_flop_per_s;
  r.energy_per_byte_j = random.uniform(3, 20) / r.bandwidth_bytes_per_s;
  r.static_power_w = random.uniform(3, 20);
  return r;
}

// Intensities 1/16 .. 512, `noise` on time and power, `outliers` of the points off by up to 2x.
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
      if (random.uniform() < outliers) p.power_w *= random.uniform(0.4, 0.8);
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

// The stated 90 % intervals hold the truth at least 90 % of the time although 10 % of the points
// are outliers.
TEST(MicrobenchFit, IntervalsCoverTheTruthDespiteOutliers) {
  Random random(2);
  constexpr int kTrials = 600;
  std::array<int, 6> covered{};
  for (int trial = 0; trial < kTrials; ++trial) {
    const EnergyRoofline truth = device(random);
    const MicrobenchFit fit = fit_microbench(points_of(truth, random, 0.02, 0.05));
    covered[0] += covers(fit.peak_flop_per_s, truth.peak_flop_per_s);
    covered[1] += covers(fit.bandwidth_bytes_per_s, truth.bandwidth_bytes_per_s);
    covered[2] += covers(fit.energy_per_flop_j, truth.energy_per_flop_j);
    covered[3] += covers(fit.energy_per_byte_j, truth.energy_per_byte_j);
    covered[4] += covers(fit.static_power_w, truth.static_power_w);
    covered[5] += covers(fit.race_to_halt_ratio, truth.race_to_halt_ratio());
  }
  for (std::size_t i = 0; i < covered.size(); ++i) {
    EXPECT_GE(covered[i], 0.9 * kTrials) << "parameter " << i << ": " << covered[i];
  }
}

TEST(MicrobenchFit, OutliersAreListed) {
  Random random(3);
  const EnergyRoofline truth = device(random);
  auto points = points_of(truth, random, 0.01, 0);
  points[4].power_w *= 0.4;
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
    covered += fit.energy_per_byte_j.lo == 0 ? 1 : 0;
  }
  EXPECT_GE(covered, 85);
}

TEST(MicrobenchFitOptions, DefaultsAreValidAndEachBadOneIsRefusedByName) {
  EXPECT_NO_THROW(MicrobenchFitOptions{}.check());
  const std::pair<MicrobenchFitOptions, std::string> bad[] = {
      {{.confidence = 1}, "MicrobenchFitOptions::confidence is 1: must be between 0 and 1"},
      {{.outlier_sigmas = 0}, "MicrobenchFitOptions::outlier_sigmas is 0: must be positive"},
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
  EXPECT_EQ(read_microbench(folder.write("a.csv", header + "1300.5,1e9,1e9,10,20\n")).size(), 1U);
  // As `ridgewatt microbench` writes it.
  const std::string kernels = "kernel,work_flop,traffic_bytes,time_ms,gflops,power_w\n";
  EXPECT_EQ(read_microbench(folder.write("k.csv", kernels + "fma_fp32,1e9,0,1,1,20\n"
                                                            "triad,1e9,1e9,10,1,20\n"
                                                            "launch,0,0,1,0,\n"))
                .size(),
            1U);
  EXPECT_THROW(read_microbench(folder.write("n.csv", kernels + "triad,1e9,1e9,10,1,\n")),
               InputError);
  EXPECT_THROW(read_microbench(folder.write("b.csv", header + "1300500,1e9,1e9,10,20\n")),
               InputError);
  EXPECT_THROW(read_microbench(folder.write("c.csv", header + "1300.5,1e9,1e9,nan,20\n")),
               InputError);
  EXPECT_THROW(read_microbench(folder.write("d.csv", header + "1300.5,1e9,0,10,20\n")), InputError);
}

}  // namespace
}  // namespace ridgewatt::roofline
