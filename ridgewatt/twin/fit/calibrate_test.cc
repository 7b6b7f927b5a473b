#include "ridgewatt/twin/calibrate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/twin/calibration_runs.h"

namespace ridgewatt::twin {
namespace {

// A workload of 25 kernels of all classes. Sizes differ between workloads and grow with the batch.
std::shared_ptr<const workload::WorkloadCost> synthetic_cost(std::uint64_t seed, int batch,
                                                             bool training) {
  Random random(seed);
  auto cost = std::make_shared<workload::WorkloadCost>();
  cost->name = "synthetic";
  cost->batch = batch;
  cost->kind = training ? WorkloadKind::kTraining : WorkloadKind::kInference;
  cost->input_bytes = 6e5 * batch;
  cost->input_elements = 3.0 * 224 * 224 * batch;
  for (int i = 0; i < 25; ++i) {
    workload::KernelCost kernel;
    kernel.op_class = std::array{workload::OpClass::kConv, workload::OpClass::kDepthwiseConv,
                                 workload::OpClass::kGemm, workload::OpClass::kElementwise,
                                 workload::OpClass::kConv}[random.below(5)];
    kernel.window = random.below(2) == 0 ? 1 : 9;
    kernel.phase = training ? (i < 10   ? workload::Phase::kForward
                               : i < 20 ? workload::Phase::kBackward
                                        : workload::Phase::kOptimizer)
                            : workload::Phase::kForward;
    kernel.output_elements = batch * std::exp(random.uniform(8, 14));
    kernel.work_flop = kernel.output_elements * std::exp(random.uniform(1, 8));
    kernel.read_bytes = 8 * kernel.output_elements;
    kernel.write_bytes = 4 * kernel.output_elements;
    cost->kernels.push_back(kernel);
  }
  return cost;
}

// Rows as a board with the parameters of `truth` would give: 3 % noise, and every tenth row is an
// outlier.
std::vector<CalibrationRun> synthetic_runs(const Twin& truth, const KnobSpace& space,
                                           Random& random) {
  std::vector<CalibrationRun> runs;
  for (std::uint64_t workload = 0; workload < 4; ++workload) {
    for (const int batch : {1, 32}) {
      CalibrationRun run;
      run.workload = "w" + std::to_string(workload);
      run.cost = synthetic_cost(100 + workload, batch, workload % 2 == 1);
      const Estimator estimator(truth, run.cost, run.options);
      for (int row = 0; row < 60; ++row) {
        Observation seen;
        seen.point = {space[random.below(space.size())], batch};
        const TimePower at = estimator(seen.point.mode).timed();
        seen.time_s = at.time_s * std::exp(0.03 * random.normal());
        seen.power_w = at.power_w * std::exp(0.03 * random.normal());
        if (random.uniform() < 0.1) {
          seen.time_s *= random.uniform(1.3, 3);
          seen.power_w *= random.uniform(0.4, 0.8);
        }
        run.observations.push_back(seen);
      }
      runs.push_back(std::move(run));
    }
  }
  return runs;
}

class CalibrateTest : public ::testing::Test {
 protected:
  Board board_ = load_board("agx-orin");
  KnobSpace space_ = knob_space(board_);
  Twin start_ = prior_twin(board_);

