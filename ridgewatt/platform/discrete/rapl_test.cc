// Tests energy counters of x86 processors on recorded trees.
#include "ridgewatt/platform/rapl.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/platform/power_source.h"

namespace ridgewatt::platform {
namespace {

void add_zone(const testing::TemporaryFolder& folder, const std::string& zone,
              const std::string& name, long energy_uj = 1000000) {
  const auto path = folder.path() / "sys/class/powercap" / zone;
  std::filesystem::create_directories(path);
  std::ofstream(path / "name") << name << '\n';
  std::ofstream(path / "energy_uj") << energy_uj << '\n';
  std::ofstream(path / "max_energy_range_uj") << 262143328850 << '\n';
}

TEST(Rapl, PackagesAreSummedOnce) {
  const testing::TemporaryFolder folder;
  add_zone(folder, "intel-rapl:0", "package-0");
  add_zone(folder, "intel-rapl:0:0", "core");
  add_zone(folder, "intel-rapl:1", "psys");
  add_zone(folder, "intel-rapl-mmio:0", "package-0");
  const auto zones = find_rapl_zones(Sysfs(folder.path().string()));
  ASSERT_EQ(zones.size(), 3u);
  EXPECT_EQ(std::count_if(zones.begin(), zones.end(), [](const auto& z) { return z.in_total; }), 1);
  EXPECT_NEAR(rapl_difference_j(262143.0, 1.0, 262143.32885), 1.32885, 1e-9);
}

// A source that stays open between measurements must not report the mean power over the pause.
TEST(Rapl, ASeriesOfReadsBeginsWithoutAPower) {
  const testing::TemporaryFolder folder;
  add_zone(folder, "intel-rapl:0", "package-0", 1000000);
  const Sysfs sysfs(folder.path().string());
  const auto source = open_power_source(sysfs);
  ASSERT_TRUE(source->tells_means());
  double power_w = 0;
  source->read({&power_w, 1});
  EXPECT_TRUE(std::isnan(power_w));
  std::ofstream(folder.path() / "sys/class/powercap/intel-rapl:0/energy_uj") << 3000000 << '\n';
  source->read({&power_w, 1});
  EXPECT_GT(power_w, 0);  // 2 J over the time between two reads
  source->begin();
  source->read({&power_w, 1});
  EXPECT_TRUE(std::isnan(power_w));
}

TEST(Rapl, AMachineWithoutPowerSaysWhatItLacks) {
  const testing::TemporaryFolder nothing;
  const Sysfs sysfs(nothing.path().string());
  PowerMeter meter(sysfs);
  EXPECT_EQ(meter.source(), nullptr);
  EXPECT_EQ(meter.usable_rate_hz(100), 0);
  for (const char* reason : {"none: ", "no rails", "NVML", "no RAPL", "external meter"}) {
    EXPECT_NE(meter.description().find(reason), std::string::npos) << meter.description();
  }
}

}  // namespace
}  // namespace ridgewatt::platform
