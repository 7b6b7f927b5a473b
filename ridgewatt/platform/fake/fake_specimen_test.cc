// Tests fake boards of one kind: they must differ by their stated properties only.
#include <gtest/gtest.h>

#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/platform/fake_board_support.h"
#include "ridgewatt/platform/fake_load.h"
#include "ridgewatt/platform/local_device.h"

namespace ridgewatt::platform {
namespace {

TEST(FakeSpecimen, IsReadAndWritten) {
  const auto specimen =
      FakeSpecimen::parse("power-slope=-0.1, serial=orin1,time=1.05,power=0.97", "test");
  EXPECT_EQ(specimen.serial, "orin1");
  EXPECT_EQ(specimen.time, 1.05);
  EXPECT_EQ(specimen.power, 0.97);
  EXPECT_EQ(specimen.time_slope, 0);
  EXPECT_EQ(specimen.power_slope, -0.1);
  EXPECT_EQ(FakeSpecimen::parse(specimen.text(), "test").text(), specimen.text());
  EXPECT_EQ(FakeSpecimen().text(), "");
  for (const char* bad :
       {"time", "time=", "time=fast", "time=0", "time=nan", "power=1000", "=1",
        "serial=", "serial=a b", "serial=../x", "speed=2", "time=1,time=2", ","}) {
    EXPECT_THROW(FakeSpecimen::parse(bad, "test"), UsageError) << bad;
  }
}

TEST(FakeSpecimen, HasASerialAsJetsonsHave) {
  const testing::FakeBoard one("orin-nano", 7), other("nano", 1, {.serial = "nano-2"});
  EXPECT_EQ(board_serial(*one.sysfs), "fake7");
  EXPECT_EQ(board_serial(*other.sysfs), "nano-2");
  // NUL-terminated like all strings of a device tree.
  const std::string raw = read_file(other.root + "/proc/device-tree/serial-number");
  EXPECT_EQ(raw.substr(0, 7), std::string("nano-2") + '\0');
  const testing::TemporaryFolder folder;
  EXPECT_EQ(board_serial(Sysfs(folder.path().string())), "");
  const FakeBoardMark mark = fake_board_mark(other.root);
  EXPECT_EQ(mark.name, "nano");
  EXPECT_EQ(mark.seed, 1u);
  EXPECT_EQ(mark.specimen.serial, "nano-2");
}

// The logarithm of the factor is linear in the logarithm of the kind's value, with the requested
// slope. A larger common factor scales all values equally.
TEST(FakeSpecimen, DiffersByItsFactorAndSlope) {
  workload::WorkloadCost cost;
  cost.batch = 8;
  workload::KernelCost kernel;
  kernel.op_class = workload::OpClass::kConv;
  kernel.work_flop = 2e9;
  kernel.macs = 1e9;
  kernel.output_elements = 4e6;
  kernel.window = 9;
  kernel.read_bytes = 3e7;
  kernel.write_bytes = 1.6e7;
  cost.kernels = {kernel};
  const auto twin = twin::load_twin(load_board("agx-orin"));
  const FakeLoad kind(twin, cost, 3), factors(twin, cost, 3, {"", 1.05, 0.97, 0, 0}),
      sloped(twin, cost, 3, {"", 1.05, 0.97, 0.04, -0.2});
  const PowerMode low{4, 729.6e6, 306e6, 2133e6, ""}, high{12, 2201.6e6, 1300.5e6, 3199e6, ""};
  for (const auto& mode : {low, high}) {
    EXPECT_NEAR(factors.truth(mode).time_s / kind.truth(mode).time_s, 1.05, 1e-12);
    EXPECT_NEAR(factors.truth(mode).power_w / kind.truth(mode).power_w, 0.97, 1e-12);
  }
  const auto at_low = kind.truth(low), at_high = kind.truth(high);
  const auto low_b = sloped.truth(low), high_b = sloped.truth(high);
  EXPECT_NEAR(std::log(low_b.time_s / at_low.time_s) - std::log(high_b.time_s / at_high.time_s),
              0.04 * std::log(at_low.time_s / at_high.time_s), 1e-12);
  EXPECT_NEAR(std::log(low_b.power_w / at_low.power_w) - std::log(high_b.power_w / at_high.power_w),
              -0.2 * std::log(at_low.power_w / at_high.power_w), 1e-12);
  // In the top mode, only the factor counts, except for the board's random deviation (3 %).
  EXPECT_NEAR(high_b.time_s / at_high.time_s, 1.05, 1.05 * 0.04 * 0.04);
}

TEST(FakeSpecimen, IsKeptInTheTree) {
  const testing::FakeBoard kind("agx-orin-jp6"),
      leaky("agx-orin-jp6", 1, FakeSpecimen::parse("serial=b,power=1.2,power-slope=-0.1", ""));
  const double kind_w = FakeRest(*kind.sysfs, fake_board_mark(kind.root)).power_w();
  const double leaky_w = FakeRest(*leaky.sysfs, fake_board_mark(leaky.root)).power_w();
  EXPECT_GT(leaky_w, 1.2 * kind_w);  // the idle board is not in its top mode
  EXPECT_LT(leaky_w, 1.6 * kind_w);
}

}  // namespace
}  // namespace ridgewatt::platform
