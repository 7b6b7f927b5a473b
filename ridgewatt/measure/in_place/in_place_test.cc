// Tests windows of a program that keeps running: where they begin, how long they are, the cost of a
// change of mode, drift, and the power limit.
#include "ridgewatt/measure/in_place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/measure/in_place/drift.h"
#include "ridgewatt/measure/in_place/power_guard.h"
#include "ridgewatt/measure/in_place/transient.h"
#include "ridgewatt/measure/simulated_program.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::measure {
namespace {

using testing::HasSubstr;

TEST(Transient, LeavesOutWhatIsUnlikeTheRest) {
  EXPECT_EQ(transient_length(std::vector<double>{9, 7, 1, 1.1, 0.9, 1, 1.1, 0.9}), 2u);
  EXPECT_EQ(transient_length(std::vector<double>{}), 0u);
  // A drift that never ends: at most half is discarded.
  std::vector<double> ramp;
  for (int i = 0; i < 20; ++i) ramp.push_back(i);
  EXPECT_LE(transient_length(ramp), 10u);
}

TEST(Transient, FindsTheStepOfPower) {
  std::vector<TimedPower> samples;
  Random random(1);
  for (int i = 0; i < 60; ++i) {
    samples.push_back({i * 0.01, (i < 23 ? 10.0 : 14.0) + 0.1 * random.normal()});
  }
  ASSERT_TRUE(change_point(samples));
  EXPECT_NEAR(*change_point(samples), 0.225, 1e-9);
  for (auto& sample : samples) sample.power_w = 10 + 0.1 * random.normal();
  EXPECT_FALSE(change_point(samples));
}

// The time of a minibatch changes from 100 ms to 50 ms at 1.23 s. From 1.1 s until then, 1.3
// minibatches are done, so the third minibatch ends 1.7 x 50 ms after the change.
TEST(Transient, TheMixedMinibatchTellsWhenThePaceChanged) {
  const double end_s = 1.23 + 0.7 * 0.05 + 0.05;
  ASSERT_TRUE(pace_change(1.1, end_s, 3, 0.1, 0.05, 0.001));
  EXPECT_NEAR(*pace_change(1.1, end_s, 3, 0.1, 0.05, 0.001), 1.23, 1e-9);
  EXPECT_FALSE(pace_change(1.1, end_s, 3, 0.1, 0.095, 0.001));  // too similar
  EXPECT_FALSE(pace_change(1.1, end_s, 3, 0.1, 0.08, 0.5));     // too noisy
}

TEST(PowerGuard, CountsTimeAboveTheLimit) {
  PowerGuard guard(10, 0.05);
  guard.mode_set(0);
  for (int i = 0; i <= 100; ++i) guard.add({i * 0.01, i > 50 && i <= 70 ? 11.0 : 9.0});
  // The average over 50 ms is above the limit from the third high sample of five to the second low
  // sample.
  EXPECT_NEAR(guard.over_s(), 0.20, 0.021);
  EXPECT_NEAR(guard.worst_excess(), 0.1, 1e-9);
  EXPECT_FALSE(guard.over());
  guard.mode_set(1.0);
  for (int i = 101; i <= 106; ++i) guard.add({i * 0.01, 10.3});
  EXPECT_TRUE(guard.over());
  guard.mode_set(1.06);  // another mode: no history yet
  EXPECT_FALSE(guard.over());
}

// A mode that is left counts as above the limit, also after a mode with less power.
TEST(PowerGuard, CountsTheWindowThatItLeavesFor) {
  PowerGuard guard(10, 0.05);
  guard.mode_set(0);
  for (int i = 0; i <= 100; ++i) guard.add({i * 0.01, 6.0});
  guard.mode_set(1.0);
  for (int i = 101; !guard.over(); ++i) {
    ASSERT_LT(i, 110);
    guard.add({i * 0.01, 10.5});
  }
  EXPECT_NEAR(guard.over_s(), 0.01, 0.011);
  EXPECT_EQ(guard.over_s(), guard.longest_s());
  EXPECT_NEAR(guard.worst_excess(), 0.05, 1e-9);
  guard.mode_set(1.2);
  for (int i = 121; !guard.over(); ++i) {
    ASSERT_LT(i, 130);
    guard.add({i * 0.01, 10.05});
  }
  EXPECT_NEAR(guard.longest_s(), 0.05, 1e-9);
}

InPlaceWindow window_of(double time_s, double power_w) {
  InPlaceWindow window;
  window.point.mode.gpu_clock_hz = 1e9;
  window.minibatches = 10;
  window.time_s = window.median_s = time_s;
  window.power_w = power_w;
  window.spread = 0.02;
  return window;
}

TEST(DriftTest, FollowsWarmingUpAndNoticesAStep) {
  DriftTest test{DriftOptions()};
  double power_w = 20;
  for (int i = 0; i < 20; ++i) {  // 4 % at the end
    power_w = 20 * (1 + 0.04 * (1 - std::exp(-i / 5.0)));
    EXPECT_EQ(test.look(window_of(0.1, power_w)).verdict, DriftTest::Verdict::kHolds) << i;
  }
  int looks = 1;
  auto look = test.look(window_of(0.1, 1.1 * power_w));
  for (; look.verdict == DriftTest::Verdict::kDoubt && looks < 4; ++looks) {
    look = test.look(window_of(0.1, 1.1 * power_w));
  }
  EXPECT_EQ(look.verdict, DriftTest::Verdict::kDrift);
  EXPECT_LE(looks, 2);
  EXPECT_NEAR(look.power_factor, 1.1, 0.01);
  EXPECT_NEAR(look.time_factor, 1, 0.01);
}

// A single deviating window is measured again and then ignored.
TEST(DriftTest, ADoubtThatIsNotConfirmedIsNoDrift) {
  DriftTest test{DriftOptions()};
  for (int i = 0; i < 5; ++i) test.look(window_of(0.1, 20));
  EXPECT_EQ(test.look(window_of(0.1 * 1.06, 20)).verdict, DriftTest::Verdict::kDoubt);
  DriftTest::Verdict last = DriftTest::Verdict::kDoubt;
  for (int i = 0; i < 3; ++i) last = test.look(window_of(0.1, 20)).verdict;
  EXPECT_EQ(last, DriftTest::Verdict::kHolds);
}

// A warmed-up program on the Orin Nano's twin, in simulated time.
struct Simulated {
  explicit Simulated(SimulatedProgramOptions simulation = {}, InPlaceOptions options = {})
      : board(load_board("orin-nano-8gb")),
        space(knob_space(board)),
        load(twin::load_twin(board), *workload::DeployedWorkload("zoo:mobilenet_v2", {}).at(4), 3),
        program(load, std::move(simulation)),
        profiler(program, options, Provenance::kFake,
                 [this](const InPlaceWindow& window) { kept.push_back(window); }) {
    load.warm(1000);
  }
  PowerMode lowest() const { return space.modes().front(); }

