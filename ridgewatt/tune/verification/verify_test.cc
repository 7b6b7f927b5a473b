// Tests the verification of a twin's answer by profiles, on small boards that differ from the twin.
#include "ridgewatt/tune/verify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/random.h"
#include "ridgewatt/tune/board_fixture.h"
#include "ridgewatt/tune/strategy.h"

namespace ridgewatt::tune {
namespace {

constexpr double kSlowdown = 0.1;

const twin::Twin& any_twin() {
  static const twin::Twin twin = twin::prior_twin(load_board("agx-orin"));
  return twin;
}

// Predictions of the small board by a twin. In other twins, launches take longer and the GPU draws
// more power.
std::vector<twin::TimePower> by_twin(const twin::Twin& twin,
                                     std::span<const OperatingPoint> points) {
  const auto over = [&](twin::TwinParam param) { return twin[param] / any_twin()[param]; };
  std::vector<twin::TimePower> costs;
  for (const auto& point : points) {
    const Observation base = testing::small_board_run(point);
    const double launch_s =
        10e6 / point.mode.cpu_clock_hz * (over(twin::TwinParam::kLaunchCycles) - 1);
    const double gpu = point.mode.gpu_clock_hz / 1e9;
    costs.push_back({base.time_s + std::max(launch_s, -0.5 * base.time_s),
                     base.power_w + gpu * (over(twin::TwinParam::kGpuBusyPower) - 1)});
  }
  return costs;
}

TwinView view() {
  return {any_twin(), by_twin};
}

// The real board: the twin's time and power, each times a factor.
class TrueBoard : public Profiler {
 public:
  using Factor = std::function<std::pair<double, double>(const OperatingPoint&)>;
  explicit TrueBoard(Factor factor, int last = 1000) : factor_(std::move(factor)), last_(last) {}
  Observation profile(const OperatingPoint& point) override {
    if (const auto stored = stored_.find(point); stored != stored_.end()) return stored->second;
    if (measured_ == last_) throw IoError("the board is gone");
    ++measured_;
    const Observation base = testing::small_board_run(point);
    const auto [time, power] = factor_(point);
    return stored_[point] = {point, base.time_s * time, base.power_w * power};
  }
  Provenance provenance() const override { return Provenance::kMeasured; }
  void repair() { last_ = 1000; }
  int measured() const { return measured_; }

 private:
  Factor factor_;
  int last_, measured_ = 0;
  std::map<OperatingPoint, Observation> stored_;
};

// A deviation from the twin: a factor common to all modes, and slopes over the knobs.
TrueBoard::Factor smoothly_off(double common, double slope) {
  return [=](const OperatingPoint& point) {
    const double gpu = point.mode.gpu_clock_hz / 1e9, cpu = point.mode.cpu_clock_hz / 2e9;
    return std::pair(common * std::pow(gpu, -slope), std::pow(cpu, slope) / common);
  };
}

Goal least_energy() {
  Goal goal;
  goal.objective = Objective::kEnergy;
  goal.limits.slowdown = kSlowdown;
  return goal;
}

const SearchSpace& space() {
  static const SearchSpace all(testing::small_board(), {16});
  return all;
}

StrategyOptions profiles(int count) {
  StrategyOptions options;
  options.budget.profiles = count;
  return options;
}

SearchSummary verified(Profiler& board, int count) {
  return Verification(least_energy(), space(), view(), profiles(count)).search(board);
}

TEST(Verification, AHoldingModeIsFoundWhereTheTruthDiffersSmoothly) {
  for (const double slope : {-0.1, 0.0, 0.1, 0.2}) {
    for (const double common : {0.7, 1.5}) {
      TrueBoard board(smoothly_off(common, slope));
      const SearchSummary found = verified(board, 4);
      TrueBoard all(smoothly_off(common, slope));
      StrategyOptions every;
      every.strategy = "exhaustive";
      const SearchSummary best = tune(space(), least_energy(), all, every);
      ASSERT_TRUE(found.answer && best.answer);
      const double reference = found.steps.front().seen.energy_j();
      const double saving = 1 - found.answer->energy_j() / reference;
      const double best_saving = 1 - best.answer->energy_j() / reference;
      EXPECT_GE(saving, 0.8 * best_saving) << common << ' ' << slope;
    }
  }
}

TEST(Verification, TheAnswerWasProfiledAndNeverBreaksTheLimit) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    for (const int count : {1, 2, 4, 9}) {
      Random random(seed);
      TrueBoard board([&](const OperatingPoint&) {
        return std::pair(std::exp(0.3 * random.normal()), std::exp(0.3 * random.normal()));
      });
      const SearchSummary found = verified(board, count);
      ASSERT_TRUE(found.answer);
      ASSERT_LE(found.steps.size(), static_cast<std::size_t>(count));
      const Observation& reference = found.steps.front().seen;
      EXPECT_EQ(reference.point, space()[space().top()]);
      EXPECT_LE(found.answer->time_s, (1 + kSlowdown) * reference.time_s);
      EXPECT_LE(found.answer->energy_j(), reference.energy_j());
      EXPECT_TRUE(std::any_of(found.steps.begin(), found.steps.end(), [&](const SearchStep& step) {
        return step.seen.point == found.answer->point && step.seen.time_s == found.answer->time_s;
      }));
    }
  }
}

