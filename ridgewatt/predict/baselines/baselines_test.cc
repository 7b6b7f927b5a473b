// Tests the published predictors: linear, neural, and neural with transfer learning.
#include <gtest/gtest.h>

#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/predict/baselines/gp_predictor.h"
#include "ridgewatt/predict/baselines/linear_predictor.h"
#include "ridgewatt/predict/baselines/mlp_kernels.h"
#include "ridgewatt/predict/baselines/tree_predictor.h"
#include "ridgewatt/predict/design.h"
#include "ridgewatt/predict/factory.h"
#include "ridgewatt/predict/mlp.h"

namespace ridgewatt::predict {
namespace {

std::vector<Observation> plane() {
  std::vector<Observation> rows;
  for (const int cores : {2, 4, 8}) {
    for (double gpu = 0.2e9; gpu < 1.3e9; gpu += 0.2e9) {
      for (const double cpu : {0.5e9, 1e9, 2e9}) {
        Observation row;
        row.point = {{cores, cpu, gpu, 0, ""}, 16};
        row.time_s = 2 - 0.05 * cores - 0.3e-9 * cpu - 0.4e-9 * gpu;
        row.power_w = (10 + 1e-9 * gpu + 3 * row.time_s) / row.time_s;  // energy is linear
        rows.push_back(row);
      }
    }
  }
  return rows;
}

TEST(LinearPredictor, IsExactOnAPlane) {
  const auto rows = plane();
  LinearPredictor predictor;
  predictor.fit(std::vector<Observation>{rows[0], rows[7], rows[20], rows[33], rows[40], rows[53]});
  for (const auto& row : rows) {
    const auto p = predictor.predict(std::vector<OperatingPoint>{row.point})[0];
    EXPECT_NEAR(p.time_s, row.time_s, 1e-9);
    EXPECT_NEAR(p.power_w, row.power_w, 1e-6);
  }
}

TEST(LinearPredictor, TwoSamplesGiveTheMinimumNormAndNothingNegative) {
  const auto rows = plane();
  LinearPredictor predictor;
  predictor.fit(std::vector<Observation>{rows[0], rows[53]});
  std::vector<OperatingPoint> points;
  for (const auto& row : rows) points.push_back(row.point);
  points.push_back({{64, 9e9, 9e9, 0, ""}, 16});
  for (const auto& p : predictor.predict(points)) {
    EXPECT_GT(p.time_s, 0);
    EXPECT_GT(p.power_w, 0);
  }
}

TEST(Kernels, ProductAgreesWithTheDefinition) {
  Random random(1);
  for (const std::size_t rows : {1, 5, 13}) {
    const std::size_t depth = 37, columns = 64;
    std::vector<float> a(rows * depth), b(depth * columns), c(rows * columns, 1), t(rows * depth);
    for (auto& value : a) value = static_cast<float>(random.normal());
    for (auto& value : b) value = static_cast<float>(random.normal());
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t k = 0; k < depth; ++k) t[k * rows + i] = a[i * depth + k];
    }
    std::vector<float> from_transpose(rows * columns);
    kernels::multiply(a.data(), depth, 1, b.data(), c.data(), rows, depth, columns, true);
    kernels::multiply(t.data(), 1, rows, b.data(), from_transpose.data(), rows, depth, columns,
                      false);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) {
        double sum = 0;
        for (std::size_t k = 0; k < depth; ++k)
          sum += double{a[i * depth + k]} * b[k * columns + j];
        EXPECT_NEAR(c[i * columns + j], sum + 1, 1e-4);
        EXPECT_NEAR(from_transpose[i * columns + j], sum, 1e-4);
      }
    }
  }
}

// label: slow
TEST(Mlp, LearnsASmoothFunction) {
  Random random(2);
  std::vector<float> x, y;
  for (int i = 0; i < 600; ++i) {
    const double u = random.uniform(-1, 1), v = random.uniform(-1, 1);
    x.push_back(static_cast<float>(u));
    x.push_back(static_cast<float>(v));
    y.push_back(static_cast<float>(2 + u * v + std::sin(2 * u)));
  }
  MlpOptions options;
  options.epochs = 60;
  options.dropout = 0;
  options.batch_size = 32;
  Mlp network(2, options.hidden, 3);
  network.train(x, y, options, 4);
  const auto answers = network.predict(x);
  double error = 0;
  for (std::size_t i = 0; i < y.size(); ++i) error += std::abs(answers[i] - y[i]);
  EXPECT_LT(error / static_cast<double>(y.size()), 0.05);
}