  // A board drawn from the priors.
  Twin random_truth(Random& random) const {
    Twin truth = start_;
    for (const auto& spec : twin_parameters()) {
      truth.values[static_cast<std::size_t>(spec.param)] *=
          std::exp(spec.prior_log_sd * random.normal());
    }
    return truth;
  }
};

// label: slow
TEST_F(CalibrateTest, ParametersAreRecoveredWithinTheirIntervals) {
  Random random(1);
  CalibrateOptions options;
  options.cross_validate = false;
  options.time_observations = options.power_observations = 40;
  int covered = 0;
  int parameters = 0;
  for (int trial = 0; trial < 8; ++trial) {
    const Twin truth = random_truth(random);
    const Twin fitted = fit_twin(start_, synthetic_runs(truth, space_, random), options).twin;
    for (const auto& spec : twin_parameters()) {
      ++parameters;
      if (fitted.lo(spec.param) <= truth[spec.param] &&
          truth[spec.param] <= fitted.hi(spec.param)) {
        ++covered;
      }
    }
  }
  EXPECT_GE(covered, 0.9 * parameters) << covered << " of " << parameters;
}

// label: slow
TEST_F(CalibrateTest, TheFitExplainsWhatItWasGivenAndListsTheRest) {
  Random random(2);
  const Twin truth = random_truth(random);
  auto runs = synthetic_runs(truth, space_, random);
  runs[3].observations[7].time_s *= 20;
  CalibrateOptions options;
  options.cross_validate = false;
  const CalibrateSummary summary = calibrate(start_, runs, options);
  // The 10 % of outliers, at about 1.9 times the time, alone contribute about 5 %.
  EXPECT_LT(summary.pooled.time, 0.12);
  EXPECT_LT(summary.pooled.power, 0.1);
  ASSERT_FALSE(summary.outliers.empty());
  EXPECT_EQ(summary.outliers[0].workload, runs[3].workload);
  EXPECT_GT(summary.outliers[0].time_ratio, 10);
  // One average: the headline and the twin state the same error.
  const std::string errors = fmt::format("time {:.1f} %", 100 * *summary.twin.fit.time_mape);
  EXPECT_NE(summary.brief_report().find(errors), std::string::npos) << summary.brief_report();
  const std::string fit = fmt::format("fit error {:.1f} % time", 100 * summary.mean.time);
  EXPECT_NE(summary.twin.provenance().find(fit), std::string::npos) << summary.twin.provenance();
}

TEST(CalibrateOptions, DefaultsAreValidAndEachBadOneIsRefusedByName) {
  EXPECT_NO_THROW(CalibrateOptions{}.check());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::pair<CalibrateOptions, std::string> bad[] = {
      {{.time_scale = 0}, "CalibrateOptions::time_scale is 0, but must be positive"},
      {{.power_scale = -1}, "CalibrateOptions::power_scale is -1, but must be positive"},
      {{.time_observations = nan},
       "CalibrateOptions::time_observations is nan, but must be positive"},
      {{.power_observations = 0},
       "CalibrateOptions::power_observations is 0, but must be positive"},
      {{.rows_per_run = -1}, "CalibrateOptions::rows_per_run is -1, but must be 1 or more"},
      {{.max_iterations = 0}, "CalibrateOptions::max_iterations is 0, but must be 1 or more"},
      {{.threads = -2}, "CalibrateOptions::threads is -2, but must be 0 (all processors) or more"},
  };
  for (const auto& [options, message] : bad) {
    try {
      options.check();
      ADD_FAILURE() << message;
    } catch (const UsageError& error) {
      EXPECT_EQ(error.what(), message);
    }
    // Options are checked first: the call fails before it looks at any sweep.
    EXPECT_THROW(calibrate(Twin{}, {}, options), UsageError);
  }
}

TEST_F(CalibrateTest, FaultyDataIsNoticedAndNamed) {
  Random random(3);
  const auto good = synthetic_runs(start_, space_, random);
  EXPECT_TRUE(check_calibration(start_, good).empty());

  auto nan = good;
  nan[0].observations[3].power_w = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(check_calibration(start_, nan), InputError);

  auto kilohertz = good;
  for (auto& row : kilohertz[1].observations) row.point.mode.gpu_clock_hz *= 1000;
  try {
    check_calibration(start_, kilohertz);
    FAIL() << "kHz taken for MHz";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("kHz"), std::string::npos) << error.what();
  }

  auto few = good;
  few.resize(1);
  few[0].observations.resize(5);
  EXPECT_THROW(check_calibration(start_, few), InputError);

