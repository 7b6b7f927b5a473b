#include "ridgewatt/predict/auto_predictor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/base/statistics.h"

namespace ridgewatt::predict {
namespace {

// A synthetic board: GPU and CPU stages that overlap partly, static and dynamic power.
Observation made_up(int cores, double cpu_hz, double gpu_hz, double mem_hz) {
  Observation observation;
  observation.point = {{cores, cpu_hz, gpu_hz, mem_hz, ""}, 16};
  const double gpu_s = 0.03e9 / gpu_hz + 0.02e9 / mem_hz;
  const double cpu_s = 0.05e9 / cpu_hz / std::min(cores, 4);
  observation.time_s = std::pow(std::pow(gpu_s, 3) + std::pow(cpu_s, 3), 1.0 / 3);
  observation.power_w =
      9 + 0.3e-9 * cores * cpu_hz + 0.12e-18 * gpu_hz * gpu_hz / observation.time_s;
  return observation;
}

std::vector<Observation> made_up_sweep() {
  std::vector<Observation> rows;
  for (const int cores : {2, 4, 8, 12}) {
    for (double cpu = 0.3e9; cpu < 2.3e9; cpu += 0.4e9) {
      for (double gpu = 0.2e9; gpu < 1.4e9; gpu += 0.2e9) {
        for (const double mem : {0.204e9, 0.665e9, 2.1e9, 3.2e9}) {
          rows.push_back(made_up(cores, cpu, gpu, mem));
        }
      }
    }
  }
  return rows;
}

std::vector<OperatingPoint> points_of(const std::vector<Observation>& rows) {
  std::vector<OperatingPoint> points;
  for (const auto& row : rows) points.push_back(row.point);
  return points;
}

std::vector<Observation> draw(const std::vector<Observation>& rows, std::size_t count,
                              std::uint64_t seed) {
  std::vector<Observation> samples;
  for (const auto index : Random(seed).sample(rows.size(), count)) samples.push_back(rows[index]);
  return samples;
}

double time_error(const AutoPredictor& predictor, const std::vector<Observation>& rows) {
  const auto predictions = predictor.predict(points_of(rows));
  double sum = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    sum += std::abs(predictions[i].time_s.mean / rows[i].time_s - 1);
  }
  return sum / static_cast<double>(rows.size());
}

TEST(AutoPredictor, LearnsAPipelineItHasNeverSeenFromFewModes) {
  const auto rows = made_up_sweep();
  AutoPredictor predictor;
  predictor.fit(draw(rows, 15, 1));
  EXPECT_LT(time_error(predictor, rows), 0.10);
  predictor.fit(draw(rows, 60, 2));
  EXPECT_LT(time_error(predictor, rows), 0.04);
}

TEST(AutoPredictor, IsPositiveFiniteAndOrderedWhateverTheSamples) {
  const auto rows = made_up_sweep();
  const auto points = points_of(rows);
  for (const std::size_t count : {1, 2, 3, 5, 40}) {
    auto samples = draw(rows, count, count);
    samples[0].time_s *= 50;  // an outlier
    samples.push_back(samples[0]);
    AutoPredictor predictor;
    predictor.fit(samples);
    for (const auto& prediction : predictor.predict(points, 0.98)) {
      for (const Estimate& e : {prediction.time_s, prediction.power_w, prediction.energy_j}) {
        ASSERT_TRUE(std::isfinite(e.hi));
        ASSERT_GT(e.lo, 0);
        ASSERT_LE(e.lo, e.mean);
        ASSERT_LE(e.mean, e.hi);
      }
    }
  }
}

TEST(AutoPredictor, WiderProbabilityWiderInterval) {
  const auto rows = made_up_sweep();
  AutoPredictor predictor;
  predictor.fit(draw(rows, 12, 3));
  const auto points = points_of(rows);
  const auto narrow = predictor.predict(points, 0.5), wide = predictor.predict(points, 0.95);
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_GT(wide[i].power_w.hi, narrow[i].power_w.hi);
    EXPECT_LT(wide[i].energy_j.lo, narrow[i].energy_j.lo);
  }
  EXPECT_THROW(predictor.predict(points, 1.0), UsageError);
}