NnOptions quick() {
  NnOptions options;
  options.network.epochs = 30;
  options.rows_per_mode = 10;
  return options;
}

// The measured energy of the samples is four times their time x power. Every predictor must predict
// this also for modes without samples.
TEST(Predictors, PredictTheMeasuredEnergy) {
  std::vector<Observation> samples;
  std::vector<OperatingPoint> points;
  for (const double gpu_hz : {0.3e9, 0.5e9, 0.7e9, 0.9e9, 1.1e9, 1.3e9}) {
    Observation row{{{12, 2.2e9, gpu_hz, 3.2e9, ""}, 16}, 1e8 / gpu_hz, 10 + 1e-8 * gpu_hz};
    points.push_back(row.point);
    row.measured_energy_j = 4 * row.time_s * row.power_w;
    samples.push_back(row);
  }
  EXPECT_NEAR(energy_ratio(samples), 4, 1e-12);
  EXPECT_EQ(energy_ratio({}), 1);
  points[2].mode.gpu_clock_hz = 0.8e9;
  for (const char* method : {"auto", "linear"}) {
    PredictorOptions options;
    options.method = method;
    const auto predictor = make_predictor(options);
    predictor->fit(samples);
    const Prediction prediction = predictor->predict(points)[2];
    EXPECT_NEAR(prediction.energy_j.mean, 4 * 0.125 * 18, 0.2 * 4 * 0.125 * 18) << method;
  }
}

// label: slow
TEST(NnPredictor, SameSeedSameNumbersWhateverTheThreads) {
  const auto rows = plane();
  std::vector<OperatingPoint> points;
  for (const auto& row : rows) points.push_back(row.point);
  NnOptions one = quick(), two = quick();
  one.threads = 1, two.threads = 2;
  NnPredictor a(one), b(two);
  a.fit(rows);
  b.fit(rows);
  const auto pa = a.predict(points), pb = b.predict(points);
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_EQ(pa[i].time_s, pb[i].time_s);
    EXPECT_EQ(pa[i].power_w, pb[i].power_w);
  }
}

// label: slow
TEST(ReferenceModel, FileReadsBackAndBadFilesAreRefused) {
  const auto rows = plane();
  const ReferenceModel model = train_reference("plane", rows, quick());
  const testing::TemporaryFolder folder;
  const std::string text = write_reference_model(model);
  const ReferenceModel copy = read_reference_model(folder.write("m.json", text));
  EXPECT_EQ(copy.workload, "plane");
  EXPECT_EQ(copy.time.network->parameters(), model.time.network->parameters());
  EXPECT_EQ(copy.power.center, model.power.center);
  for (const std::string& bad :
       {std::string(), std::string("{}"), std::string("[1]"), text.substr(0, text.size() / 2),
        std::string(R"({"format":"ridgewatt-reference","version":2})")}) {
    EXPECT_THROW(read_reference_model(folder.write("bad.json", bad)), InputError);
  }
}

TEST(Factory, NamesAreKnownAndPowertrainNeedsAReference) {
  for (const auto& method : predictor_methods()) {
    if (method == "trees" && !trees_available()) continue;
    PredictorOptions options;
    options.method = method;
    if (method == "powertrain") {
      EXPECT_THROW(make_predictor(options), UsageError);
      options.references.push_back({"made", "plane", "training", plane(), {}});
      options.network = quick();
    }
    EXPECT_EQ(make_predictor(options)->name(), method);
  }
  PredictorOptions unknown;
  unknown.method = "oracle";
  EXPECT_THROW(make_predictor(unknown), UsageError);
}

TEST(GpPredictor, LearnsASmoothFunctionFromHalfOfItsPoints) {
  const auto rows = plane();
  std::vector<Observation> samples;
  for (std::size_t i = 0; i < rows.size(); i += 2) samples.push_back(rows[i]);
  GpPredictor predictor;
  predictor.fit(samples);
  double time = 0, power = 0;  // sums of relative errors; the largest is at a corner
  for (const auto& row : rows) {
    const auto p = predictor.predict(std::vector<OperatingPoint>{row.point})[0];
    EXPECT_NEAR(p.time_s / row.time_s, 1, 0.1);
    EXPECT_NEAR(p.power_w / row.power_w, 1, 0.1);
    time += std::abs(p.time_s / row.time_s - 1);
    power += std::abs(p.power_w / row.power_w - 1);
  }
  EXPECT_LT(time / static_cast<double>(rows.size()), 0.01);
  EXPECT_LT(power / static_cast<double>(rows.size()), 0.01);
}