  Board board;
  KnobSpace space;
  platform::FakeLoad load;
  SimulatedProgram program;
  std::vector<InPlaceWindow> kept;
  InPlaceProfiler profiler;
};

TEST(InPlaceProfiler, MeasuresWhatTheModeCosts) {
  Simulated in;
  in.profiler.begin(in.space.top());
  const auto check = [&](const PowerMode& mode) {
    const Observation seen = in.profiler.profile({mode, 4});
    const auto truth = in.load.at(mode);
    // One minibatch in a hundred is slow, which adds half a percent to the mean.
    EXPECT_NEAR(seen.time_s, truth.time_s, 0.03 * truth.time_s);
    EXPECT_NEAR(seen.power_w, truth.power_w, 0.01 * truth.power_w);
    EXPECT_NEAR(*seen.measured_energy_j, seen.time_s * seen.power_w, 1e-9);
  };
  check(in.space.top());
  check(in.space.modes()[in.space.size() / 2]);
  check(in.space.modes()[in.space.size() / 3]);
  check(in.space.top());
  const auto& run = in.profiler.run();
  ASSERT_GE(run.windows.size(), 4u);
  for (const auto& window : run.windows) {
    EXPECT_GE(window.minibatches, 4);
    EXPECT_LE(window.minibatches, 40);
  }
  EXPECT_GT(run.minibatches, 40);
  const auto now_s = unix_s_before(0);
  auto long_ago = in.kept.front();
  long_ago.begin_s = long_ago.end_s - 1000;
  EXPECT_NEAR(static_cast<double>(record_of(long_ago).started_unix_s - now_s), -1000, 60);
  const auto record = record_of(in.kept.front());
  EXPECT_EQ(record.minibatches, in.kept.front().minibatches);
  EXPECT_GT(record.power_samples, 0);
}

// The simulated clocks change 5 or 40 ms after the write starts. The profiler must report that
// delay.
TEST(InPlaceProfiler, TellsWhenAModeTookEffect) {
  for (const double effect_s : {0.005, 0.04}) {
    SimulatedProgramOptions simulation;
    simulation.effect_s = effect_s;
    Simulated in(simulation);
    in.profiler.begin(in.space.top());
    for (int i = 0; i < 6; ++i) {
      PowerMode mode = in.space.top();
      if (i % 2 == 0) mode.gpu_clock_hz = in.space.levels(Knob::kGpuClock).front();
      in.profiler.profile({mode, 4});
    }
    const auto power = power_effects(in.profiler.run());
    ASSERT_GE(power.count, 3);
    EXPECT_NEAR(power.median_s, effect_s, 0.01);  // one sample interval
    const auto pace = time_effects(in.profiler.run());
    ASSERT_GE(pace.count, 2);
    EXPECT_NEAR(pace.median_s, effect_s, 0.015);
  }
}

TEST(InPlaceProfiler, LeavesAModeThatDrawsTooMuchAtOnce) {
  InPlaceOptions options;
  Simulated trial;
  const double top_w = trial.load.at(trial.space.top()).power_w;
  options.power_limit_w = 0.8 * top_w;
  Simulated in({}, options);
  in.profiler.begin(in.lowest());
  try {
    in.profiler.profile({in.space.top(), 4});
    FAIL() << "the limit was exceeded";
  } catch (const OverLimitError& error) {
    EXPECT_GE(error.power_w(), options.power_limit_w);
    EXPECT_LE(error.power_w(), 1.02 * top_w);
  }
  EXPECT_EQ(in.profiler.mode(), in.lowest());
  // The profiler leaves the mode quickly, and counts the window that made it leave.
  const auto& run = in.profiler.run();
  EXPECT_GT(run.over_limit_s, 0);
  EXPECT_LT(run.longest_over_limit_s, 0.1);
  EXPECT_GT(run.worst_excess, 0.05);
  EXPECT_LT(run.worst_excess, 0.27);
}

// In a held mode, the profiler also reacts to a rise in power that a disturbance causes.
TEST(InPlaceProfiler, LeavesAHeldModeThatComesToDrawTooMuch) {
  Simulated trial;
  const PowerMode mode = trial.space.modes()[trial.space.size() / 2];
  InPlaceOptions options;
  options.power_limit_w = 1.05 * trial.load.at(mode).power_w;
  SimulatedProgramOptions simulation;
  platform::FakeDisturbance more;
  more.begin_s = 60;
  more.end_s = 1e9;
  more.power = 1.2;
  simulation.disturbances = {more};
  Simulated in(simulation, options);
  in.profiler.begin(in.lowest());
  in.profiler.profile({mode, 4});
  in.profiler.hold({mode, 4});
  ASSERT_TRUE(in.profiler.watch(30));
  EXPECT_EQ(in.profiler.mode(), mode);
  ASSERT_TRUE(in.profiler.watch(60));
  EXPECT_EQ(in.profiler.mode(), in.lowest());
}

TEST(InPlaceProfiler, SaysThatTheProgramEnded) {
  SimulatedProgramOptions simulation;
  simulation.minibatches = 15;
  Simulated in(simulation);
  in.profiler.begin(in.space.top());
  EXPECT_THROW(
      {
        for (int i = 0; i < 4; ++i) in.profiler.profile({in.space.top(), 4});
      },
      ProgramEndedError);
  EXPECT_TRUE(in.profiler.run().ended);
}

// A program that fails at once, or does not mark its minibatches, and one that is too short.
TEST(InPlaceProfiler, SaysWhatAProgramThatEndsTooSoonDid) {
  for (const auto& [minibatches, said] :
       {std::pair(0, "marked no minibatches"), std::pair(1, "ended after 1 minibatch,")}) {
    SimulatedProgramOptions simulation;
    simulation.minibatches = minibatches;
    Simulated in(simulation);
    try {
      in.profiler.begin(in.space.top());
      ADD_FAILURE() << said;
    } catch (const ProgramEndedError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr(said));
    }
  }
}

TEST(InPlaceOptions, AreChecked) {
  InPlaceOptions options;
  options.least_minibatches = 2;
  try {
    options.check();
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("least_minibatches"));
  }
}

}  // namespace
}  // namespace ridgewatt::measure
