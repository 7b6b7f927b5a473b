// Tests a monitor's look as JSON: unknown values are null, and energies are those of the monitor.
#include <gtest/gtest.h>

#include <cmath>

#include "ridgewatt/platform/fake_board_support.h"
#include "ridgewatt/report/sensors_report.h"

namespace ridgewatt::report {
namespace {

TEST(MonitorReport, SaysWhatTheMonitorSaw) {
  testing::FakeBoard board("agx-orin-jp6");
  monitor::Monitor monitor(*board.sysfs, {.rate_hz = 100, .look_s = 0.1});
  ASSERT_TRUE(monitor.wait(1, 5));
  monitor.mark();
  const auto window = monitor.begin_window("epoch");
  const monitor::Snapshot now = monitor.snapshot();
  const Json json = monitor_to_json(monitor.sensors(), now, Provenance::kFake, monitor.windows());
  EXPECT_EQ(json.begin().key(), "schema");
  EXPECT_EQ(json["schema"], "ridgewatt.monitor/1");
  EXPECT_EQ(json["provenance"], "fake");
  EXPECT_EQ(json["board"]["name"], "agx-orin");
  EXPECT_EQ(json["mode"]["cpu_cores"], 12);
  EXPECT_EQ(json["power"]["energy_j"], now.total.energy_j);
  double rails_w = 0;
  for (const auto& rail : json["power"]["rails"]) {
    if (rail["in_total"]) rails_w += rail["power_w"].get<double>();
  }
  EXPECT_NEAR(rails_w, *now.total_w, 1e-9);
  EXPECT_EQ(json["minibatches"]["count"], 1);
  ASSERT_EQ(json["windows"].size(), 1u);
  EXPECT_EQ(json["windows"][0]["number"], window);
  EXPECT_EQ(json["windows"][0]["ended"], false);
  EXPECT_EQ(json["sampling"]["rate_hz"], 100);
}

TEST(MonitorReport, WithoutPowerEnergiesAreNull) {
  const testing::TemporaryFolder folder;
  const platform::Sysfs sysfs(folder.path().string());
  monitor::Monitor monitor(sysfs);
  monitor.begin_window("w");
  const Json json = monitor_to_json(monitor.sensors(), monitor.snapshot(), Provenance::kMeasured,
                                    monitor.windows());
  EXPECT_TRUE(json["power"]["total_w"].is_null());
  EXPECT_TRUE(json["power"]["energy_j"].is_null());
  EXPECT_TRUE(json["windows"][0]["energy_j"].is_null());
  EXPECT_TRUE(json["mode"].is_null());
  EXPECT_NE(json["power"]["note"], "");
}

TEST(MonitorReport, AnUnknownBoundIsNullAndEmpty) {
  monitor::Window window;
  window.energy = {5, INFINITY};
  const Json json = windows_to_json({window}, /*has_total=*/true);
  EXPECT_EQ(json[0]["energy_j"], 5);
  EXPECT_TRUE(json[0]["energy_error_j"].is_null());
  monitor::Snapshot now;
  now.has_total = true;
  now.total = {5, INFINITY};
  EXPECT_EQ(monitor_csv(now, {}, false).find("inf"), std::string::npos);
}

TEST(MonitorReport, PointsOfChartsThatAreNotKnownAreNull) {
  monitor::HistoryPoint point;
  point.total_w = std::nan("");
  point.rail_w = {4.5, std::nan("")};
  point.gpu_clock_hz = 612e6;
  const Json json = history_to_json({point});
  EXPECT_TRUE(json[0]["total_w"].is_null());
  EXPECT_EQ(json[0]["rail_w"], Json::parse("[4.5, null]"));
  EXPECT_EQ(json[0]["gpu_clock_mhz"], 612);
}

}  // namespace
}  // namespace ridgewatt::report