TEST(AutoPredictor, WorksWithTheGpuClockAlone) {
  std::vector<Observation> rows;
  for (double gpu = 0.2e9; gpu < 1.4e9; gpu += 0.05e9) {
    Observation row = made_up(8, 2e9, gpu, 3.2e9);
    row.point = {{0, 0, gpu, 0, ""}, 0};
    rows.push_back(row);
  }
  AutoPredictor predictor;
  predictor.fit(std::vector<Observation>{rows[0], rows[6], rows[12], rows[18], rows.back()});
  EXPECT_LT(time_error(predictor, rows), 0.03);
}

TEST(AutoPredictor, AGoodReferenceHelpsAndAShuffledOneIsIgnored) {
  const auto rows = made_up_sweep();
  auto reference = rows;
  for (auto& row : reference) row.time_s *= 2 + 0.3 * std::sin(row.point.mode.gpu_clock_hz * 1e-8);
  auto target = rows;
  for (auto& row : target) row.time_s *= 1 + 0.15 * std::sin(row.point.mode.gpu_clock_hz * 1e-8);
  auto shuffled = reference;
  Random(4).shuffle(shuffled);
  for (std::size_t i = 0; i < rows.size(); ++i) shuffled[i].point = reference[i].point;

  const auto error_with = [&](const std::vector<Observation>* given) {
    double sum = 0;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      AutoPredictor predictor;
      if (given != nullptr) predictor.add_reference(reference_from_rows("reference", *given));
      predictor.fit(draw(target, 12, seed));
      sum += time_error(predictor, target);
    }
    return sum / 3;
  };
  const double alone = error_with(nullptr);
  EXPECT_LT(error_with(&reference), alone);
  EXPECT_LT(error_with(&shuffled), 1.1 * alone);
}

// Eight of sixteen profiles are spent near the front. The fastest modes within budgets are then
// found more accurately than with sixteen profiles that cover the whole space.
TEST(AutoPredictor, ModesChosenForBudgetsTellTheFastestWithinThem) {
  const auto rows = made_up_sweep();
  const auto points = points_of(rows);
  const PowerBudgets budgets{12, 40, 1};
  const auto loss = [&](bool for_budgets) {
    AutoPredictor predictor;
    std::vector<Observation> samples;
    for (const auto index : predictor.suggest(points, 8)) samples.push_back(rows[index]);
    while (samples.size() < 16) {
      predictor.fit(samples);
      const auto next = for_budgets ? predictor.suggest_for_budgets(points, 1, budgets)
                                    : predictor.suggest(points, 1);
      EXPECT_EQ(next.size(), 1U);
      if (next.empty()) break;
      for (const auto& sample : samples) EXPECT_NE(sample.point, points[next[0]]);
      samples.push_back(rows[next[0]]);
    }
    double sum = 0;
    for (const double budget_w : budgets.values_w()) {
      double profiled = 1e9, fastest = 1e9;
      for (const auto& one : samples) {
        if (one.power_w <= budget_w) profiled = std::min(profiled, one.time_s);
      }
      for (const auto& one : rows) {
        if (one.power_w <= budget_w) fastest = std::min(fastest, one.time_s);
      }
      EXPECT_LT(profiled, 1) << "no sample keeps " << budget_w << " W";
      sum += std::log(profiled / fastest);
    }
    return sum;
  };
  EXPECT_LT(loss(true), 0.5 * loss(false));
}

// Several suggestions at once are spread out, and the predictor does not change.
TEST(AutoPredictor, SuggestionsForOneBudgetDiffer) {
  const auto rows = made_up_sweep();
  const auto points = points_of(rows);
  AutoPredictor predictor;
  predictor.fit(draw(rows, 10, 7));
  const double before = predictor.predict(points)[5].power_w.hi;
  const auto next = predictor.suggest_for_budgets(points, 6, {20, 20, 1});
  EXPECT_EQ(predictor.predict(points)[5].power_w.hi, before);
  ASSERT_GT(next.size(), 1U);
  const auto predictions = predictor.predict(points);
  double least = 1e9, most = 0;
  for (const auto index : next) {
    least = std::min(least, predictions[index].power_w.mean);
    most = std::max(most, predictions[index].power_w.mean);
    EXPECT_EQ(std::count(next.begin(), next.end(), index), 1);
  }
  EXPECT_GT(most / least, 1.02);
  EXPECT_LT(most, 1.2 * 20);
}