TEST(GpPredictor, FarFromItsSamplesIsTheirMean) {
  const auto rows = plane();
  GpPredictor predictor;
  predictor.fit(std::vector<Observation>{rows[0], rows[53]});
  const auto p = predictor.predict(std::vector<OperatingPoint>{{{64, 9e12, 9e12, 0, ""}, 16}})[0];
  EXPECT_NEAR(p.time_s, std::sqrt(rows[0].time_s * rows[53].time_s), 0.02);
  predictor.fit(std::vector<Observation>{rows[0]});  // nothing varies
  EXPECT_NEAR(predictor.predict(std::vector<OperatingPoint>{rows[7].point})[0].time_s,
              rows[0].time_s, 1e-9);
}

TEST(TreePredictor, LearnsThePlaneWithAnySeed) {
  if (!trees_available()) GTEST_SKIP() << "skipped: XGBoost is not installed";
  const auto rows = plane();
  const auto predictor = make_tree_predictor(10267598865187109193U);
  predictor->fit(rows);
  for (const auto& row : rows) {
    const auto p = predictor->predict(std::vector<OperatingPoint>{row.point})[0];
    EXPECT_NEAR(p.time_s / row.time_s, 1, 0.05);
  }
}

TEST(Design, PicksTheMostTellingPointAndSkipsTheExcluded) {
  // Two independent targets: candidate 0 informs about neither, 1 about one, 2 about both.
  DesignQuantity quantity;
  Eigen::MatrixXd loads(3, 2);
  loads << 0, 0, 1, 0, 1, 1;
  quantity.candidate_target = loads;
  quantity.candidate_candidate = loads * loads.transpose();
  quantity.noise_variance = 0.01;
  const Eigen::VectorXd price = Eigen::VectorXd::Ones(3);
  EXPECT_EQ(choose_design({quantity}, price, 0, {false, false, false}, 2),
            (std::vector<std::size_t>{2, 1}));
  EXPECT_EQ(choose_design({quantity}, price, 0, {false, false, true}, 1),
            (std::vector<std::size_t>{1}));
}

// A knob that does not vary in the samples must not have an effect: a network once used 1 Hz as its
// scale and predicted 4 GW. With this clock, the mean of equal values differs from them in the last
// digit.
TEST(Predictors, AKnobThatTheSamplesDoNotVaryHasNoEffect) {
  constexpr double kOnlyGpuHz = 1300500000.1;
  std::vector<Observation> rows;
  double least_s = 1e9, most_s = 0, least_w = 1e9, most_w = 0;
  for (const auto& row : plane()) {
    if (row.point.mode.gpu_clock_hz > 0.25e9) continue;
    rows.push_back(row);
    rows.back().point.mode.gpu_clock_hz = kOnlyGpuHz;
    least_s = std::min(least_s, row.time_s), most_s = std::max(most_s, row.time_s);
    least_w = std::min(least_w, row.power_w), most_w = std::max(most_w, row.power_w);
  }
  std::vector<OperatingPoint> known, others;
  for (const auto& row : rows) {
    known.push_back(row.point);
    others.push_back(row.point);
    others.back().mode.gpu_clock_hz = 114750000;
  }
  for (const auto& method : predictor_methods()) {
    if (method == "trees" && !trees_available()) continue;
    PredictorOptions options;
    options.method = method;
    options.space = others;
    options.network.network.epochs = 3;
    options.references = {Sweep{"r", "r", "training", rows, {}}};
    const auto predictor = make_predictor(options);
    predictor->fit(rows);
    const auto at = predictor->predict(known), elsewhere = predictor->predict(others);
    for (std::size_t i = 0; i < at.size(); ++i) {
      EXPECT_GT(elsewhere[i].time_s.mean, least_s / 50) << method;
      EXPECT_LT(elsewhere[i].time_s.mean, 50 * most_s) << method;
      EXPECT_GT(elsewhere[i].power_w.mean, least_w / 10.01) << method;  // the floor
      EXPECT_LT(elsewhere[i].power_w.mean, 5 * most_w) << method;
      if (method == "auto") continue;  // has a prior for the effect of a GPU clock
      EXPECT_DOUBLE_EQ(elsewhere[i].time_s.mean, at[i].time_s.mean) << method;
      EXPECT_DOUBLE_EQ(elsewhere[i].power_w.mean, at[i].power_w.mean) << method;
    }
  }
}

}  // namespace
}  // namespace ridgewatt::predict
