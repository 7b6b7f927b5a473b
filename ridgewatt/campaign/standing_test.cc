#include "ridgewatt/campaign/standing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/campaign/collect.h"
#include "ridgewatt/campaign/follow.h"
#include "ridgewatt/campaign/identity.h"
#include "ridgewatt/campaign/make_plan.h"

namespace ridgewatt::campaign {
namespace {

using ::testing::UnorderedElementsAre;

PowerMode gpu_and_mem(double gpu_hz, double mem_hz) {
  PowerMode mode;
  mode.gpu_clock_hz = gpu_hz;
  mode.mem_clock_hz = mem_hz;
  return mode;
}

Plan eight_points() {
  Plan plan;
  plan.name = "c";
  BoardKind kind{.name = "nano", .boards = 2};
  for (int i = 0; i < 8; ++i) {
    kind.points.push_back({.label = std::to_string(i), .point = {}, .predicted_s = 30});
  }
  kind.calibration = {{.label = "cal-0", .point = {}}};
  kind.points_per_task = 2;
  plan.boards = {kind};
  return plan;
}

store::FilledSlot slot_at(const std::string& label, const std::string& serial,
                          std::int64_t unix_s) {
  store::FilledSlot slot;
  slot.slot = "c/nano/" + label;
  slot.series.serial = serial;
  slot.started_unix_s = unix_s;
  return slot;
}

TaskState state_of(const std::string& job, int task, TaskPhase phase, const std::string& why = "") {
  return {job, "nano", task, phase, "", why};
}

TEST(Standing, NothingDoneYetIsAsPredicted) {
  const auto standing = standing_of(eight_points(), {}, {}, 1000);
  EXPECT_EQ(standing.done, 0u);
  EXPECT_FALSE(standing.complete());
  EXPECT_EQ(standing.eta_s, 8 * 30 / 2);  // two boards share eight points of 30 s
}

// Each of two boards measures the calibration points itself.
TEST(Standing, ThePredictionIsThatOfThePlan) {
  Plan plan = eight_points();
  auto& kind = plan.boards[0];
  kind.calibration = {{.label = "cal-0", .point = {}, .predicted_s = 20},
                      {.label = "cal-1", .point = {}, .predicted_s = 7}};
  const auto eta_s = [&](const std::vector<store::FilledSlot>& filled) {
    return standing_of(plan, filled, {}, 1000).eta_s.value();
  };
  EXPECT_DOUBLE_EQ(eta_s({}), predicted_cost(kind).duration_s);
  EXPECT_DOUBLE_EQ(eta_s({}), 20 + 7 + 8 * 30 / 2.0);
  const auto first = slot_at("cal-0/a", "a", 1000), second = slot_at("cal-1/b", "b", 1000);
  EXPECT_DOUBLE_EQ(eta_s({first}), 20 + 7 + 8 * 30 / 2.0);  // the other board has none
  EXPECT_DOUBLE_EQ(eta_s({first, second}), 20 + 8 * 30 / 2.0);
  kind.calibration[1].rerun = 1;
  EXPECT_DOUBLE_EQ(eta_s({first, second}), 20 + 7 + 8 * 30 / 2.0);
}

TEST(Standing, ACancelledCampaignDoesNotEnd) {
  Plan plan = eight_points();
  EXPECT_TRUE(standing_of(plan, {}, {}, 1000).kinds[0].blocked.empty());  // not submitted
  plan.executor = "local";
  const auto cancelled = standing_of(plan, {slot_at("0", "a", 1000)}, {}, 1001);
  EXPECT_THAT(cancelled.kinds[0].blocked, ::testing::HasSubstr("`ridgewatt campaign resume`"));
  EXPECT_FALSE(cancelled.kinds[0].eta_s);
  EXPECT_FALSE(cancelled.eta_s);
  plan.jobs = {{"local", "nano", "1", {0}, 1}};  // the engine does not answer
  EXPECT_TRUE(standing_of(plan, {}, {}, 1000).kinds[0].blocked.empty());
  const auto waits = standing_of(plan, {}, {state_of("1", 0, TaskPhase::kQueued)}, 1000);
  EXPECT_TRUE(waits.kinds[0].blocked.empty());
  EXPECT_TRUE(waits.eta_s);
}

TEST(Standing, RatesTellWhatIsLeftAndWhoIsSlow) {
  // Board a measures a point every 10 s, board b every 40 s.
  std::vector<store::FilledSlot> filled = {slot_at("cal-0/a", "a", 1000), slot_at("0", "a", 1010),
                                           slot_at("1", "a", 1020), slot_at("cal-0/b", "b", 1000),
                                           slot_at("2", "b", 1040)};
  const auto standing = standing_of(eight_points(), filled, {}, 1045);
  EXPECT_EQ(standing.done, 3u);
  ASSERT_EQ(standing.boards.size(), 2u);
  EXPECT_EQ(standing.boards[0].points, 2u);
  EXPECT_EQ(standing.boards[0].calibration, 1u);
  EXPECT_DOUBLE_EQ(standing.boards[0].points_per_h.value(), 360);
  EXPECT_DOUBLE_EQ(standing.boards[1].points_per_h.value(), 90);
  EXPECT_TRUE(standing.boards[1].straggler);  // 90 < half of the median of 360 and 90, 225
  EXPECT_FALSE(standing.boards[0].straggler);
  EXPECT_DOUBLE_EQ(standing.eta_s.value(), 3600 * 5 / 450.0);
  EXPECT_EQ(standing.kinds[0].calibrated, 2u);
  // Later, only b reports. Board a is idle, so its rate does not count.
  filled.push_back(slot_at("3", "b", 1080));
  for (auto& slot : filled) {
    if (slot.series.serial == "b") slot.started_unix_s += 5000;
  }
  EXPECT_DOUBLE_EQ(standing_of(eight_points(), filled, {}, 6090).eta_s.value(), 3600 * 4 / 90.0);
}

TEST(Standing, OtherCampaignsAndForeignSlotsDoNotCount) {
  auto other = slot_at("0", "a", 1000);
  other.slot = "cc/nano/0";
  auto kind = slot_at("0", "a", 1000);
  kind.slot = "c/orin/0";
  const auto standing = standing_of(eight_points(), {other, kind}, {}, 1000);
  EXPECT_EQ(standing.done, 0u);
}

TEST(Standing, TasksAreCountedWhileTheirPointsAreMissing) {
  const std::vector<store::FilledSlot> filled = {slot_at("0", "a", 1000), slot_at("1", "a", 1010),
                                                 slot_at("2", "a", 1020)};
  const std::vector<TaskState> states = {
      state_of("1", 0, TaskPhase::kFailed, "late"),  // its points are stored: no fault
      state_of("1", 1, TaskPhase::kFailed, "no power"),
      state_of("1", 2, TaskPhase::kHeld, "BeginTime"), state_of("1", 3, TaskPhase::kFailed, "old"),
      state_of("2", 3, TaskPhase::kRunning)};
  const auto standing = standing_of(eight_points(), filled, states, 1030);
  const auto& kind = standing.kinds[0];
  EXPECT_EQ(kind.failed, 1u);
  EXPECT_EQ(kind.held, 1u);
  EXPECT_EQ(kind.running, 1u);
  ASSERT_EQ(standing.faults.size(), 2u);
  EXPECT_EQ(standing.faults[0].why, "no power");
  EXPECT_EQ(standing.faults[0].missing, 1u);  // one of its two points is stored
  EXPECT_TRUE(standing.faults[1].held);
  const auto missing = missing_tasks(eight_points(), eight_points().boards[0], filled);
  ASSERT_EQ(missing.size(), 3u);
  EXPECT_EQ(missing[0].number, 1);
  EXPECT_EQ(missing[0].points[0].label, "3");
}

// SQLite first creates the file and then the tables. A task may be between these steps.
TEST(Standing, AStoreThatIsJustBeingMadeIsEmpty) {
  const ridgewatt::testing::TemporaryFolder folder;
  Plan plan = eight_points();
  plan.store = (folder.path() / "points.db").string();
  EXPECT_EQ(look(plan).done, 0u);  // no store
  folder.write("points.db", "");
  EXPECT_EQ(look(plan).done, 0u);
  folder.write("points.db", "not a store");
  EXPECT_THROW(look(plan), InputError);
  plan.store = "postgresql://u@127.0.0.1:1/d?connect_timeout=2";
  EXPECT_THROW(look(plan), IoError);
}

TEST(Standing, CollectTakesTheNewestOfAPoint) {
  const ridgewatt::testing::TemporaryFolder folder;
  Plan plan = eight_points();
  plan.profile.series.workload = "w";
  store::Store store((folder.path() / "c.db").string());
  const auto series = store.series({"nano", "w", plan.profile.series.kind});
  int repeat = 0;
  for (const char* label : {"0", "0@1", "1"}) {
    store::PointRecord record;
    record.observation = {{}, 0.1, 10};
    record.repeat = repeat++;
    record.slot = std::string("c/nano/") + label;
    store.add(series, record);
  }
  plan.boards[0].points[0].rerun = 1;
  const auto rows = rows_of(plan, store);
  ASSERT_EQ(rows.size(), 1u);
  std::vector<std::string> slots;
  for (const auto& record : rows[0].records) slots.push_back(record.slot);
  EXPECT_THAT(slots, UnorderedElementsAre("c/nano/0@1", "c/nano/1"));
  const auto kinds = boards_by_kind(store, {});
  ASSERT_EQ(kinds.size(), 1u);
  EXPECT_EQ(kinds[0].boards.at(0).observations.size(), 2u);
  EXPECT_EQ(campaigns_in(store).at(0).points, 2u);
}

// Points that a board measures twice, and the flags of the second measurement.
TEST(Standing, CollectKeepsTheFlags) {
  BoardsOfKind kind{"nano", "w", "inference", Provenance::kMeasured, {BoardPoints{"a", {}}}};
  for (int i = 0; i < 3; ++i) {
    kind.boards[0].observations.push_back({{gpu_and_mem(1e8, 1e9 + i / 2), 1}, 0.1, 10});
    kind.boards[0].flags.emplace_back();
  }
  kind.boards[0].flags[1].add(PointFlag::kFewSamples);
  const auto merged = merge_boards(kind);
  ASSERT_EQ(merged.sweep.observations.size(), 2u);
  EXPECT_EQ(merged.sweep.flags_of(0).text(), "few-samples");
  EXPECT_TRUE(merged.sweep.flags_of(1).empty());
  const auto back = parse_sweeps(write_merged_csv({merged}), "m.csv");
  EXPECT_EQ(back.at(0).flags_of(0).text(), "few-samples");
  EXPECT_EQ(back.at(0).flagged_rows(), 1u);
}

// The lock of a plan leaves no file, and another process cannot lock the plan while it is held.
TEST(Standing, TheLockOfAPlanLeavesNothing) {
  const ridgewatt::testing::TemporaryFolder folder;
  Plan plan = eight_points();
  plan.store = "s.db";
  plan.profile.series.workload = "w";
  plan.profile.measure.command = {"true"};
  for (auto* points : {&plan.boards[0].points, &plan.boards[0].calibration}) {
    for (auto& point : *points) point.point.mode = gpu_and_mem(1e8, 1e9);
  }
  const std::string path = folder.write("c.json", plan_json(plan));
  for (int i = 0; i < 2; ++i) {
    const PlanLock lock(path);
    EXPECT_TRUE(std::filesystem::exists(path + ".lock"));
    EXPECT_THROW(PlanLock second(path), IoError);
    EXPECT_TRUE(std::filesystem::exists(path + ".lock"));
  }
  EXPECT_FALSE(std::filesystem::exists(path + ".lock"));
}

TEST(MakePlan, CalibrationSpansTheKnobs) {
  std::vector<PowerMode> modes;
  for (const double gpu : {1e8, 2e8, 9e8}) {
    for (const double mem : {1e9, 2e9, 3e9}) modes.push_back(gpu_and_mem(gpu, mem));
  }
  const auto corners = spanning_modes(modes, 4);
  EXPECT_EQ(corners.front(), gpu_and_mem(9e8, 3e9));
  EXPECT_THAT(corners, UnorderedElementsAre(gpu_and_mem(1e8, 1e9), gpu_and_mem(1e8, 3e9),
                                            gpu_and_mem(9e8, 1e9), gpu_and_mem(9e8, 3e9)));
  // 2e8 is the middle level regardless of its value.
  EXPECT_EQ(spanning_modes(modes, 5).back(), gpu_and_mem(2e8, 2e9));
  EXPECT_EQ(spanning_modes(modes, 100).size(), 9u);
  EXPECT_EQ(spanning_modes({modes[0], modes[0]}, 2).size(), 1u);
  EXPECT_TRUE(spanning_modes({}, 3).empty());
  EXPECT_TRUE(spanning_modes(modes, 0).empty());
}

TEST(MakePlan, EveryModeBatchAndRepeatIsThereOnce) {
  const std::vector<PowerMode> modes = {gpu_and_mem(1e8, 1e9), gpu_and_mem(2e8, 1e9)};
  const auto kind =
      planned_kind("nano", 3, modes, {1, 16}, {.repeats = 2, .calibration = 1, .most_tasks = 3});
  ASSERT_EQ(kind.points.size(), 8u);
  EXPECT_EQ(kind.points_per_task, 3u);
  EXPECT_EQ(kind.points[0].point, (OperatingPoint{modes[1], 1}));  // high clocks first
  std::set<std::pair<OperatingPoint, int>> all;
  for (const auto& point : kind.points) all.insert({point.point, point.repeat});
  EXPECT_EQ(all.size(), 8u);
  EXPECT_EQ(kind.points[3].repeat, 0);
  EXPECT_EQ(kind.points[4].repeat, 1);
  EXPECT_EQ(kind.calibration[0].point, (OperatingPoint{modes[1], 1}));
  EXPECT_THROW(planned_kind("nano", 1, {}, {1}), UsageError);
}

TEST(MakePlan, PredictedTimeIsSharedOut) {
  BoardKind kind = eight_points().boards[0];
  kind.calibration[0].predicted_s = 20;
  kind.calibration[0].predicted_j = 100;
  kind.points[0].predicted_j = 1000;
  const auto ahead = predicted_cost(kind);
  EXPECT_DOUBLE_EQ(ahead.points_s, 240);
  EXPECT_DOUBLE_EQ(ahead.duration_s, 20 + 240 / 2.0);  // each board calibrates
  EXPECT_DOUBLE_EQ(ahead.energy_j, 1000 + 2 * 100);
  kind.points.resize(1);
  kind.points[0].predicted_s = 0;
  EXPECT_EQ(predicted_cost(kind).duration_s, 0);
  EXPECT_EQ(predicted_cost(kind).unknown, 1u);
}

}  // namespace
}  // namespace ridgewatt::campaign