// In a large space, the design considers only a share of the modes. Suggestions continue when that
// share is used up.
// label: slow
TEST(AutoPredictor, SuggestsAsLongAsAModeIsLeft) {
  std::vector<Observation> rows;
  for (double gpu = 200e6; gpu < 1400e6; gpu += 1e6) rows.push_back(made_up(8, 2e9, gpu, 3.2e9));
  const auto points = points_of(rows);
  AutoPredictor predictor({points, 60});
  predictor.fit(std::vector<Observation>(rows.begin(), rows.end() - 1));
  EXPECT_EQ(predictor.suggest(points, 3), std::vector<std::size_t>{rows.size() - 1});
  predictor.fit(rows);
  EXPECT_TRUE(predictor.suggest(points, 3).empty());
}

TEST(UseMeasured, ProfiledPointsCostTheMeanOfWhatWasMeasured) {
  Observation row = made_up(4, 1e9, 1e9, 3.2e9);
  const std::vector<OperatingPoint> points = {made_up(8, 1e9, 1e9, 3.2e9).point, row.point};
  std::vector<Prediction> predictions(2, Prediction{{1, 0, 2}, {1, 0, 2}, {1, 0, 2}});
  row.time_s = 3, row.power_w = 10;
  Observation again = row;
  again.time_s = 5;
  use_measured(points, std::vector{row, again}, predictions);
  EXPECT_EQ(predictions[0].time_s.hi, 2);
  for (const double time_s : {predictions[1].time_s.lo, predictions[1].time_s.hi}) {
    EXPECT_EQ(time_s, 4);
  }
  EXPECT_EQ(predictions[1].energy_j.mean, 40);
}

// One of five profiles was disturbed by 50 %.
TEST(AutoPredictor, OneDisturbedProfileIsFoundAndLeftOut) {
  const auto rows = made_up_sweep();
  int found = 0;
  std::vector<double> with, without;
  constexpr int kRuns = 12;
  for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
    auto samples = draw(rows, 5, seed);
    AutoPredictor clean, disturbed;
    clean.fit(samples);
    EXPECT_FALSE(clean.summary().disturbed) << seed;
    without.push_back(time_error(clean, rows));
    const std::size_t one = seed % samples.size();
    samples[one].time_s *= 1.5;
    samples[one].power_w *= 1.5;
    disturbed.fit(samples);
    found += disturbed.summary().disturbed == one ? 1 : 0;
    with.push_back(time_error(disturbed, rows));
  }
  EXPECT_GE(found, kRuns / 2);
  EXPECT_LT(median(with), 1.5 * median(without));
}

TEST(AutoPredictor, NoSamplesIsAnError) {
  AutoPredictor predictor;
  EXPECT_THROW(predictor.fit({}), UsageError);
  EXPECT_THROW(predictor.predict(std::vector<OperatingPoint>(1)), UsageError);
  EXPECT_THROW(predictor.suggest_for_budgets(std::vector<OperatingPoint>(1), 1, {}), UsageError);
  EXPECT_THROW(reference_from_rows("empty", {}), UsageError);
}

// With many samples, only a part fits the parameters, but the predictor learns from all.
// label: slow
TEST(AutoPredictor, ManySamplesArePartlyFittedAndAllLearnedFrom) {
  const auto rows = made_up_sweep();
  AutoPredictor some, many, again;
  some.fit(draw(rows, 100, 1));
  many.fit(draw(rows, 400, 1));
  again.fit(draw(rows, 400, 1));
  EXPECT_EQ(some.summary().part, 100u);
  EXPECT_EQ(many.summary().samples, 400u);
  EXPECT_LT(many.summary().part, 200u);
  EXPECT_LT(time_error(many, rows), time_error(some, rows));
  EXPECT_EQ(time_error(many, rows), time_error(again, rows));
}

}  // namespace
}  // namespace ridgewatt::predict
