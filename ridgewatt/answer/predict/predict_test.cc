// Tests predictions from a few samples: the cost of all modes, the next modes to profile, and the
// front.
#include "ridgewatt/answer/predict.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>

#include "ridgewatt/answer/board/time_unit.h"
#include "ridgewatt/answer/profile.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/predict/interval.h"
#include "ridgewatt/tune/board_fixture.h"
#include "ridgewatt/twin/twin.h"
#include "ridgewatt/twin/twin_model.h"

namespace ridgewatt::answer {
namespace {

class Predict : public ::testing::Test {
 protected:
  Sweep board_ = testing::small_board_sweep({16});

  // A question about all points of the board, with every `stride`-th row as a sample.
  PredictQuestion question(std::size_t stride) const {
    PredictQuestion asked;
    asked.samples = board_.without_rows();
    for (std::size_t i = 0; i < board_.observations.size(); i += stride) {
      asked.samples.observations.push_back(board_.observations[i]);
    }
    asked.points = board_.points();
    return asked;
  }
};

TEST_F(Predict, EveryMeanLiesWithinItsInterval) {
  const PredictAnswer found = predict_modes(question(7));
  ASSERT_EQ(found.predictions.size(), board_.observations.size());
  for (const auto& one : found.predictions) {
    for (const predict::Estimate& value : {one.time_s, one.power_w, one.energy_j}) {
      EXPECT_GT(value.lo, 0);
      EXPECT_LE(value.lo, value.mean);
      EXPECT_LE(value.mean, value.hi);
    }
  }
  EXPECT_EQ(found.origin.provenance, Provenance::kPredicted);
  EXPECT_TRUE(found.summary);
}

// A twin has another cost at each batch.
TEST_F(Predict, ATwinNeedsTheBatchOfEverySample) {
  PredictQuestion asked = question(7);
  asked.device = "agx-orin";
  asked.workload =
      std::make_shared<const workload::DeployedWorkload>("zoo:resnet18", workload::DeployOptions{});
  asked.samples.observations[2].point.batch = 0;
  try {
    predict_modes(asked);
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("a row without a batch cannot be compared"),
              std::string::npos)
        << error.what();
  }
}

TEST_F(Predict, SamplesOfAModelHaveErrorsThatAreNotRead) {
  PredictQuestion asked = question(7);
  asked.samples.provenance = Provenance::kPredicted;
  const auto remarks = predict_modes(asked).remarks;
  ASSERT_FALSE(remarks.empty());
  EXPECT_NE(remarks.back().find("the rows are predicted, and their intervals are not read"),
            std::string::npos)
      << remarks.back();
}

// The samples are the modes of low power, so the powers of the other modes exceed all samples.
TEST_F(Predict, PowersAreLimitedByTheBoardOrByTheHighestSample) {
  const double limit_w = load_board("agx-orin").power_limit_w.value();
  double most_w = 0;
  for (const auto& row : board_.observations) most_w = std::max(most_w, row.power_w);
  const auto remarks_at = [&](double highest_w) {
    PredictQuestion asked = question(1);
    asked.method = "linear";
    asked.device = "agx-orin";
    auto& samples = asked.samples.observations;
    std::erase_if(samples, [&](const auto& row) { return row.power_w > 0.6 * most_w; });
    for (auto& row : samples) row.power_w *= highest_w / (0.6 * most_w);
    const PredictAnswer found = predict_modes(asked);
    for (const auto& one : found.predictions) {  // a limited value has no one-sided interval
      EXPECT_LT(one.power_w.lo, one.power_w.mean);
      EXPECT_LT(one.energy_j.lo, one.energy_j.mean);
    }
    std::string all;
    for (const auto& remark : found.remarks) all += remark + '\n';
    return all;
  };
  const std::string above = remarks_at(10 * limit_w);
  EXPECT_NE(above.find("W, the highest sample, which is above the power limit of the board: "),
            std::string::npos)
      << above;
  const std::string below = remarks_at(0.95 * limit_w);
  EXPECT_NE(below.find("W, the power limit of the board: "), std::string::npos) << below;
  EXPECT_EQ(remarks_at(0.1 * limit_w).find("limited to"), std::string::npos);
}

TEST_F(Predict, AnAnswerSaysWhyIntervalsAreMissingOrWide) {
  PredictQuestion asked = question(7);
  asked.method = "linear";
  EXPECT_TRUE(predict_modes(asked).remarks.empty());
  asked.samples.observations.resize(8);
  for (auto& row : asked.samples.observations) row.point.mode.gpu_clock_hz = 0.6e9;
  PredictAnswer found = predict_modes(asked);
  EXPECT_FALSE(predict::has_interval(found.predictions[0].time_s));
  ASSERT_GE(found.remarks.size(), 2U);
  EXPECT_NE(found.remarks[found.remarks.size() - 2].find("have the same gpu_mhz"),
            std::string::npos)
      << found.remarks[0];
  EXPECT_EQ(
      found.remarks.back(),
      "there are no 90 % intervals: they need 9 sampled points, and the number of points is 8");
  asked.interval = 0.5;
  found = predict_modes(asked);
  EXPECT_TRUE(predict::has_interval(found.predictions[0].time_s));
  // A knob that varies in the samples needs no remark; nor does a point at the samples' value.
  for (auto& point : asked.points) point.mode = asked.samples.observations[0].point.mode;
  EXPECT_TRUE(predict_modes(asked).remarks.empty());
}

TEST_F(Predict, AnAnswerNamesPointsThatAreFarFromTheSamples) {
  PredictQuestion asked = question(7);
  asked.method = "linear";
  double least_hz = asked.samples.observations[0].point.mode.cpu_clock_hz;
  for (const auto& row : asked.samples.observations) {
    least_hz = std::min(least_hz, row.point.mode.cpu_clock_hz);
  }
  OperatingPoint slow = asked.points[0];
  slow.mode.cpu_clock_hz = 0.51 * least_hz;
  asked.points.push_back(slow);
  EXPECT_TRUE(predict_modes(asked).remarks.empty());
  asked.points.back().mode.cpu_clock_hz = 0.49 * least_hz;
  const auto remarks = predict_modes(asked).remarks;
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_EQ(remarks[0].find("1 of "), 0U) << remarks[0];
  EXPECT_NE(remarks[0].find("cpu_mhz is far outside the samples"), std::string::npos) << remarks[0];
}

TEST_F(Predict, SuggestionsAreOtherModesFromHighClocksToLow) {
  const PredictQuestion asked = question(9);
  const PredictAnswer next = suggest_modes(asked, 8);
  ASSERT_EQ(next.points.size(), 8U);
  std::set<OperatingPoint> known;
  for (const auto& row : asked.samples.observations) known.insert(row.point);
  for (std::size_t i = 0; i < next.points.size(); ++i) {
    EXPECT_FALSE(known.contains(next.points[i]));
    if (i == 0) continue;
    EXPECT_GE(next.points[i - 1].mode.mem_clock_hz, next.points[i].mode.mem_clock_hz);
  }
}

TEST_F(Predict, NothingIsSuggestedWhereEveryModeIsProfiled) {
  PredictQuestion few = question(4);
  few.points.clear();
  for (const auto& row : few.samples.observations) few.points.push_back(row.point);
  EXPECT_TRUE(suggest_modes(few, 2).points.empty());
  EXPECT_TRUE(suggest_modes(few, 2, predict::PowerBudgets{6, 12, 1}).points.empty());
}

// A profiled point is returned with its measured values.
TEST_F(Predict, AFrontOfSamplesHoldsWhatWasMeasured) {
  PredictQuestion all = question(4);
  all.points = all.samples.points();
  const PredictAnswer front = predicted_front(all, FrontCost::kTime, FrontCost::kPower);
  const PredictAnswer measured = measured_front(all.samples, FrontCost::kTime, FrontCost::kPower);
  EXPECT_EQ(front.points, measured.points);
  EXPECT_EQ(front.method, "");  // no fit
  EXPECT_FALSE(front.summary);
  EXPECT_EQ(front.origin.provenance, Provenance::kReplayed);
  all.method = "magic";
  EXPECT_THROW(predicted_points(all), UsageError);
  for (std::size_t i = 0; i < front.points.size(); ++i) {
    EXPECT_DOUBLE_EQ(front.predictions[i].time_s.mean, measured.predictions[i].time_s.mean);
    EXPECT_EQ(front.origins[i].provenance, Provenance::kReplayed);
  }
  for (std::size_t i = 1; i < front.points.size(); ++i) {
    EXPECT_GT(front.predictions[i].time_s.mean, front.predictions[i - 1].time_s.mean);
    EXPECT_LT(front.predictions[i].power_w.mean, front.predictions[i - 1].power_w.mean);
  }
  EXPECT_THROW(parse_word<FrontCost>("speed", "cost"), UsageError);
}

// A sweep has no intervals, also if its rows were modelled. A remark says where their errors are.
TEST_F(Predict, RowsOfASweepHaveNoInterval) {
  board_.board = "agx-orin";
  EXPECT_TRUE(unread_errors(board_).empty());
  EXPECT_TRUE(measured_front(board_, FrontCost::kTime, FrontCost::kPower).remarks.empty());
  board_.provenance = Provenance::kModelled;
  const PredictAnswer front = measured_front(board_, FrontCost::kTime, FrontCost::kPower);
  for (const auto& one : front.predictions) {
    EXPECT_GT(one.power_w.mean, 0);
    EXPECT_FALSE(predict::has_interval(one.time_s));
    EXPECT_FALSE(predict::has_interval(one.power_w));
    EXPECT_FALSE(predict::has_interval(one.energy_j));
  }
  ASSERT_EQ(front.remarks.size(), 1U);
  EXPECT_NE(front.remarks[0].find("the rows are modelled"), std::string::npos);
  EXPECT_NE(front.remarks[0].find("--device agx-orin"), std::string::npos);
}

TEST_F(Predict, OnlyWhatWasNotMeasuredIsPredictedAndAsIfAllWere) {
  const PredictQuestion asked = question(4);
  const PredictAnswer all = predict_modes(asked), found = predicted_points(asked);
  ASSERT_EQ(found.points, all.points);
  std::size_t measured = 0;
  for (std::size_t i = 0; i < found.points.size(); ++i) {
    if (found.origins[i].provenance == Provenance::kPredicted) {
      EXPECT_EQ(found.predictions[i].time_s.mean, all.predictions[i].time_s.mean);
      EXPECT_EQ(found.predictions[i].power_w.hi, all.predictions[i].power_w.hi);
    } else {
      EXPECT_EQ(found.predictions[i].time_s.mean, board_.observations[i].time_s);
      ++measured;
    }
  }
  EXPECT_EQ(measured, asked.samples.observations.size());
  EXPECT_EQ(found.method, all.method);
}

TEST_F(Predict, ModesWithoutABatchAreAskedAtThoseOfTheSamples) {
  std::vector<OperatingPoint> modes = board_.points();
  for (auto& one : modes) one.batch = 0;
  EXPECT_EQ(at_batches_of(board_, modes), board_.points());
  EXPECT_EQ(at_batches_of(board_.without_rows(), modes), modes);
}

// The answer for a mode of a board is the same whatever else is asked.
// label: slow
TEST(PredictOnBoard, AModeCostsTheSameInAnyQuestion) {
  PredictQuestion asked;
  asked.device = "agx-orin";
  asked.samples = testing::small_board_sweep({16}).without_rows();
  const auto modes = knob_space(load_board("agx-orin")).modes();
  const auto observed = [](const PowerMode& mode) {
    const double gpu = mode.gpu_clock_hz / 1e9, cpu = mode.cpu_clock_hz / 1e9;
    return Observation{{mode, 16}, 0.02 / gpu + 0.01 / cpu, 8 + 20 * gpu + mode.cpu_cores * cpu};
  };
  for (std::size_t i = 700; i < modes.size(); i += 1301) {
    asked.samples.observations.push_back(observed(modes[i]));
  }
  asked.points = points_of_board("agx-orin", asked.samples);
  const PredictAnswer all = predict_modes(asked);
  const std::size_t middle = asked.points.size() / 2 + 5, other = 17;
  const std::vector<OperatingPoint> points = asked.points;
  for (const auto& query : {std::vector{points[middle]}, std::vector{points[middle], points[other]},
                            std::vector{points[middle], points.back(), points.front()}}) {
    asked.points = query;
    const PredictAnswer found = predict_modes(asked);
    const predict::Prediction &one = found.predictions[0], &same = all.predictions[middle];
    EXPECT_NEAR(one.time_s.mean / same.time_s.mean, 1, 1e-9);
    EXPECT_NEAR(one.time_s.hi / same.time_s.hi, 1, 1e-9);
    EXPECT_NEAR(one.power_w.mean / same.power_w.mean, 1, 1e-9);
  }
}

// Times in seconds are a thousandth of what the twin models.
TEST(TimeUnit, TimesInAnotherUnitAreNoticed) {
  const auto workload = std::make_shared<const workload::DeployedWorkload>("zoo:resnet18");
  Sweep samples = testing::small_board_sweep({16}).without_rows();
  const auto modes = knob_space(load_board("agx-orin")).modes();
  const twin::TwinModel model(twin::load_twin(load_board("agx-orin")), workload);
  for (std::size_t i = 0; i < modes.size(); i += 1301) {
    Observation row = model.observe_as(samples.provenance, {modes[i], 16});
    row.time_s *= i % 2 == 0 ? 5 : 0.2;  // an error that a twin may have
    samples.observations.push_back(row);
  }
  EXPECT_EQ(time_unit_remark(samples, "agx-orin", workload, {}), "");
  EXPECT_EQ(time_unit_remark(samples, "", workload, {}), "");
  EXPECT_EQ(time_unit_remark(samples, "agx-orin", nullptr, {}), "");
  for (auto& row : samples.observations) row.time_s /= 1000;
  const std::string remark = time_unit_remark(samples, "agx-orin", workload, {});
  EXPECT_NE(remark.find("check the unit of time_ms"), std::string::npos) << remark;
  PredictQuestion asked;
  asked.samples = samples;
  asked.device = "agx-orin";
  asked.workload = workload;
  asked.points = {samples.observations.front().point};
  const auto remarks = predict_modes(asked).remarks;
  EXPECT_NE(std::find(remarks.begin(), remarks.end(), remark), remarks.end());
}

TEST_F(Predict, AModelAloneSaysNothingOfTime) {
  PredictQuestion asked = question(9);
  asked.workload = std::make_shared<const workload::DeployedWorkload>("zoo:lenet5");
  EXPECT_THROW(predict_modes(asked), UsageError);
}

TEST(Profile, TheSameSamplesProposeTheSameModes) {
  const KnobSpace space = testing::small_board();
  const auto modes = modes_to_learn_from(space, {.count = 6, .batch = 16});
  EXPECT_EQ(modes.size(), 6U);
  EXPECT_EQ(modes, modes_to_learn_from(space, {.count = 6, .batch = 16}));
  const auto random = random_modes(space, 7, 3);
  EXPECT_EQ(random.size(), 7U);
  EXPECT_EQ(random, random_modes(space, 7, 3));
  EXPECT_EQ(random_modes(space, 100000, 3).size(), space.size());
}

}  // namespace
}  // namespace ridgewatt::answer