TEST(Verification, WithoutAModeThatKeepsAPowerLimitThereIsNoAnswer) {
  Goal goal;
  goal.limits.power_w = 12;
  TrueBoard board([](const OperatingPoint&) { return std::pair(1.0, 10.0); });
  Verification verification(goal, space(), view(), profiles(3));
  const SearchSummary found = verification.search(board);
  EXPECT_FALSE(found.answer);
  ASSERT_TRUE(found.miss);
  EXPECT_GT(found.miss->power_w, 12);
}

// The profiler stores the points that have run. A repeated search continues from them.
TEST(Verification, AnInterruptedProfileLosesNothing) {
  TrueBoard whole(smoothly_off(1.3, 0.15)), cut(smoothly_off(1.3, 0.15), 2);
  const SearchSummary expected = verified(whole, 5);
  EXPECT_THROW(verified(cut, 5), IoError);
  EXPECT_EQ(cut.measured(), 2);
  cut.repair();
  const SearchSummary resumed = verified(cut, 5);
  EXPECT_EQ(resumed.answer->point, expected.answer->point);
  EXPECT_EQ(cut.measured(), whole.measured());
}

TEST(Verification, ByHandItAsksForTheSamePoints) {
  TrueBoard searched(smoothly_off(1.3, 0.15)), asked(smoothly_off(1.3, 0.15));
  const SearchSummary expected = verified(searched, 4);
  StrategyOptions options = profiles(4);
  for (std::size_t i = 0; i < expected.steps.size(); ++i) {
    const Verification verification(least_energy(), space(), view(), options);
    const auto next = verification.next();
    ASSERT_FALSE(next.empty());
    EXPECT_EQ(next.front().point, expected.steps[i].seen.point);
    options.known.push_back(asked.profile(next.front().point));
  }
  const Verification done(least_energy(), space(), view(), options);
  EXPECT_EQ(expected.steps.size(), 4U);
  EXPECT_TRUE(done.next().empty());
  EXPECT_EQ(done.best_known()->point, expected.answer->point);
}

TEST(Verification, APointThatCannotBeRunIsPassedOver) {
  TrueBoard board(smoothly_off(1, 0));
  const SearchSummary first = verified(board, 2);
  const OperatingPoint broken = first.steps.back().seen.point;
  TrueBoard other([&](const OperatingPoint& point) {
    if (point == broken) throw NotFoundError("the program failed there");
    return std::pair(1.0, 1.0);
  });
  const SearchSummary found = verified(other, 4);
  ASSERT_TRUE(found.answer);
  EXPECT_EQ(found.steps.size(), 3U);
}

TEST(Verification, ABudgetOfNothingIsRefused) {
  for (const int count : {0, -3}) {
    EXPECT_THROW(Verification(least_energy(), space(), view(), profiles(count)), UsageError);
  }
}

// A single twin, so that the expected values follow from three deviations by hand.
class PlainDoubt : public ::testing::Test {
 protected:
  const std::vector<OperatingPoint> points_ = {{{8, 1e9, 1e9, 3e9, {}}, 1},
                                               {{8, 1e9, 2e9, 3e9, {}}, 1}};
  const TwinView view_ = {any_twin(),
                          [](const twin::Twin&, std::span<const OperatingPoint> points) {
                            return std::vector<twin::TimePower>(points.size(), {0.01, 20});
                          },
                          {0.2, 0.1}};
};

TEST_F(PlainDoubt, OneProfileMovesItsNeighborByWhatTheyShare) {
  TwinDoubt doubt(points_, view_, 0.01);
  // Deviations: common 0.2, smooth 0.06, independent 0.03. The GPU clocks differ by ln 2; the
  // length is 0.3.
  const double prior = 0.04 + 0.0036 + 0.0009;
  const double shared = 0.04 + 0.0036 * std::exp(-0.5 * std::pow(std::log(2) / 0.3, 2));
  EXPECT_NEAR(doubt.at(0).time.sd, std::sqrt(prior), 1e-6);
  doubt.learn(0, {points_[0], 0.012, 20});
  const double gain = 1 / (prior + 0.0001);
  EXPECT_NEAR(doubt.at(0).time.mean, std::log(0.01) + prior * gain * std::log(1.2), 1e-6);
  EXPECT_NEAR(doubt.at(1).time.mean, std::log(0.01) + shared * gain * std::log(1.2), 1e-6);
  EXPECT_NEAR(doubt.at(1).time.sd, std::sqrt(prior - shared * shared * gain), 1e-6);
  EXPECT_NEAR(doubt.at(1).power.mean, std::log(20.0), 1e-9);
}

TEST_F(PlainDoubt, WhatIsCommonToAllCancelsInARatio) {
  const TwinDoubt doubt(points_, view_, 0.01);
  const double apart = std::exp(-0.5 * std::pow(std::log(2) / 0.3, 2));
  EXPECT_NEAR(doubt.ratio_sd(1, 0, twin::kTime), std::sqrt(2 * (0.0036 * (1 - apart) + 0.0009)),
              1e-6);
  EXPECT_EQ(doubt.ratio_sd(0, 0, twin::kTime), 0);
}

}  // namespace
}  // namespace ridgewatt::tune
