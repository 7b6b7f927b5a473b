#include "ridgewatt/measure/microbench.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/measure/kernels/vector_kernels.h"

namespace ridgewatt::measure {
namespace {

TEST(Microbench, KernelsDoTheArithmeticTheyAreCountedFor) {
  const VectorKernels& kernels = vector_kernels();
  const std::size_t lanes = static_cast<std::size_t>(kernels.width_bytes) / sizeof(float);
  // Every chain converges to 2, the fixed point of x/2 + 1. The result sums all chains.
  EXPECT_NEAR(kernels.fma_fp32(100), 2 * kFmaChains, 1e-3);
  EXPECT_NEAR(kernels.fma_fp64(100), 2 * kFmaChains, 1e-9);

  alignas(64) double aligned[3][64];
  for (int i = 0; i < 64; ++i) aligned[1][i] = i, aligned[2][i] = 0.5;
  kernels.triad(aligned[0], aligned[1], aligned[2], 3.0, 64);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(aligned[0][i], i + 1.5);

  // With data of 1, each multiply-add adds 1 to a chain. The floats are divided among 8 chains, and
  // the result sums one lane of each.
  alignas(64) static float ones[2 * kIntensityBlock];
  for (float& value : ones) value = 1;
  const double floats = 2 * kIntensityBlock;
  for (const int fma : {1, 3}) {
    EXPECT_EQ(kernels.intensity(ones, 2 * kIntensityBlock, fma, 1), fma * floats / lanes);
  }
  // The combination of an even number of equal words is zero, so nothing is added.
  EXPECT_EQ(kernels.intensity(ones, 2 * kIntensityBlock, 0, 4), 0);
}

TEST(Microbench, IntensityIsTwoFlopAMultiplyAddOverFourBytes) {
  for (const double intensity : {1. / 16, 0.125, 0.25, 0.5, 1., 2., 64., 512.}) {
    EXPECT_DOUBLE_EQ(nearest_intensity_kernel(intensity).flop_per_float() / 4, intensity);
  }
  EXPECT_THROW(nearest_intensity_kernel(0), UsageError);
  EXPECT_THROW(nearest_intensity_kernel(std::nan("")), UsageError);
}

TEST(Microbench, CeilingsAreTheFastestFp32AndDramPoints) {
  MicrobenchSummary summary;
  summary.points = {{roofline::MicrobenchKernel::kFmaFp32, 8e9, 0, 1, 1, 3, {}},
                    {roofline::MicrobenchKernel::kFmaFp64, 9e9, 0, 1, 1, 3, {}},
                    {roofline::MicrobenchKernel::kTriad, 1e9, 12e9, 1, 1, 3, {}},
                    {roofline::MicrobenchKernel::kIntensity, 16e9, 4e9, 2, 2, 3, {}},
                    {roofline::MicrobenchKernel::kIntensity, 17e9, 1e9, 2, 2, 3, {}}};
  EXPECT_EQ(summary.peak_flops(), 8.5e9);
  EXPECT_EQ(summary.peak_bandwidth_bytes_s(), 12e9);
}

TEST(Microbench, EveryPointIsRepeatedAndMetered) {
  MicrobenchOptions options;
  options.seconds_per_point = 0.01;
  options.footprint_bytes = 16 << 20;
  options.intensities = {0.25, 64};
  int started = 0;
  options.power_start = [&] { ++started; };
  options.power_stop = [] { return std::optional<double>(12.5); };
  const auto summary = run_cpu_microbench(options);
  ASSERT_EQ(summary.points.size(), 6u);
  EXPECT_EQ(started, 6);
  EXPECT_EQ(summary.points.back().kernel, roofline::MicrobenchKernel::kIdle);
  for (const auto& point : summary.points) {
    EXPECT_GT(point.time_s, 0);
    EXPECT_GE(point.median_time_s, point.time_s);
    if (point.kernel != roofline::MicrobenchKernel::kIdle) {
      EXPECT_GE(point.repetitions, 3);
    }
    EXPECT_EQ(point.power_w, 12.5);
  }
}

// label: waits
TEST(Microbench, APointSaysHowSteadyItWas) {
  MicrobenchOptions options;
  options.seconds_per_point = 0.3;
  options.until_steady = true;
  options.footprint_bytes = 16 << 20;
  options.intensities = {64};
  const auto summary = run_cpu_microbench(options);
  ASSERT_EQ(summary.points.size(), 4u);
  for (const auto& point : summary.points) {
    ASSERT_TRUE(point.spread.has_value());
    EXPECT_GE(*point.spread, 0);
    EXPECT_GE(point.repetitions, 3);
  }
}

TEST(Microbench, AnErrorOfTheMeterEndsAllThreads) {
  for (const bool at_start : {true, false}) {
    MicrobenchOptions options;
    options.seconds_per_point = 0.01;
    options.threads = 3;
    options.footprint_bytes = 1 << 20;
    const auto fail = [] { throw IoError("no power", "meter", "wait"); };
    if (at_start) options.power_start = fail;
    options.power_stop = [&]() -> std::optional<double> { return fail(), 0; };
    EXPECT_THROW(run_cpu_microbench(options), IoError);
  }
}

}  // namespace
}  // namespace ridgewatt::measure
