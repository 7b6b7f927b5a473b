// Tests boards that fail, points that are planned again, and time limits.
#include "ridgewatt/campaign/health.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/campaign/parallel/parallel.h"
#include "ridgewatt/campaign/rerun.h"
#include "ridgewatt/campaign/slurm/slurm.h"
#include "ridgewatt/campaign/standing.h"

namespace ridgewatt::campaign {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Four points, one per task, and the boards n1 and n2 with serial numbers "b1" and "b2".
Plan four_points() {
  Plan plan;
  plan.name = "c";
  plan.store = "c.db";
  plan.profile.series.workload = "w";
  plan.profile.measure.command = {"true"};
  BoardKind kind{.name = "nano", .boards = 2};
  for (int i = 0; i < 4; ++i) {
    PowerMode mode;
    mode.cpu_cores = i + 1;
    kind.points.push_back({.label = std::to_string(i), .point = {mode, 1}, .predicted_s = 30});
  }
  plan.boards = {kind};
  return plan;
}

store::FilledSlot filled_at(const std::string& label, const std::string& serial,
                            std::int64_t unix_s) {
  store::FilledSlot slot;
  slot.slot = "c/nano/" + label;
  slot.series.serial = serial;
  slot.started_unix_s = unix_s;
  return slot;
}

store::FailedAttempt failed_at(const std::string& label, const std::string& serial,
                               std::int64_t unix_s) {
  return {"c/nano/" + label, "nano", serial, "n" + serial.substr(1), unix_s, "no weights", "end"};
}

std::vector<EngineNode> two_nodes() {
  return {{"n1", "nano", true, "idle", ""}, {"n2", "nano", true, "idle", ""}};
}

CampaignRecords records_with(std::vector<store::FailedAttempt> failures) {
  return {std::move(failures), {{"c", "nano", "b1", "n1", 0}, {"c", "nano", "b2", "n2", 0}}};
}

bool is_set_aside(const Plan& plan, const std::vector<store::FilledSlot>& filled,
                  const std::vector<store::FailedAttempt>& failures) {
  return fleet_of(plan, filled, records_with(failures), two_nodes()).boards.at(0).set_aside;
}

TEST(Health, ThreeFailedPointsInARowSetABoardAside) {
  Plan plan = four_points();
  const auto zero = failed_at("0", "b1", 100), one = failed_at("1", "b1", 110),
             two = failed_at("2", "b1", 120);
  EXPECT_FALSE(is_set_aside(plan, {}, {zero, one}));
  EXPECT_TRUE(is_set_aside(plan, {}, {zero, one, two}));
  // A second failure of the same point does not count; a measured point resets the count.
  EXPECT_FALSE(is_set_aside(plan, {}, {zero, one, failed_at("1", "b1", 130)}));
  EXPECT_FALSE(is_set_aside(plan, {filled_at("3", "b1", 115)}, {zero, one, two}));
  EXPECT_TRUE(is_set_aside(plan, {filled_at("3", "b2", 115)}, {zero, one, two}));
  plan.options.set_aside = 4;
  EXPECT_FALSE(is_set_aside(plan, {}, {zero, one, two}));
  plan.options.set_aside = 0;
  EXPECT_FALSE(is_set_aside(plan, {}, {zero, one, two}));
}

TEST(Health, AReadmittedBoardHasNoFailures) {
  Plan plan = four_points();
  const auto records = records_with(
      {failed_at("0", "b1", 100), failed_at("1", "b1", 110), failed_at("2", "b1", 120)});
  const Fleet fleet = fleet_of(plan, {}, records, two_nodes());
  EXPECT_EQ(fleet.boards[0].last_error, "no weights");
  EXPECT_THROW(readmit(plan, fleet, "b2", 200), NotFoundError);
  readmit(plan, fleet, "b1", 200);
  EXPECT_FALSE(fleet_of(plan, {}, records, two_nodes()).boards[0].set_aside);
  const Plan read = parse_plan(plan_json(plan), "plan");
  EXPECT_EQ(read.readmitted.at("b1"), 200);
  EXPECT_EQ(read.attempts_since_unix_s, 200);
}

TEST(Health, ARetryAvoidsTheBoardThatFailedWhileAnotherIsLeft) {
  const Plan plan = four_points();
  const auto tasks = tasks_of(plan.boards[0]);
  const auto avoided = [&](const std::vector<store::FailedAttempt>& failures,
                           const std::vector<EngineNode>& nodes) {
    const Fleet fleet = fleet_of(plan, {}, records_with(failures), nodes);
    return hosts_to_avoid(plan, fleet, plan.boards[0], tasks[0]);
  };
  EXPECT_THAT(avoided({}, two_nodes()), IsEmpty());
  EXPECT_THAT(avoided({failed_at("1", "b1", 1)}, two_nodes()), IsEmpty());  // another task
  EXPECT_THAT(avoided({failed_at("0", "b1", 1)}, two_nodes()), ElementsAre("n1"));
  EXPECT_THAT(avoided({failed_at("0", "b1", 1), failed_at("0", "b2", 2)}, two_nodes()), IsEmpty());
  auto drained = two_nodes();
  drained[1].usable = false;
  EXPECT_THAT(avoided({failed_at("0", "b1", 1)}, drained), IsEmpty());
  // Every task avoids a board that is set aside.
  EXPECT_THAT(avoided({failed_at("1", "b2", 1), failed_at("2", "b2", 2), failed_at("3", "b2", 3)},
                      two_nodes()),
              ElementsAre("n2"));
}

TEST(Health, WhatABoardThatIsSetAsideFailedDoesNotCountForItsPoints) {
  const Plan plan = four_points();
  const auto tasks = tasks_of(plan.boards[0]);
  const std::vector<store::FailedAttempt> failures = {
      failed_at("0", "b1", 1), failed_at("0", "b2", 2), failed_at("1", "b1", 3),
      failed_at("2", "b1", 4)};
  const Fleet fleet = fleet_of(plan, {}, records_with(failures), two_nodes());
  EXPECT_EQ(excused_attempts(plan, fleet, plan.boards[0], tasks[0]), 1);  // on b1, not on b2
  EXPECT_EQ(excused_attempts(plan, fleet, plan.boards[0], tasks[3]), 0);
}

TEST(Health, NoRemainingTimeWhenNothingCanRun) {
  const Plan plan = four_points();
  const std::vector<store::FilledSlot> filled = {filled_at("0", "b1", 1000),
                                                 filled_at("1", "b1", 1010)};
  const std::vector<TaskState> waiting = {{"1", "nano", 2, TaskPhase::kQueued, "", ""}};
  auto nodes = two_nodes();
  const auto eta_s = [&] {
    const Fleet fleet = fleet_of(plan, filled, records_with({}), nodes);
    return standing_of(plan, filled, waiting, 1020, fleet).eta_s;
  };
  EXPECT_DOUBLE_EQ(eta_s().value(), 20);  // two points at one per 10 s
  nodes[0] = {"n1", "nano", false, "drained", "Duplicate jobid"};
  nodes[1] = {"n2", "nano", false, "down*", "Not responding"};
  EXPECT_FALSE(eta_s());
  const Fleet fleet = fleet_of(plan, filled, records_with({}), nodes);
  EXPECT_EQ(why_none_runs(fleet, "nano"),
            "n1: drained (Duplicate jobid); n2: down* (Not responding)");
  // All tasks ended, but points are missing.
  const std::vector<TaskState> ended = {{"1", "nano", 2, TaskPhase::kFailed, "", ""}};
  const auto standing =
      standing_of(plan, filled, ended, 1020, fleet_of(plan, filled, {}, two_nodes()));
  EXPECT_FALSE(standing.eta_s);
  EXPECT_EQ(standing.kinds[0].blocked, "no task is queued or running");
}

TEST(Health, AFailedPointKeepsItsReasonAndLastLines) {
  const Plan plan = four_points();
  const std::vector<store::FailedAttempt> failures = {failed_at("0", "b1", 1),
                                                      failed_at("2", "b1", 2)};
  const auto faults = point_faults(plan, {filled_at("2", "b2", 3)}, failures);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].label, "0");
  EXPECT_EQ(faults[0].reason, "no weights");
  EXPECT_EQ(faults[0].output, "end");
}

