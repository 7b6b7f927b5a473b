// Tests intervals that are computed from the errors on held-out points.
#include "ridgewatt/predict/conformal_predictor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/predict/baselines/tree_predictor.h"
#include "ridgewatt/predict/factory.h"
#include "ridgewatt/predict/interval.h"
#include "ridgewatt/predict/unvaried.h"

namespace ridgewatt::predict {
namespace {

// Returns the learned values for learned points, and 1 s and 1 W for other points.
class Memory : public MeanPredictor {
 public:
  std::string name() const override { return "memory"; }
  void fit(std::span<const Observation> samples) override {
    for (const auto& one : samples) known_[one.point] = one;
  }
  std::vector<Observation> predict(std::span<const OperatingPoint> points) const override {
    std::vector<Observation> result;
    for (const auto& point : points) {
      const auto found = known_.find(point);
      result.push_back(found == known_.end() ? Observation{point, 1, 1} : found->second);
    }
    return result;
  }

 private:
  std::map<OperatingPoint, Observation> known_;
};

ConformalPredictor remembering(std::size_t folds) {
  return {std::make_unique<Memory>(), [] { return std::make_unique<Memory>(); }, {.folds = folds}};
}

// Times of e^0.1, e^0.2, .. and powers of e^-0.2, e^-0.4, ..
std::vector<Observation> rising(int count) {
  std::vector<Observation> rows;
  for (int i = 1; i <= count; ++i) {
    rows.push_back({{{i, 1e9 + i * 1e8, 1e9, 0, ""}, 1}, std::exp(0.1 * i), std::exp(-0.2 * i)});
  }
  return rows;
}

TEST(ConformalPredictor, TheBoundIsTheErrorOfItsRank) {
  const OperatingPoint elsewhere = {{99, 5e9, 1e9, 0, ""}, 1};
  for (const std::size_t folds : {2, 3, 9, 20}) {
    ConformalPredictor predictor = remembering(folds);
    predictor.fit(rising(9));
    // Rank ceil(10 x 0.9) = 9 of the nine errors, and ceil(10 x 0.5) = 5. Each model learned from
    // this share of the samples:
    const double share = 1 - 1 / static_cast<double>(std::min<std::size_t>(folds, 9));
    const double scale = std::sqrt(share);
    for (const auto& [interval, rank] : std::map<double, int>{{0.9, 9}, {0.5, 5}}) {
      const Prediction found = predictor.predict(std::vector{elsewhere}, interval)[0];
      EXPECT_NEAR(std::log(found.time_s.hi), 0.1 * scale * rank, 1e-12);
      EXPECT_NEAR(std::log(found.time_s.lo), -0.1 * scale * rank, 1e-12);
      EXPECT_NEAR(std::log(found.power_w.hi), 0.2 * scale * rank, 1e-12);
      EXPECT_NEAR(std::log(found.energy_j.lo), -0.1 * scale * rank, 1e-12);
    }
  }
}

TEST(ConformalPredictor, TooFewPointsHaveNoInterval) {
  EXPECT_EQ(samples_for_interval(0.9), 9U);
  EXPECT_EQ(samples_for_interval(0.5), 1U);
  EXPECT_EQ(samples_for_interval(0.95), 19U);
  auto rows = rising(8);
  for (int repeat = 0; repeat < 2; ++repeat) {
    ConformalPredictor predictor = remembering(8);
    predictor.fit(rows);
    const std::vector<OperatingPoint> points = {{{99, 5e9, 1e9, 0, ""}, 1}};
    const Estimate none = predictor.predict(points, 0.9)[0].time_s;
    EXPECT_FALSE(has_interval(none));
    EXPECT_EQ(none.lo, 0);
    EXPECT_EQ(none.mean, 1);
    EXPECT_TRUE(has_interval(predictor.predict(points, 0.8)[0].time_s));
    const auto again = rows;  // the same points again add no information about others
    rows.insert(rows.end(), again.begin(), again.end());
  }
  ConformalPredictor predictor = remembering(8);
  predictor.fit(rising(1));
  EXPECT_FALSE(has_interval(predictor.predict(std::vector{rising(1)[0].point}, 0.5)[0].power_w));
  EXPECT_THROW(predictor.fit({}), UsageError);
}

// Compute time depends on the GPU clock and launch time on the CPU clock; measurements have 3 %
// noise.
std::vector<Observation> board() {
  Random random(5);
  std::vector<Observation> rows;
  for (const int cores : {2, 4, 6, 8}) {
    for (double cpu = 0.4e9; cpu < 2.1e9; cpu += 0.2e9) {
      for (double gpu = 0.2e9; gpu < 1.3e9; gpu += 0.1e9) {
        for (const double mem : {0.8e9, 1.6e9, 3.2e9}) {
          const double compute_s = std::max(4e7 / gpu, 6e7 / mem);
          const double launch_s = 2e7 / cpu * (1 + 1.0 / cores);
          const double time_s = compute_s + launch_s;
          const double power_w = 8 + 15 * std::pow(gpu / 1.3e9, 2) * compute_s / time_s +
                                 4 * std::pow(cpu / 2e9, 2) + 2 * mem / 3.2e9;
          rows.push_back({{{cores, cpu, gpu, mem, ""}, 16},
                          time_s * std::exp(0.03 * random.normal()),
                          power_w * std::exp(0.03 * random.normal())});
        }
      }
    }
  }
  return rows;
}

struct Coverage {
  double time = 0, power = 0, energy = 0;
};

Coverage coverage(const std::string& method, std::size_t size, int draws) {
  const auto rows = board();
  Coverage found;
  for (int draw = 0; draw < draws; ++draw) {
    Random random(static_cast<std::uint64_t>(draw));
    std::vector<Observation> samples;
    for (const auto row : random.sample(rows.size(), size)) samples.push_back(rows[row]);
    PredictorOptions options;
    options.method = method;
    const auto predictor = make_predictor(options);
    predictor->fit(samples);
    std::vector<OperatingPoint> points;
    for (const auto& row : rows) points.push_back(row.point);
    const auto predicted = predictor->predict(points);
    const auto holds = [](const Estimate& value, double actual) {
      return actual >= value.lo && actual <= value.hi ? 1.0 : 0.0;
    };
    const double share = 100.0 / static_cast<double>(rows.size()) / draws;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      found.time += share * holds(predicted[i].time_s, rows[i].time_s);
      found.power += share * holds(predicted[i].power_w, rows[i].power_w);
      found.energy += share * holds(predicted[i].energy_j, rows[i].energy_j());
    }
  }
  return found;
}

// The mean over many draws, because with ten samples the coverage of one draw varies by 8 %.
// label: slow
TEST(ConformalPredictor, NinetyPercentIntervalsHoldNinetyPercent) {
  struct Case {
    std::string method;
    std::size_t size;
    int draws;
  };
  const Case cases[] = {
      {"linear", 10, 100}, {"linear", 20, 100}, {"linear", 50, 50}, {"trees", 20, 20}};
  for (const auto& [method, size, draws] : cases) {
    if (method == "trees" && !trees_available()) continue;
    const Coverage found = coverage(method, size, draws);
    for (const double one : {found.time, found.power, found.energy}) {
      EXPECT_GE(one, 85) << method << " " << size;
      EXPECT_LE(one, 95) << method << " " << size;
    }
  }
}

// label: slow
TEST(ConformalPredictor, IntervalsOfNetworksDoNotDependOnThreads) {
  const auto rows = board();
  std::vector<std::vector<Prediction>> found;
  for (const int threads : {1, 3}) {
    PredictorOptions options;
    options.method = "nn";
    options.network.network.epochs = 3;
    options.network.threads = threads;
    const auto predictor = make_predictor(options);
    predictor->fit(std::span(rows).first(12));
    found.push_back(predictor->predict(std::vector{rows[500].point}));
  }
  EXPECT_EQ(found[0][0].time_s.hi, found[1][0].time_s.hi);
  EXPECT_EQ(found[0][0].energy_j.lo, found[1][0].energy_j.lo);
}

// All samples have one GPU clock. For every method, 90 % of the rows at other clocks must be within
// the interval, and it must be wider than at the sampled clock.
TEST(Unvaried, IntervalsAtOtherValuesAreWiderAndHold) {
  constexpr double kSampledHz = 0.7e9;
  std::vector<Observation> same, others;
  for (const auto& row : board()) {
    const bool sampled = std::abs(row.point.mode.gpu_clock_hz - kSampledHz) < 1e6;
    (sampled ? same : others).push_back(row);
    (sampled ? same : others).back().point.mode.gpu_clock_hz =
        sampled ? kSampledHz : row.point.mode.gpu_clock_hz;
  }
  std::vector<Observation> samples;
  for (const auto row : Random(3).sample(same.size(), 20)) samples.push_back(same[row]);
  std::vector<OperatingPoint> points;
  for (const auto& row : others) points.push_back(row.point);
  EXPECT_EQ(unvaried_axes(samples, points),
            (std::vector{PointAxis::kGpuClock}));  // all have the same batch
  for (const std::string method : {"auto", "linear", "trees"}) {
    if (method == "trees" && !trees_available()) continue;
    PredictorOptions options;
    options.method = method;
    options.space = points;
    const auto predictor = make_predictor(options);
    predictor->fit(samples);
    const Prediction known = predictor->predict(std::vector{same[0].point})[0];
    const auto predicted = predictor->predict(points);
    double held = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto& [time, power, energy] = predicted[i];
      const auto holds = [](const Estimate& value, double actual) {
        return actual >= value.lo && actual <= value.hi;
      };
      held += holds(time, others[i].time_s) && holds(power, others[i].power_w);
    }
    EXPECT_GE(held, 0.9 * static_cast<double>(points.size())) << method;
    OperatingPoint far = same[0].point;
    far.mode.gpu_clock_hz = 0.2e9;
    const Prediction wide = predictor->predict(std::vector{far})[0];
    EXPECT_GT(wide.time_s.hi / wide.time_s.lo, 1.2 * known.time_s.hi / known.time_s.lo) << method;
    EXPECT_GT(wide.power_w.hi / wide.power_w.lo, 1.2 * known.power_w.hi / known.power_w.lo)
        << method;
  }
}

