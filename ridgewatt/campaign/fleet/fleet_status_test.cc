// Tests the status of a fleet from a store, with figures that can be computed by hand.
#include "ridgewatt/campaign/fleet_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/campaign/fleet/prometheus.h"
#include "ridgewatt/campaign/fleet/store_view.h"

namespace ridgewatt::campaign {
namespace {

constexpr std::int64_t kNow = 1'700'000'000, kDay = 86'400;

class FleetOfStore : public ::testing::Test {
 protected:
  // Adds a point at a GPU clock, measured `ago_s` seconds ago.
  void add(const std::string& serial, double gpu_mhz, double time_s, double power_w,
           std::int64_t ago_s, int repeat = 0, double energy_j = 0, const std::string& slot = "") {
    store::Store store(path_);
    store::PointRecord point;
    point.observation.point = {{.cpu_cores = 4, .gpu_clock_hz = gpu_mhz * 1e6, .governor = ""}, 16};
    point.observation.time_s = time_s;
    point.observation.power_w = power_w;
    point.repeat = repeat;
    point.energy_j = energy_j;
    point.started_unix_s = kNow - ago_s;
    point.slot = slot;
    const store::Series series{"agx-orin", "resnet18", "training", Provenance::kMeasured, serial};
    store.add(store.series(series), point);
  }
  FleetStatus status() const {
    return fleet_status({.store = path_, .prometheus = "", .boards = "", .now_unix_s = kNow});
  }

  testing::TemporaryFolder folder_;
  std::string path_ = (folder_.path() / "all.db").string();
};

// Board A today, compared with the earlier values of A and B: 0.1 s, 20 W.
TEST_F(FleetOfStore, DriftIsTodayOverBefore) {
  for (const char* serial : {"A", "B"}) {
    add(serial, 600, 0.1, 20, 3 * kDay);
    add(serial, 900, 0.05, 30, 3 * kDay);
  }
  add("A", 600, 0.11, 20.6, 100, 1, 412);
  add("A", 900, 0.055, 30.9, 50, 1, 618);
  const FleetStatus found = status();
  ASSERT_EQ(found.drifts.size(), 1u);
  EXPECT_EQ(found.drifts[0].serial, "A");
  EXPECT_EQ(found.drifts[0].points, 2u);
  EXPECT_NEAR(found.drifts[0].time, 0.10, 1e-12);
  EXPECT_NEAR(found.drifts[0].power, 0.03, 1e-12);
  ASSERT_EQ(found.boards.size(), 2u);
  EXPECT_EQ(found.boards[0].name, "A");
  EXPECT_EQ(found.boards[0].last_seen_s, 50);
  EXPECT_EQ(found.boards[1].last_seen_s, 3 * kDay);
  EXPECT_FALSE(found.boards[0].up.has_value());
  ASSERT_EQ(found.workloads.size(), 1u);
  EXPECT_EQ(found.workloads[0].workload, "resnet18 training");
  EXPECT_DOUBLE_EQ(found.workloads[0].energy_j, 412 + 618);
  EXPECT_THAT(found.missing, ::testing::ElementsAre(::testing::HasSubstr("--prometheus")));
}

// Without earlier values, boards of today are compared with each other, but never with themselves.
TEST_F(FleetOfStore, DriftAgainstOtherBoards) {
  add("A", 600, 0.10, 20, 10);
  add("B", 600, 0.12, 20, 10);
  const auto drifts = status().drifts;
  ASSERT_EQ(drifts.size(), 2u);
  EXPECT_NEAR(drifts[0].time, 0.10 / 0.12 - 1, 1e-12);
  EXPECT_NEAR(drifts[1].time, 0.12 / 0.10 - 1, 1e-12);
  EXPECT_NEAR(drifts[0].power, 0, 1e-12);
}

// The first measurement of A was in doubt and was repeated.
TEST_F(FleetOfStore, WhatWasMeasuredAgainIsNotCompared) {
  add("A", 600, 0.5, 20, 3 * kDay, 0, 0, "c/agx-orin/0");
  add("A", 600, 0.1, 20, 2 * kDay, 1, 0, "c/agx-orin/0@1");
  add("A", 600, 0.1, 20, 10, 2);
  const auto drifts = status().drifts;
  ASSERT_EQ(drifts.size(), 1u);
  EXPECT_NEAR(drifts[0].time, 0, 1e-12);
}

TEST_F(FleetOfStore, AloneNothingIsCompared) {
  add("A", 600, 0.10, 20, 10);
  EXPECT_TRUE(status().drifts.empty());
}

TEST_F(FleetOfStore, BetterModeIsFasterAndDrawsLess) {
  add("A", 600, 0.10, 20, kDay);
  add("A", 700, 0.09, 19, kDay);     // better in both, by 10 and 5 %
  add("A", 800, 0.095, 19.9, kDay);  // also better, but by less
  add("A", 900, 0.05, 30, kDay);     // faster, but draws more
  const StoreView view(path_, kNow - kDay);
  BoardStatus board;
  board.name = "lab-1:8470";
  board.kind = "agx-orin";
  board.mode = "cores=4,gpu=600,governor=schedutil";
  const auto found = view.dominated(board);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].better, ::testing::HasSubstr("gpu=700"));
  EXPECT_NEAR(found[0].time, -0.10, 1e-12);
  EXPECT_NEAR(found[0].power, -0.05, 1e-12);
  board.mode = "cores=4,gpu=900";
  EXPECT_TRUE(view.dominated(board).empty());
  board.mode = "cores=4,gpu=600";
  board.workload = "yolov8n";  // the store has no such workload
  EXPECT_TRUE(view.dominated(board).empty());
  board.workload.clear();
  board.kind = "orin-nano";
  EXPECT_TRUE(view.dominated(board).empty());
}

TEST(FleetStatus, WantsSomethingToAsk) {
  EXPECT_THROW(fleet_status({}), UsageError);
}

TEST(FleetStatus, TargetsAsFileSdReadsThem) {
  const testing::TemporaryFolder folder;
  const auto targets = read_targets(folder.write(
      "boards.json",
      R"([{"targets": ["a:1", "b:2"], "labels": {"fleet": "lab"}}, {"targets": []}])"));
  ASSERT_EQ(targets.size(), 2u);
  EXPECT_EQ(targets.at("b:2").at("fleet"), "lab");
  for (const char* wrong : {"", "{}", "[1]", "[{\"targets\": [1]}]", "[{}]"}) {
    EXPECT_THROW(read_targets(folder.write("wrong.json", wrong)), InputError) << wrong;
  }
}

}  // namespace
}  // namespace ridgewatt::campaign