// Lines in the format of Slurm 22.05.
TEST(Slurm, NodesOfAKindWithTheReasonOfTheAdministrator) {
  const auto nodes = parse_sinfo(
      "orin1|idle|board:agx_orin:1|none\n"
      "orin2|drained|board:agx_orin:1|Duplicate jobid\n"
      "orin2|drained|board:agx_orin:1|Duplicate jobid\n"  // in another partition
      "orin3|down*|board:agx_orin:1(S:0),gpu:1|Not responding\n"
      "orin4|mixed+|gpu:1,board:agx_orin:1|none\n"
      "nano1|idle|board:orin_nano:1|none\nbad line\n",
      {"fake:agx-orin"});
  ASSERT_EQ(nodes.size(), 4u);
  EXPECT_TRUE(nodes[0].usable);
  EXPECT_EQ(nodes[0].reason, "");
  EXPECT_FALSE(nodes[1].usable);
  EXPECT_EQ(nodes[1].reason, "Duplicate jobid");
  EXPECT_FALSE(nodes[2].usable);
  EXPECT_EQ(nodes[2].state, "down*");
  EXPECT_TRUE(nodes[3].usable);
}

TEST(Limits, APointMayTakeAMultipleOfItsPrediction) {
  PlannedPoint point;
  EXPECT_EQ(point_limit_s(point, {}), 3600);  // no prediction
  point.predicted_s = 10;
  EXPECT_EQ(point_limit_s(point, {}), 300);
  point.predicted_s = 100;
  EXPECT_EQ(point_limit_s(point, {}), 500);
  EXPECT_EQ(point_limit_s(point, {.limit_factor = 0}), 0);
  EXPECT_EQ(point_limit_s(point, {.limit_factor = 1, .limit_floor_s = 1}), 100);
}

