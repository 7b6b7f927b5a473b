// Rows are the twin's estimates, some with a known change at one memory clock, so that every bias,
// step and error is known.
#include "ridgewatt/evaluate/memory_levels.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/twin/estimate.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::evaluate {
namespace {

constexpr double kLow = 665.6e6, kMiddle = 2133e6, kHigh = 3199e6;

twin::CalibrationRun run_of(const twin::Twin& twin, const std::string& model) {
  twin::CalibrationRun run;
  run.workload = model;
  run.cost = workload::DeployedWorkload("zoo:" + model).at(4);
  const twin::Estimator estimator(twin, run.cost, run.options);
  for (const double mem_hz : {kLow, kMiddle, kHigh}) {
    for (const double gpu_hz : {420.75e6, 828.75e6, 1300.5e6}) {
      Observation row;
      row.point.batch = 4;
      auto& mode = row.point.mode;
      mode.cpu_cores = 12;
      mode.cpu_clock_hz = 2201.6e6;
      mode.gpu_clock_hz = gpu_hz;
      mode.mem_clock_hz = mem_hz;
      const twin::TimePower at = estimator(mode).timed();
      row.time_s = at.time_s;
      row.power_w = at.power_w;
      run.observations.push_back(row);
    }
  }
  return run;
}

class MemoryLevels : public ::testing::Test {
 protected:
  std::vector<MemoryLevelScore> scores() const {
    const std::vector<twin::Twin> left_out(runs_.size(), twin_);
    return score_memory_levels(twin_, runs_, left_out, {.max_iterations = 2, .threads = 1});
  }
  static double time_error(const MemoryLevelScore& score, LevelForm form) {
    return score.errors[static_cast<std::size_t>(form)].time;
  }

  twin::Twin twin_ = twin::load_twin(load_board("agx-orin"));
  std::vector<twin::CalibrationRun> runs_ = {run_of(twin_, "resnet18"), run_of(twin_, "vgg11")};
};

TEST_F(MemoryLevels, RowsThatTheTwinExplainsHaveNoBiasAndItsSteps) {
  const auto levels = scores();
  ASSERT_EQ(levels.size(), 6);
  for (const auto& level : levels) {
    EXPECT_EQ(level.rows, 3);
    EXPECT_NEAR(level.time_bias, 0, 1e-12);
    EXPECT_NEAR(level.power_bias, 0, 1e-12);
    for (const LevelForm form : {LevelForm::kNothing, LevelForm::kFactors, LevelForm::kTerms}) {
      EXPECT_NEAR(time_error(level, form), 0, 1e-6);
    }
    ASSERT_EQ(level.step.has_value(), level.mem_clock_hz != kLow);
    if (!level.step) continue;
    EXPECT_EQ(level.step->pairs, 3);
    EXPECT_DOUBLE_EQ(level.step->measured, level.step->modelled);
    EXPECT_GT(level.step->measured, 0);
    EXPECT_EQ(level.step->slower, 0);
  }
}

// Times are 1.1 times as long at one level. The twin is 1 - 1/1.1 too low there, the factor from
// the other workload is 1.1, and no error remains.
TEST_F(MemoryLevels, AFactorCommonToWorkloadsIsFoundInTheOthers) {
  for (auto& run : runs_) {
    for (auto& row : run.observations) {
      if (row.point.mode.mem_clock_hz == kMiddle) row.time_s *= 1.1;
    }
  }
  const auto levels = scores();
  for (const auto& level : levels) {
    const bool changed = level.mem_clock_hz == kMiddle;
    EXPECT_NEAR(level.time_bias, changed ? -std::log(1.1) : 0, 1e-12);
    EXPECT_NEAR(time_error(level, LevelForm::kNothing), changed ? 1 - 1 / 1.1 : 0, 1e-12);
    EXPECT_NEAR(time_error(level, LevelForm::kFactors), 0, 1e-12);
    if (!level.step) continue;
    const double factor = changed ? 1 / 1.1 : 1.1;
    EXPECT_NEAR(1 + level.step->measured, factor * (1 + level.step->modelled), 1e-9);
  }
  const auto means = mean_over_levels(levels);
  ASSERT_EQ(means.size(), 3);
  for (const auto& mean : means) {
    EXPECT_NEAR(time_error(mean, LevelForm::kNothing), (1 - 1 / 1.1) / 3, 1e-12);
  }
  EXPECT_EQ(means.back().workload, "mean of workloads");
  EXPECT_EQ(means.back().rows, 18);
}

TEST_F(MemoryLevels, ALowerShareOfOneLevelsBandwidthIsFoundByItsTerms) {
  twin::Twin slow = twin_;
  slow.values[static_cast<std::size_t>(twin::TwinParam::kMemoryBandwidthShare)] *= 0.8;
  for (auto& run : runs_) {
    const auto changed = run_of(slow, run.workload);
    for (std::size_t i = 0; i < run.observations.size(); ++i) {
      if (run.observations[i].point.mode.mem_clock_hz != kLow) continue;
      run.observations[i] = changed.observations[i];
    }
  }
  for (const auto& level : scores()) {
    if (level.mem_clock_hz != kLow) continue;
    EXPECT_GT(time_error(level, LevelForm::kNothing), 0.05);
    EXPECT_LT(time_error(level, LevelForm::kTerms), time_error(level, LevelForm::kNothing) / 2);
  }
}

TEST_F(MemoryLevels, NeedOtherWorkloadsAndAMemoryClock) {
  for (auto& run : runs_) {
    for (auto& row : run.observations) row.point.mode.mem_clock_hz = 0;
  }
  EXPECT_THROW(scores(), InputError);
  runs_.pop_back();
  EXPECT_THROW(scores(), UsageError);
}

}  // namespace
}  // namespace ridgewatt::evaluate
