// The name of a campaign belongs to one plan. Tests every way in which two plans with the same name
// can meet in a store.
#include "ridgewatt/campaign/identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/campaign/collect.h"
#include "ridgewatt/campaign/follow.h"

namespace ridgewatt::campaign {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A plan of points "0" to "2" with consecutive batches in one mode.
Plan plan_of(const std::string& store, int first_batch) {
  Plan plan;
  plan.name = "c1";
  plan.store = store;
  plan.profile.series.workload = "net";
  plan.profile.series.kind = "inference";
  plan.profile.measure.command = {"true"};
  BoardKind kind{.name = "agx-orin"};
  for (int i = 0; i < 3; ++i) {
    kind.points.push_back(
        {.label = std::to_string(i), .point = {{4, 1113.6e6, 612e6, 3199e6, ""}, first_batch + i}});
  }
  plan.boards = {kind};
  return plan;
}

void fill(const Plan& plan, store::Store& store) {
  const auto series = store.series({"agx-orin", "net", "inference", Provenance::kMeasured, "17"});
  for (const auto& planned : plan.boards[0].points) {
    store::PointRecord record;
    record.observation = {planned.point, 0.1, 20};
    record.slot = slot_of(plan.name, "agx-orin", planned.label);
    store.add(series, record);
  }
}

template <typename Body>
std::string refusal(Body body) {
  try {
    body();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "not refused";
}

class CampaignIdentity : public ::testing::Test {
 protected:
  testing::TemporaryFolder folder_;
  std::string store_ = (folder_.path() / "points.db").string();
};

TEST_F(CampaignIdentity, TheFingerprintIsThatOfWhatIsMeasured) {
  const Plan plan = plan_of(store_, 1);
  const std::string mine = fingerprint_of(plan);
  EXPECT_EQ(fingerprint_of(parse_plan(plan_json(plan), "plan")), mine);
  Plan elsewhere = plan;
  elsewhere.store = "postgresql://db/points";
  elsewhere.executor = "slurm";
  elsewhere.options.partition = "boards";
  elsewhere.jobs = {{"slurm", "agx-orin", "1", {0}, 1}};
  elsewhere.boards[0].boards = 9;
  elsewhere.boards[0].points_per_task = 3;
  elsewhere.boards[0].points[0].predicted_s = 5;
  EXPECT_EQ(fingerprint_of(elsewhere), mine);
  std::vector<Plan> others(8, plan);
  others[0].name = "c2";
  others[1].profile.series.workload = "other";
  others[2].profile.series.kind = "training";
  others[3].profile.measure.command = {"false"};
  others[4].profile.measure.window.minibatches += 1;
  others[5].boards[0].points[1].point.batch += 1;
  others[6].boards[0].points.pop_back();
  others[7].boards[0].name = "orin-nano-8gb";
  std::set<std::string> fingerprints = {mine};
  for (const auto& other : others) fingerprints.insert(fingerprint_of(other));
  EXPECT_THAT(fingerprints, SizeIs(others.size() + 1));
}

TEST_F(CampaignIdentity, ASecondPlanOfTheNameIsRefusedWhereverItComes) {
  const Plan first = plan_of(store_, 1), second = plan_of(store_, 2);
  store::Store store(store_);
  claim_campaign(first, store);
  claim_campaign(first, store);  // may be repeated
  fill(first, store);
  EXPECT_THAT(filled_slots(first, store), SizeIs(3));
  const std::string path = folder_.write("second.json", plan_json(second));
  const std::vector<std::pair<std::string, std::function<void()>>> ways = {
      {"claim", [&] { claim_campaign(second, store); }},
      {"task", [&] { claim_campaign("c1", fingerprint_of(second), store); }},
      {"task without a plan", [&] { claim_campaign("c1", "", store); }},
      {"submit", [&] { submit(path, ExecutorKind::kLocal, {}); }},
      {"status", [&] { look(second); }},
      {"collect", [&] { rows_of(second, store); }}};
  for (const auto& [way, meet] : ways) {
    const std::string line = refusal(meet);
    EXPECT_THAT(line, HasSubstr(fingerprint_of(first))) << way;
    EXPECT_THAT(line, HasSubstr("another name, or another store")) << way;
    EXPECT_EQ(line.find('\n'), std::string::npos) << way;
    if (way == "task without a plan") continue;
    EXPECT_THAT(line, HasSubstr(fingerprint_of(second))) << way;
  }
  EXPECT_TRUE(read_plan(path).jobs.empty());
  EXPECT_EQ(store.campaigns().at(0).fingerprint, fingerprint_of(first));
}

// `watch` reads the file that submit wrote: a plan with jobs.
TEST_F(CampaignIdentity, WatchAndResumeRefuseToo) {
  store::Store store(store_);
  claim_campaign(plan_of(store_, 1), store);
  Plan second = plan_of(store_, 2);
  second.executor = "local";
  second.options.folder = folder_.path().string();
  second.jobs = {{"local", "agx-orin", "nothing", {0}, 1}};
  const std::string path = folder_.write("second.json", plan_json(second));
  for (const bool once : {false, true}) {
    FollowOptions options;
    options.once = once;
    const std::string line = refusal([&] { follow(path, options); });
    EXPECT_THAT(line, HasSubstr(fingerprint_of(second)));
  }
}

// Points without stored fingerprints, from an older version or from a manual `campaign run`.
TEST_F(CampaignIdentity, WithoutAnEntryThePointsAreCompared) {
  const Plan first = plan_of(store_, 1), second = plan_of(store_, 2);
  store::Store store(store_);
  fill(first, store);
  EXPECT_THAT(filled_slots(first, store), SizeIs(3));
  EXPECT_THAT(refusal([&] { claim_campaign(second, store); }), HasSubstr("c1/agx-orin/0"));
  Plan shorter = first;
  shorter.boards[0].points.pop_back();
  EXPECT_THAT(refusal([&] { filled_slots(shorter, store); }), HasSubstr("c1/agx-orin/2"));
  Plan other = first;
  other.profile.series.workload = "other";
  EXPECT_THAT(refusal([&] { filled_slots(other, store); }), HasSubstr("of net inference"));
  EXPECT_THAT(store.campaigns(), IsEmpty());
  claim_campaign(first, store);
  EXPECT_THAT(store.campaigns(), SizeIs(1));
}

TEST_F(CampaignIdentity, TheStoreListsItsCampaigns) {
  store::Store store(store_);
  const Plan plan = plan_of(store_, 1);
  claim_campaign(plan, store);
  fill(plan, store);
  Plan by_hand = plan_of(store_, 7);
  by_hand.name = "by-hand";
  fill(by_hand, store);
  const auto held = campaigns_in(store);
  ASSERT_THAT(held, SizeIs(2));
  EXPECT_EQ(held[0].entry.name, "by-hand");
  EXPECT_EQ(held[0].entry.fingerprint, "");
  EXPECT_EQ(held[1].entry.name, "c1");
  EXPECT_EQ(held[1].entry.fingerprint, fingerprint_of(plan));
  EXPECT_THAT(held[1].entry.owner, HasSubstr("@"));
  EXPECT_GT(held[1].entry.created_unix_s, 1700000000);
  EXPECT_EQ(held[1].points, 3u);
  EXPECT_EQ(held[1].boards, 1u);
  EXPECT_EQ(held[1].workload, "net");
}

}  // namespace
}  // namespace ridgewatt::campaign