  auto one_clock = good;
  for (auto& run : one_clock) {
    for (auto& row : run.observations) row.point.mode.gpu_clock_hz = 1300.5e6;
  }
  const auto notices = check_calibration(start_, one_clock);
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_NE(notices[0].find("gpu_mhz"), std::string::npos);
}

TEST(SweepSpec, KeysAreReadAndUnknownOnesRefused) {
  const SweepSpec spec =
      parse_sweep_spec("a.csv,model=zoo:yolov8n,workers=0,image=320,loader-ms=5");
  EXPECT_EQ(spec.path, "a.csv");
  EXPECT_EQ(spec.model, "zoo:yolov8n");
  EXPECT_EQ(*spec.workers, 0);
  EXPECT_EQ(*spec.image_side, 320);
  EXPECT_EQ(*spec.loader_ms, 5);
  EXPECT_THROW(parse_sweep_spec("a.csv,worker=1"), UsageError);
  EXPECT_EQ(parse_sweep_spec("a.csv,device=orin-nano").device, load_board("orin-nano").name);
  EXPECT_THROW(parse_sweep_spec("a.csv,device=orin-banana"), Error);
  EXPECT_THROW(parse_sweep_spec("a.csv,image=big"), UsageError);
}

// A sweep file with 60 rows of some mode and batch.
std::string sweep_file(const testing::TemporaryFolder& folder, const std::string& workload,
                       const std::string& provenance) {
  std::string text = "workload,kind,batch,cpu_cores,gpu_mhz,time_ms,power_w,provenance\n";
  for (int i = 0; i < 60; ++i) {
    text += fmt::format("{},inference,4,{},{},{},20,{}\n", workload, 1 + i % 12,
                        306 + 102 * (i % 9), 10 + i, provenance);
  }
  const std::string path = (folder.path() / (provenance + ".csv")).string();
  write_file_atomically(path, text);
  return path;
}

// A twin that is fitted to the rows of a model would pass the model off as a measurement.
TEST(CalibrationRuns, RowsOfAModelAreRefused) {
  const testing::TemporaryFolder folder;
  for (const char* provenance : {"modelled", "predicted"}) {
    try {
      load_calibration_runs(parse_sweep_spec(sweep_file(folder, "zoo:resnet50", provenance)));
      ADD_FAILURE() << provenance;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(provenance), std::string::npos) << error.what();
      EXPECT_EQ(std::string(error.what()).find("did you mean"), std::string::npos);
    }
  }
}

// Without a batch, a model of batch 1 would be fitted to rows of any batch.
TEST(CalibrationRuns, RowsWithoutABatchAreRefused) {
  const testing::TemporaryFolder folder;
  const std::string path = sweep_file(folder, "zoo:resnet50", "measured");
  std::string text = read_file(path);
  const std::string row = "inference,4,3,";
  text.replace(text.find(row), row.size(), "inference,,3,");
  write_file_atomically(path, text);
  try {
    load_calibration_runs(parse_sweep_spec(path));
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("measured.csv line 4"), std::string::npos)
        << error.what();
    EXPECT_NE(std::string(error.what()).find("--batch"), std::string::npos) << error.what();
  }
}

TEST(CalibrationRuns, FakeRowsAreKnownByTheStatus) {
  const testing::TemporaryFolder folder;
  const auto runs_of = [&](const std::string& workload, const char* provenance) {
    return load_calibration_runs(parse_sweep_spec(sweep_file(folder, workload, provenance)));
  };
  // A workload may have the name of its model.
  EXPECT_EQ(fitted_status(runs_of("zoo:resnet50", "measured")), kFitted);
  auto runs = runs_of("resnet50", "replayed");
  EXPECT_EQ(fitted_status(runs), kFitted);
  runs.push_back(runs_of("resnet50", "fake").at(0));
  EXPECT_EQ(fitted_status(runs), kFittedToFake);
  runs.back().board = "orin-nano-8gb";  // a test of the twin, no row of the fit
  EXPECT_EQ(fitted_status(runs), kFitted);
}

}  // namespace
}  // namespace ridgewatt::twin
