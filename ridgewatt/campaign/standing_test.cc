#include "ridgewatt/campaign/standing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/campaign/collect.h"
#include "ridgewatt/campaign/follow.h"
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
  EXPECT_TRUE(standing.kinds[0].eta_predicted);
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