TEST(Unvaried, EffectsAreThoseOfPhysics) {
  const AxisArray<double> fixed{{4, 0, 1e9, 0, 8}};
  // At half the GPU clock, the time may double and the power may halve.
  const UnvariedEffect slower = unvaried_effect(fixed, {{4, 2e9, 0.5e9, 3e9, ""}, 8});
  EXPECT_EQ(slower.time_lo, 1);
  EXPECT_EQ(slower.time_hi, 2);
  EXPECT_EQ(slower.power_lo, 0.5);
  EXPECT_EQ(slower.power_hi, 1);
  // At twice the batch, time and power may double but do not fall.
  const UnvariedEffect larger = unvaried_effect(fixed, {{4, 2e9, 1e9, 3e9, ""}, 16});
  EXPECT_EQ(larger.time_lo, 1);
  EXPECT_EQ(larger.time_hi, 2);
  EXPECT_EQ(larger.power_hi, 2);
  // A knob that varies in the samples, or that no sample states, adds nothing.
  const UnvariedEffect none = unvaried_effect(fixed, {{4, 9e9, 1e9, 1e9, ""}, 8});
  EXPECT_EQ(none.time_hi, 1);
  EXPECT_EQ(none.power_lo, 1);
}

}  // namespace
}  // namespace ridgewatt::predict
