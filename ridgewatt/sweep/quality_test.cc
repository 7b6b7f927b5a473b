#include "ridgewatt/sweep/quality.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "ridgewatt/base/random.h"
#include "ridgewatt/base/test_support.h"

namespace ridgewatt {
namespace {

// A smooth grid of 3 core counts x 6 CPU clocks x 6 GPU clocks: the times of stages add up, with
// 1 % noise.
Sweep smooth_sweep() {
  Sweep sweep{"made", "smooth", "training", {}, {}};
  Random random(7);
  for (const int cores : {2, 4, 8}) {
    for (int c = 1; c <= 6; ++c) {
      for (int g = 1; g <= 6; ++g) {
        Observation observation;
        observation.point.batch = 16;
        observation.point.mode.cpu_cores = cores;
        observation.point.mode.cpu_clock_hz = 0.35e9 * c;
        observation.point.mode.gpu_clock_hz = 0.2e9 * g;
        observation.time_s = (0.02 / g + 0.03 / c + 0.02 / cores) * (1 + 0.01 * random.normal());
        observation.power_w = (8 + g + 0.5 * c) * (1 + 0.01 * random.normal());
        sweep.observations.push_back(observation);
        sweep.lines.push_back(sweep.lines.size() + 2);
      }
    }
  }
  return sweep;
}

std::set<std::size_t> flagged_lines(const QualityReport& report) {
  std::set<std::size_t> lines;
  for (const auto& flag : report.flags) lines.insert(flag.line);
  return lines;
}

TEST(Quality, CleanSweepHasNoFlag) {
  const auto report = check_quality(smooth_sweep());
  EXPECT_EQ(report.flagged_rows(), 0u);
  ASSERT_EQ(report.remarks.size(), 2u);
  EXPECT_NE(report.remarks[0].find("no column mem_mhz"), std::string::npos);
  EXPECT_NE(report.remarks[1].find("batch is the same"), std::string::npos);
}

TEST(Quality, FindsExactlyThePlantedFaults) {
  Sweep sweep = smooth_sweep();
  sweep.observations[40].time_s *= 1.8;
  sweep.observations[55].power_w *= 0.6;
  sweep.observations[70].time_s *= 0.6;
  sweep.observations[70].power_w *= 1.5;
  const auto report = check_quality(sweep);
  EXPECT_EQ(flagged_lines(report), (std::set<std::size_t>{42, 57, 72}));
  ASSERT_EQ(report.flags.size(), 3u);
  EXPECT_EQ(report.flags[0].fault, Fault::kTimeOutlier);
  EXPECT_EQ(report.flags[1].fault, Fault::kPowerOutlier);
  EXPECT_EQ(report.flags[2].fault, Fault::kClockNotApplied);
  EXPECT_EQ(trusted_rows(sweep, report).observations.size(), 105u);
}

TEST(Quality, AMeasuredEnergyIsPowerTimesTime) {
  Sweep sweep = smooth_sweep();
  for (const auto& [row, factor] : {std::pair{5u, 1.04}, {6u, 0.96}, {50u, 1.2}, {60u, 0.001}}) {
    Observation& observation = sweep.observations[row];
    observation.measured_energy_j = factor * observation.time_s * observation.power_w;
  }
  const auto report = check_quality(sweep);
  EXPECT_EQ(flagged_lines(report), (std::set<std::size_t>{52, 62}));
  for (const auto& flag : report.flags) EXPECT_EQ(flag.fault, Fault::kEnergy) << flag.detail;
}

TEST(Quality, AnEnergyThatIsCountedInAnotherWayIsARemark) {
  Sweep sweep = smooth_sweep();
  for (auto& row : sweep.observations) row.measured_energy_j = 0.8 * row.time_s * row.power_w;
  sweep.observations[7].measured_energy_j = 20.0;
  const auto report = check_quality(sweep);
  EXPECT_EQ(flagged_lines(report), (std::set<std::size_t>{9}));
  EXPECT_NE(report.remarks.back().find("energy_j is 0.8 times"), std::string::npos);
  for (auto& row : sweep.observations) row.measured_energy_j = 1e3 * row.time_s * row.power_w;
  EXPECT_EQ(check_quality(sweep).flagged_rows(), sweep.observations.size());  // in mJ
}

TEST(Quality, RepeatsAreAveragedAndNoFault) {
  const Sweep once = smooth_sweep();
  Sweep sweep = once;
  for (std::size_t row = 0; row < once.observations.size(); ++row) {
    for (const double factor : {1.0, 1.04}) {  // an identical row and a slower row
      Observation again = once.observations[row];
      again.time_s *= factor, again.power_w /= factor;
      sweep.observations.push_back(again);
      sweep.lines.push_back(sweep.lines.back() + 1);
    }
  }
  const auto report = check_quality(sweep);
  EXPECT_EQ(report.flagged_rows(), 0u);
  const Sweep averaged = trusted_rows(sweep, report);
  ASSERT_EQ(averaged.observations.size(), once.observations.size());
  EXPECT_EQ(averaged.lines, once.lines);
  for (std::size_t row = 0; row < once.observations.size(); ++row) {
    const Observation& expected = once.observations[row];
    EXPECT_EQ(averaged.observations[row].point, expected.point);
    EXPECT_NEAR(averaged.observations[row].time_s / expected.time_s, 3.04 / 3, 1e-12);
    EXPECT_NEAR(averaged.observations[row].energy_j() / expected.energy_j(), 1, 1e-12);
  }
}

// In half of a sweep, most rows still have close neighbors, which reveal a gross fault.
TEST(Quality, FaultsAreFoundInHalfOfASweep) {
  const Sweep whole = smooth_sweep();
  std::size_t found = 0, wrong = 0;
  for (std::uint64_t draw = 0; draw < 40; ++draw) {
    Sweep sweep = whole.without_rows();
    for (const auto row : Random(draw).sample(whole.observations.size(), 54)) {
      sweep.observations.push_back(whole.observations[row]);
    }
    sweep.observations[draw].time_s *= 2.5;
    const auto report = check_quality(sweep);
    found += report.flagged[draw];
    wrong += report.flagged_rows() - report.flagged[draw];
  }
  EXPECT_GE(found, 20u);
  EXPECT_LE(wrong, 10u);  // if only three rows are on a line, any of them may be the wrong one
}

// A neighbor whose clock is octaves away must not count: time that no longer depends on the clock
// is not an outlier of the steep part.
TEST(Quality, FarNeighborsDoNotCondemn) {
  Sweep sweep{"made", "far", "training", {}, {}};
  for (const double clock_hz : {0.1e9, 0.15e9, 0.2e9, 1.2e9}) {
    for (const double memory_hz : {0.2e9, 0.6e9, 2.1e9, 3.2e9}) {
      Observation row;
      row.point.mode.gpu_clock_hz = clock_hz;
      row.point.mode.mem_clock_hz = memory_hz;
      // Time is the slower of computing and loading; power rises with the cube of the clock.
      row.time_s = std::max(4e6 / clock_hz, 2e6 / memory_hz);
      row.power_w = 5 + 20 * std::pow(clock_hz / 1e9, 3) + memory_hz / 1e9;
      sweep.observations.push_back(row);
      sweep.lines.push_back(sweep.lines.size() + 2);
    }
  }
  EXPECT_EQ(check_quality(sweep).flagged_rows(), 0u);
}

TEST(Quality, UnitsAndMissingKnobsAreNamed) {
  Sweep sweep = smooth_sweep();
  sweep.observations[0].point.mode.cpu_clock_hz *= 1e3;  // a value in kHz in the column in MHz
  sweep.observations[1].point.mode.gpu_clock_hz = 0;
  sweep.observations[2].power_w *= 1e3;  // a value in mW in the column in W
  const auto report = check_quality(sweep);
  ASSERT_GE(report.flags.size(), 3u);
  EXPECT_EQ(report.flags[0].fault, Fault::kUnit);
  EXPECT_NE(report.flags[0].detail.find("kHz"), std::string::npos);
  EXPECT_EQ(report.flags[1].fault, Fault::kMissingKnob);
  EXPECT_EQ(report.flags[2].fault, Fault::kUnit);
}

TEST(Quality, FewRowsAreNotJudgedByNeighborsTheyDoNotHave) {
  Sweep sweep = smooth_sweep();
  sweep.observations.resize(4);
  EXPECT_EQ(check_quality(sweep).flagged_rows(), 0u);
  sweep.observations.clear();
  EXPECT_EQ(check_quality(sweep).flagged_rows(), 0u);
}

Sweep shared_sweep(const std::string& name) {
  return read_sweep((testing::shared_folder() / "data" / name).string());
}

// The documentation of the data states these facts.
TEST(Quality, KnownFaultsOfTheGivenSweepsAreFlagged) {
  RIDGEWATT_REQUIRE_SHARED();
  const Sweep resnet50 = shared_sweep("agx-orin/inference/resnet50.csv");
  const auto report = check_quality(resnet50);
  std::set<std::pair<int, double>> found;  // batch, power
  for (const auto& flag : report.flags) {
    const auto& observation = resnet50.observations[flag.row];
    found.emplace(observation.point.batch, std::round(observation.power_w * 100) / 100);
  }
  EXPECT_TRUE(found.count({32, 18.36}) || found.count({32, 18.35})) << "MAXN at batch 32";
  EXPECT_TRUE(found.count({64, 29.38})) << "132 ms and 29 W at batch 64";

  const Sweep yolo = shared_sweep("agx-orin/training/yolov8n.csv");
  const auto remarks = check_quality(yolo).remarks;
  EXPECT_EQ(std::count_if(remarks.begin(), remarks.end(),
                          [](const auto& text) { return text.starts_with("1 row repeats"); }),
            1);
  EXPECT_EQ(average_repeats(yolo).observations.size(), 4368u);
}

TEST(Quality, SlowerThanTheNextLowerClockIsFlaggedInMobileNetInference) {
  RIDGEWATT_REQUIRE_SHARED();
  const Sweep sweep = shared_sweep("agx-orin/inference/mobilenet_v3.csv");
  const auto report = check_quality(sweep);
  // Of each pair of rows that violates monotonicity by 25 %, at least one row must be flagged.
  std::map<OperatingPoint, std::size_t> index;
  for (std::size_t row = 0; row < sweep.observations.size(); ++row) {
    index[sweep.observations[row].point] = row;
  }
  const KnobSpace space = sweep.space();
  int pairs = 0;
  for (std::size_t row = 0; row < sweep.observations.size(); ++row) {
    for (const Knob knob : {Knob::kCpuClock, Knob::kGpuClock}) {
      const auto& levels = space.levels(knob);
      OperatingPoint lower = sweep.observations[row].point;
      const auto at = std::find(levels.begin(), levels.end(), lower.mode.get(knob));
      if (at == levels.begin()) continue;
      lower.mode.set(knob, *(at - 1));
      const auto found = index.find(lower);
      if (found == index.end()) continue;
      if (sweep.observations[row].time_s <= 1.25 * sweep.observations[found->second].time_s)
        continue;
      ++pairs;
      EXPECT_TRUE(report.flagged[row] || report.flagged[found->second]);
    }
  }
  EXPECT_GE(pairs, 83);
}

const char* const kSweeps[] = {"agx-orin/training/resnet18.csv",
                               "agx-orin/training/mobilenet_v3.csv",
                               "agx-orin/training/yolov8n.csv",
                               "agx-orin/inference/resnet50.csv",
                               "agx-orin/inference/mobilenet_v3.csv",
                               "orin-nano/training/mobilenet_v3.csv",
                               "nano/inference/inception_v1_triton.csv",
                               "xavier-nx/inference/inception_v1_triton.csv",
                               "a100-sxm/pipeline_stages.csv"};

TEST(Quality, SparseSubsetsOfTheGivenSweepsAreHardlyFlagged) {
  RIDGEWATT_REQUIRE_SHARED();
  for (const char* name : kSweeps) {
    for (const auto& sweep : read_sweeps((testing::shared_folder() / "data" / name).string())) {
      for (const std::size_t size : {10, 20, 40, 80}) {
        if (size > sweep.observations.size()) continue;
        std::size_t flagged = 0;
        for (std::uint64_t draw = 0; draw < 20; ++draw) {
          Sweep subset = sweep.without_rows();
          for (const auto row : Random(draw).sample(sweep.observations.size(), size)) {
            subset.observations.push_back(sweep.observations[row]);
          }
          const auto report = check_quality(subset);
          flagged += report.flagged_rows();
          EXPECT_LE(report.flagged_share(), kMostFlagged) << name << " " << size << " " << draw;
        }
        EXPECT_LE(static_cast<double>(flagged) / static_cast<double>(20 * size), 0.05)
            << name << " " << sweep.workload << " " << size;
      }
    }
  }
}

TEST(Quality, FewRowsOfTheGivenSweepsAreFlagged) {
  RIDGEWATT_REQUIRE_SHARED();
  const std::pair<const char*, double> limits[] = {
      {"agx-orin/training/resnet18.csv", 0.01},
      {"agx-orin/training/mobilenet_v3.csv", 0.01},
      {"agx-orin/training/yolov8n.csv", 0.02},
      {"agx-orin/inference/resnet50.csv", 0.05},
      {"agx-orin/inference/mobilenet_v3.csv", 0.07},
      {"orin-nano/training/mobilenet_v3.csv", 0.03},
      {"nano/inference/inception_v1_triton.csv", 0.03}};
  for (const auto& [name, limit] : limits) {
    const auto report = check_quality(shared_sweep(name));
    EXPECT_LE(report.flagged_share(), limit) << name;
  }
}

}  // namespace
}  // namespace ridgewatt