TEST(Limits, EveryEngineEndsATask) {
  const Plan plan = four_points();
  const auto order = order_of(plan, plan.boards[0], tasks_of(plan.boards[0]), {});
  EXPECT_EQ(task_limit_s(order, {}), 300 + 600);  // one point of 30 s, whose limit is 300 s
  EXPECT_EQ(limit_minutes(order, {}), 15);
  EXPECT_THAT(parallel_script({}, 900), HasSubstr("--timeout 900"));
  EXPECT_THAT(local_script({}, 900), HasSubstr("timeout --foreground -k 60 900 sh -c"));
  EXPECT_THAT(local_script({}), ::testing::Not(HasSubstr("timeout")));
}

TEST(Rerun, DoubtfulPointsGetNewSlotsAndTheOldOnesNoLongerCount) {
  Plan plan = four_points();
  const std::string fingerprint = fingerprint_of(plan);
  auto flagged = filled_at("0", "b1", 1000);
  flagged.flags.add(PointFlag::kThrottled);
  std::vector<store::FilledSlot> filled = {flagged, filled_at("1", "b2", 2000),
                                           filled_at("2", "b1", 3000)};
  EXPECT_THROW(plan_reruns(plan, filled, {}), UsageError);
  EXPECT_EQ(standing_of(plan, filled, {}, 4000).kinds[0].flagged, 1u);
  EXPECT_EQ(plan_reruns(plan, filled, {.flagged = true}).kinds[0].points, 1u);
  EXPECT_EQ(plan.boards[0].points[0].slot_label(), "0@1");
  EXPECT_EQ(fingerprint_of(plan), fingerprint);  // the measured quantities are the same
  plan = parse_plan(plan_json(plan), "plan");
  auto standing = standing_of(plan, filled, {}, 4000);
  EXPECT_EQ(standing.done, 2u);
  EXPECT_EQ(standing.kinds[0].to_rerun, 1u);
  EXPECT_EQ(standing.kinds[0].flagged, 0u);
  EXPECT_EQ(standing.boards[0].points, 1u);  // the point of b1 at 3000
  // The same measurement is planned again only once.
  EXPECT_EQ(plan_reruns(plan, filled, {.flagged = true}).kinds[0].points, 0u);
  filled.push_back(filled_at("0@1", "b2", 5000));
  EXPECT_EQ(standing_of(plan, filled, {}, 6000).done, 3u);
  EXPECT_EQ(plan_reruns(plan, filled, {.until_unix_s = 2000}).kinds[0].points, 1u);
  EXPECT_EQ(plan.boards[0].points[1].rerun, 1);
  EXPECT_EQ(plan_reruns(plan, filled, {.serial = "b2"}).kinds[0].points, 1u);
  EXPECT_EQ(plan.boards[0].points[0].slot_label(), "0@2");
}

}  // namespace
}  // namespace ridgewatt::campaign
