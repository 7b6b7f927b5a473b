// Tests NVML without a GPU: the test opens a shared library of its own with NVML's functions.
#include "ridgewatt/platform/nvml.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/platform/discrete/nvml_stub.h"
#include "ridgewatt/platform/power_source.h"

namespace ridgewatt::platform {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class NvmlTest : public ::testing::Test {
 protected:
  const std::string path_ = (testing::build_folder() / "libnvml_stub.so").string();
  void* handle_ = ::dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
  NvmlStub* stub_ =
      handle_ == nullptr ? nullptr : static_cast<NvmlStub*>(::dlsym(handle_, "nvml_stub"));

  void SetUp() override {
    ASSERT_NE(stub_, nullptr) << path_;
    *stub_ = NvmlStub{};
    stub_->devices = 1;
  }
  ~NvmlTest() override {
    if (handle_ != nullptr) ::dlclose(handle_);
  }
  std::string refusal() const {
    try {
      Nvml::open(path_);
    } catch (const NotSupportedError& error) {
      return error.what();
    }
    return "opened";
  }
};

// An H100 with driver 580: the counter advances every 100 ms. NVML's power is the mean over one
// second: it reported 278 W for half a second at 711 W.
TEST_F(NvmlTest, PowerIsTheMeanOfTheEnergyCounterWhereThereIsOne) {
  stub_->load_w = 700;
  const auto source = open_gpu_power(Nvml::open(path_));
  ASSERT_TRUE(source->tells_means());
  EXPECT_THAT(source->description(), HasSubstr("energy counter"));
  source->begin();
  const Stopwatch watch;
  double power_w = 0, known_s = 0, energy_j = 0, before_s = 0;
  int values = 0;
  while (watch.s() < 0.55) {
    source->read({&power_w, 1});
    if (std::isfinite(power_w)) {
      known_s = watch.s();
      energy_j += power_w * (known_s - before_s);
      before_s = known_s;
      ++values;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_GE(values, 3);
  EXPECT_LE(values, 6);
  EXPECT_NEAR(energy_j / known_s, 700, 70);
}

TEST_F(NvmlTest, PowerIsTheBoardsWithoutACounter) {
  stub_->energy_result = 3;
  const auto source = open_gpu_power(Nvml::open(path_));
  EXPECT_FALSE(source->tells_means());
  double power_w = 0;
  source->read({&power_w, 1});
  EXPECT_DOUBLE_EQ(power_w, 23.456);
  stub_->power_result = 3;
  EXPECT_THROW(open_gpu_power(Nvml::open(path_)), NotSupportedError);
}

TEST_F(NvmlTest, ACounterThatStandsStillOrStartsAgainHasNoPower) {
  stub_->load_w = 0;
  const auto source = open_gpu_power(Nvml::open(path_));
  source->begin();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  double power_w = 0;
  source->read({&power_w, 1});
  EXPECT_TRUE(std::isnan(power_w));
  stub_->energy_result = 15;
  source->read({&power_w, 1});
  EXPECT_TRUE(std::isnan(power_w));
}

// NVML's units are mW, mJ, MHz and percent.
TEST_F(NvmlTest, QuantitiesAreInSi) {
  const auto nvml = Nvml::open(path_);
  ASSERT_EQ(nvml->devices().size(), 1u);
  const NvmlDevice& device = nvml->devices()[0];
  EXPECT_EQ(device.name, "Stub GPU");
  EXPECT_EQ(device.uuid, "GPU-0000");
  EXPECT_EQ(device.unsupported, "");
  EXPECT_DOUBLE_EQ(nvml->power_w(0).value(), 23.456);
  EXPECT_DOUBLE_EQ(nvml->energy_j(0).value(), 5000000.5);
  EXPECT_DOUBLE_EQ(nvml->gpu_clock_hz(0).value(), 1.41e9);
  EXPECT_DOUBLE_EQ(nvml->mem_clock_hz(0).value(), 1.593e9);
  EXPECT_DOUBLE_EQ(nvml->temperature_celsius(0).value(), 61);
  EXPECT_DOUBLE_EQ(nvml->load(0).value(), 0.37);
}

TEST_F(NvmlTest, ClocksAreThoseAtTheHighestMemoryClock) {
  EXPECT_THAT(Nvml::open(path_)->supported_gpu_clocks_hz(0), ElementsAre(2.1e8, 7.65e8, 1.41e9));
}

TEST_F(NvmlTest, WhatTheDriverRefusesIsSaidAndNotGuessed) {
  stub_->power_result = 3;
  const auto nvml = Nvml::open(path_);
  EXPECT_FALSE(nvml->devices()[0].power);
  EXPECT_EQ(nvml->devices()[0].unsupported, "power");
  EXPECT_EQ(nvml->power_w(0), std::nullopt);
}

TEST_F(NvmlTest, AGpuThatVanishesHasNoPower) {
  const auto nvml = Nvml::open(path_);
  ASSERT_TRUE(nvml->power_w(0));
  stub_->power_result = 15;
  EXPECT_EQ(nvml->power_w(0), std::nullopt);
}

// Bits named in nvml.h: SwPowerCap 0x4, HwThermalSlowdown 0x40; 0x1 means that the GPU is idle.
TEST_F(NvmlTest, ThrottleReasons) {
  const auto nvml = Nvml::open(path_);
  stub_->throttle_mask = 0x45;
  EXPECT_THAT(nvml->throttle_reasons(0), ElementsAre("power cap", "thermal (hardware)"));
}

TEST_F(NvmlTest, ALockIsInWholeMhzAndItsRefusalsDiffer) {
  const auto nvml = Nvml::open(path_);
  nvml->lock_gpu_clock(0, 7.65e8, 1.41e9);
  EXPECT_EQ(stub_->locked_min_mhz, 765u);
  EXPECT_EQ(stub_->locked_max_mhz, 1410u);
  nvml->reset_gpu_clock(0);
  EXPECT_EQ(stub_->locked_max_mhz, 0u);
  stub_->lock_result = 3;
  EXPECT_THROW(nvml->lock_gpu_clock(0, 1e9, 1e9), NotSupportedError);
  stub_->lock_result = 4;
  EXPECT_THROW(nvml->lock_gpu_clock(0, 1e9, 1e9), PermissionError);
  stub_->lock_result = 15;
  try {
    nvml->lock_gpu_clock(0, 1e9, 1e9);
    FAIL();
  } catch (const IoError& error) {
    EXPECT_THAT(error.what(), HasSubstr("GPU is lost"));
  }
}

TEST_F(NvmlTest, WhyThereIsNoneIsInTheErrorAndInTheLibrarysWords) {
  stub_->init_result = 9;
  EXPECT_THAT(refusal(), HasSubstr("Driver Not Loaded"));
  stub_->init_result = 999;  // NVML has no text for this error
  EXPECT_THAT(refusal(), HasSubstr("NVML error 999"));
  stub_->init_result = 0;
  stub_->devices = 0;
  EXPECT_THAT(refusal(), HasSubstr("finds no GPU"));
  EXPECT_EQ(stub_->initialized, 0) << "a library that was started is shut down";
  try {
    Nvml::open("/no/such/libnvidia-ml.so.1");
    FAIL();
  } catch (const NotSupportedError& error) {
    EXPECT_THAT(error.what(), HasSubstr("/no/such/libnvidia-ml.so.1 is not installed"));
  }
  EXPECT_THROW(Nvml::open("libm.so.6"), NotSupportedError);  // lacks NVML's functions
}

TEST_F(NvmlTest, TheLibraryIsShutDownOnce) {
  {
    const auto nvml = Nvml::open(path_);
    EXPECT_EQ(stub_->initialized, 1);
  }
  EXPECT_EQ(stub_->initialized, 0);
}

}  // namespace
}  // namespace ridgewatt::platform
