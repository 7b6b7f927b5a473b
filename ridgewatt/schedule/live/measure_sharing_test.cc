#include "ridgewatt/schedule/measure_sharing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"

namespace ridgewatt::schedule {
namespace {

// Simulates the executor and two programs in virtual time: minibatches take 10 and 20 ms alone,
// 3 ms more after the other program's, and run at the given speeds while sharing; 2 % noise.
struct MadeUpPair {
  double alone_s[2] = {0.010, 0.020};
  double speed[2] = {0.7, 0.6};
  double switch_s = 0.003;

  void run(SharingPolicy& policy, std::uint64_t seed) const {
    Random random(seed);
    bool ended = false;
    policy.on_end = [&] { ended = true; };
    WorkerView views[2] = {{"x", WorkloadKind::kTraining, true, false, 0},
                           {"y", WorkloadKind::kTraining, true, false, 0}};
    EXPECT_EQ(policy.joining(views[0], 0), "");
    EXPECT_FALSE(policy.next(0, std::vector<WorkerView>{views[0]}).grant);
    EXPECT_EQ(policy.joining(views[1], 0.5), "");
    EXPECT_NE(policy.joining({"z", WorkloadKind::kTraining, true, false, 0}, 0.5), "");
    double now_s = 0.5;
    int last = -1;
    std::vector<GrantRecord> running;
    while (!ended && now_s < 1000) {
      // Like the executor: one holder, or several while the device is shared.
      while (running.empty() || policy.shares_device(now_s)) {
        const std::vector<WorkerView> asking(views, views + 2);
        const auto decision = policy.next(now_s, asking);
        if (ended || !decision.grant) break;
        const auto who = static_cast<int>(decision.grant->worker);
        const bool shared = policy.shares_device(now_s);
        double time_s = alone_s[who] * (1 + 0.02 * random.normal());
        if (shared) time_s /= speed[who];
        if (!shared && last >= 0 && last != who) time_s += switch_s;
        last = who;
        GrantRecord record;
        record.worker = views[who].name;
        record.granted_s = now_s;
        record.released_s = now_s + time_s;
        record.outcome = "done";
        running.push_back(record);
        views[who].ready = false;
      }
      if (running.empty()) {
        now_s += 0.001;
        continue;
      }
      const auto next = std::min_element(
          running.begin(), running.end(),
          [](const auto& a, const auto& b) { return a.released_s < b.released_s; });
      now_s = next->released_s;
      views[next->worker == "x" ? 0 : 1].ready = true;
      policy.released(*next);
      running.erase(next);
    }
    EXPECT_TRUE(ended);
    EXPECT_NEAR(now_s, 60.5, 0.5);
  }
};

TEST(MeasureSharing, FindsWhatIsThere) {
  SharingPolicy policy({.duration_s = 60, .rounds = 5});
  MadeUpPair().run(policy, 1);
  const SharingMeasurement result = policy.result();
  EXPECT_EQ(result.programs[0].name, "x");
  EXPECT_EQ(result.programs[1].name, "y");
  EXPECT_NEAR(result.factor.mean, 1 / 1.3, 0.01);
  EXPECT_EQ(result.factor.count, 5);
  EXPECT_LT(result.factor.lo, 1 / 1.3);
  EXPECT_GT(result.factor.hi, 1 / 1.3);
  for (int i = 0; i < 2; ++i) {
    const MadeUpPair truth;
    EXPECT_NEAR(result.programs[i].alone_s.mean / truth.alone_s[i], 1, 0.01);
    EXPECT_NEAR(result.programs[i].speed.mean, truth.speed[i], 0.01);
    EXPECT_GT(result.programs[i].minibatches, 500u);
  }
  ASSERT_EQ(result.switches.size(), 2u);
  for (const auto& cost : result.switches) EXPECT_NEAR(cost.switch_s, 0.003, 0.0004);
  ASSERT_EQ(result.spans.size(), 20u);
  EXPECT_NEAR(result.spans.back().to_s, 60.5, 1e-9);
}

TEST(MeasureSharing, GrantsOverlapOnlyWhileTheyShall) {
  SharingPolicy policy({.duration_s = 60, .rounds = 5});
  MadeUpPair pair;
  pair.switch_s = 0;
  pair.run(policy, 2);
  const SharingMeasurement result = policy.result();
  for (const auto& cost : result.switches) {
    EXPECT_LE(cost.lo_s, 0.0002);
    EXPECT_GE(cost.hi_s, -0.0002);
  }
}

TEST(MeasureSharing, WhoDoesNotComeOrLeavesEndsIt) {
  for (const bool come : {false, true}) {
    SharingPolicy policy({.duration_s = 60, .rounds = 5, .start_within_s = 10});
    bool ended = false;
    policy.on_end = [&] { ended = true; };
    const WorkerView x{"x", WorkloadKind::kTraining, false, false, 0};
    EXPECT_EQ(policy.joining(x, 0), "");
    EXPECT_DOUBLE_EQ(policy.next(1, {}).ask_again_s, 10);
    if (come) {
      EXPECT_EQ(policy.joining({"y", WorkloadKind::kTraining, false, false, 0}, 2), "");
      policy.left(x, 3);
    } else {
      policy.next(10, {});
    }
    EXPECT_TRUE(ended);
    EXPECT_THROW(policy.result(), NoSolutionError);
  }
  EXPECT_THROW(SharingPolicy({.duration_s = -1}), UsageError);
  EXPECT_THROW(SharingPolicy({.duration_s = std::nan("")}), UsageError);
  EXPECT_THROW(SharingPolicy({.duration_s = 1, .rounds = 1}), UsageError);
}

}  // namespace
}  // namespace ridgewatt::schedule
