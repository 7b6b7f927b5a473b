#include "ridgewatt/govern/phases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"

namespace ridgewatt::govern {
namespace {

using measure::TimedMark;
using Kind = TimedMark::Kind;

PowerMode clocked(double gpu_hz) {
  PowerMode mode;
  mode.gpu_clock_hz = gpu_hz;
  return mode;
}
const PowerMode kFast = clocked(1.0e9), kSlow = clocked(0.5e9);

// A program in virtual time: marks at given times, power that depends on the mode, and 10 ms to set
// a mode.
class ScriptedProgram final : public measure::TunedProgram {
 public:
  explicit ScriptedProgram(std::vector<TimedMark> marks, double end_s)
      : marks_(std::move(marks)), end_s_(end_s) {}
  double now_s() const override { return now_s_; }
  bool wait(double at_most_s, std::vector<TimedMark>& marks,
            std::vector<measure::TimedPower>& power) override {
    double until_s = now_s_ + at_most_s;
    if (next_ < marks_.size()) until_s = std::min(until_s, std::max(now_s_, marks_[next_].time_s));
    advance(std::min(until_s, end_s_));
    for (; next_ < marks_.size() && marks_[next_].time_s <= now_s_; ++next_) {
      marks.push_back(marks_[next_]);
    }
    power.insert(power.end(), power_.begin(), power_.end());
    power_.clear();
    return now_s_ < end_s_;
  }
  void set(const PowerMode& mode) override {
    advance(now_s_ + 0.01);
    mode_ = mode;
    set_.push_back(mode);
  }
  Surroundings surroundings() override { return {}; }
  bool tells_means() const override { return true; }
  const std::vector<PowerMode>& sets() const { return set_; }

 private:
  void advance(double until_s) {
    static constexpr double kSampleS = 0.001;
    while (sample_s_ + kSampleS <= until_s) {
      sample_s_ += kSampleS;
      power_.push_back({sample_s_, mode_ == kFast ? 40.0 : 10.0});
    }
    now_s_ = std::max(now_s_, until_s);
  }
  std::vector<TimedMark> marks_;
  std::vector<measure::TimedPower> power_;
  std::size_t next_ = 0;
  double now_s_ = 0, sample_s_ = 0, end_s_;
  PowerMode mode_ = kFast;
  std::vector<PowerMode> set_;
};

// `requests` requests of a prefill and a decode of `tokens` tokens. The first starts after 1 s.
std::vector<TimedMark> requests(int requests, double prefill_s, double decode_s, int tokens) {
  std::vector<TimedMark> marks;
  double now_s = 1;
  for (int i = 0; i < requests; ++i) {
    marks.push_back({Kind::kBegin, "prefill", now_s});
    now_s += prefill_s;
    marks.push_back({Kind::kEnd, "prefill", now_s});
    marks.push_back({Kind::kBegin, "decode", now_s});
    for (int token = 1; token <= tokens; ++token) {
      marks.push_back({Kind::kMinibatch, "", now_s + token * decode_s / tokens});
    }
    now_s += decode_s;
    marks.push_back({Kind::kEnd, "decode", now_s});
  }
  return marks;
}
const std::vector<PhaseMode> kPhaseModes = {{"prefill", kFast}, {"decode", kSlow}};

TEST(Phases, EachHasItsMode) {
  ScriptedProgram program(requests(5, 1, 4, 10), 27);
  const PhaseOutcome held = hold_phases(program, {.modes = kPhaseModes});
  ASSERT_EQ(held.phases.size(), 2u);
  const auto &prefill = held.phases[0], &decode = held.phases[1];
  EXPECT_EQ(prefill.times, 5u);
  EXPECT_EQ(decode.times, 5u);
  EXPECT_EQ(decode.switches, 5u);
  EXPECT_EQ(prefill.switches, 4u);  // the first mode was already set
  EXPECT_EQ(held.switches, 9u);
  EXPECT_EQ(decode.minibatches, 50u);
  EXPECT_EQ(prefill.minibatches, 0u);
  EXPECT_EQ(held.minibatches, 50u);
  EXPECT_NEAR(prefill.time_s, 5, 1e-9);
  EXPECT_NEAR(decode.time_s, 20, 1e-9);
  EXPECT_NEAR(decode.median_s, 4, 1e-9);
  // 40 W and 10 W, except during the 10 ms until the mode is set.
  EXPECT_NEAR(prefill.energy_j, 5 * 40 - 4 * 0.01 * 30, 0.3);
  EXPECT_NEAR(decode.energy_j, 20 * 10 + 5 * 0.01 * 30, 0.3);
  // 1 s before in the first mode and 1 s after in the last mode.
  EXPECT_NEAR(held.energy_j, prefill.energy_j + decode.energy_j + 40 + 10, 0.5);
  EXPECT_NEAR(held.median_switch_s, 0.01, 1e-6);
  EXPECT_NEAR(held.median_write_s, 0.01, 1e-6);
  EXPECT_NEAR(held.switching_s, 0.09, 1e-6);
}

// A switch takes 10 ms plus 14 ms until the clocks show it; both directions take 48 ms.
TEST(Phases, OneThatIsShorterThanASwitchIsLeftAlone) {
  ScriptedProgram shorter(requests(50, 0.5, 0.04, 2), 40);
  const PhaseOutcome left = hold_phases(shorter, {.modes = kPhaseModes, .least_times = 1});
  EXPECT_EQ(left.phases[1].times, 50u);
  EXPECT_EQ(left.phases[1].switches, 1u);  // its length was still unknown
  EXPECT_EQ(left.phases[1].too_short, 49u);
  EXPECT_EQ(left.switches, 2u);
  EXPECT_EQ(shorter.sets().back(), kFast);
  ScriptedProgram longer(requests(50, 0.5, 0.06, 2), 40);
  EXPECT_EQ(hold_phases(longer, {.modes = kPhaseModes, .least_times = 1}).phases[1].switches, 50u);
  ScriptedProgram always(requests(50, 0.5, 0.04, 2), 40);
  EXPECT_EQ(hold_phases(always, {.modes = kPhaseModes, .least_times = 0}).phases[1].switches, 50u);
}

TEST(Phases, TheInnerOneCountsAndTheOuterComesBack) {
  const std::vector<TimedMark> marks = {
      {Kind::kBegin, "decode", 1},   {Kind::kBegin, "checkpoint", 2}, {Kind::kBegin, "prefill", 3},
      {Kind::kEnd, "prefill", 4},    {Kind::kEnd, "checkpoint", 5},   {Kind::kEnd, "decode", 6},
      {Kind::kEnd, "never begun", 7}};
  ScriptedProgram program(marks, 8);
  const PhaseOutcome held = hold_phases(program, {.modes = kPhaseModes});
  EXPECT_EQ(program.sets(), (std::vector{kSlow, kFast, kSlow}));
  EXPECT_EQ(held.phases[0].times, 1u);
  EXPECT_NEAR(held.phases[1].time_s, 5, 1e-9);  // including the phase inside it
}

TEST(Phases, OneThatNeverEndsEndsWithTheProgram) {
  ScriptedProgram program({{Kind::kBegin, "decode", 1}}, 4);
  const PhaseOutcome held = hold_phases(program, {.modes = kPhaseModes});
  EXPECT_EQ(held.phases[1].times, 1u);
  EXPECT_NEAR(held.phases[1].time_s, 3, 1e-6);
  EXPECT_NEAR(held.phases[1].energy_j, 30, 1);
  EXPECT_EQ(held.phases[0].times, 0u);
}

// The number of begins without an end is bounded.
TEST(Phases, ManyOpenPhasesAreNotRemembered) {
  std::vector<TimedMark> marks;
  for (int i = 0; i < 100000; ++i) marks.push_back({Kind::kBegin, "p" + std::to_string(i), 1});
  marks.push_back({Kind::kMinibatch, "", 2});
  ScriptedProgram program(marks, 3);
  EXPECT_EQ(hold_phases(program, {.modes = kPhaseModes}).minibatches, 1u);
}

TEST(Phases, LooksForSafetyAndPassesOnWhatItThrows) {
  ScriptedProgram program(requests(5, 1, 4, 10), 27);
  int looks = 0;
  hold_phases(program, {.modes = kPhaseModes}, [&] { ++looks; });
  EXPECT_NEAR(looks, 50, 10);
  ScriptedProgram hot(requests(5, 1, 4, 10), 27);
  EXPECT_THROW(hold_phases(hot, {.modes = kPhaseModes}, [] { throw IoError("too hot"); }), IoError);
}

TEST(Phases, OptionsThatMeanNothingAreRefused) {
  ScriptedProgram program({}, 1);
  EXPECT_THROW(hold_phases(program, {}), UsageError);
  EXPECT_THROW(hold_phases(program, {.modes = {{"a", kFast}, {"a", kSlow}}}), UsageError);
  EXPECT_THROW(hold_phases(program, {.modes = {{"", kFast}}}), UsageError);
  EXPECT_THROW(hold_phases(program, {.modes = kPhaseModes, .least_times = std::nan("")}),
               UsageError);
  EXPECT_THROW(hold_phases(program, {.modes = kPhaseModes, .wait_s = 0}), UsageError);
}

}  // namespace
}  // namespace ridgewatt::govern
