#include "ridgewatt/platform/fake_load.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "ridgewatt/base/file.h"
#include "ridgewatt/platform/fake_sysfs.h"
#include "ridgewatt/platform/jetson_identity.h"
#include "ridgewatt/platform/jetson_layout.h"
#include "ridgewatt/platform/jetson_power.h"

namespace ridgewatt {
namespace {

constexpr double kParameterError = 0.2;
constexpr double kModeError = 0.03;
constexpr double kMinibatchNoise = 0.02;
constexpr double kSlowShare = 0.01;
constexpr double kSlowFactor = 1.5;
constexpr double kHotLeakage = 0.04;     // more power when hot
constexpr double kWarmUpS = 30;          // time constant
constexpr double kCurrentStepA = 0.008;  // of a 5 mOhm shunt
constexpr double kVoltageV = 5;
constexpr double kBusyPermille = 990;

Twin perturbed(Twin twin, std::uint64_t seed) {
  Random random = Random(seed).fork(1);
  for (double& value : twin.values) value *= 1 + random.uniform(-kParameterError, kParameterError);
  return twin;
}

std::uint64_t mode_number(const PowerMode& mode) {
  std::uint64_t number = static_cast<std::uint64_t>(mode.cpu_cores);
  for (const Knob knob : {Knob::kCpuClock, Knob::kGpuClock, Knob::kMemClock}) {
    number = number * 1000003 + static_cast<std::uint64_t>(std::llround(mode.get(knob) / 1e3));
  }
  return number;
}

void write_number(const Sysfs& sysfs, const std::string& path, double value) {
  overwrite_board_file(sysfs.host_path(path), fmt::format("{:.0f}\n", value));  // may be gone
}

// Share of the module's power that a rail carries. Rails of a sum add up to 1.
double share_of(const std::string& rail) {
  static const std::pair<const char*, double> kShares[] = {{"VDD_GPU_SOC", 0.55},
                                                           {"VDD_CPU_CV", 0.15},
                                                           {"VIN_SYS_5V0", 0.30},
                                                           {"VDD_IN", 1},
                                                           {"VIN", 1},
                                                           {"POM_5V_IN", 1},
                                                           {"VDD_CPU_GPU_CV", 0.45},
                                                           {"VDD_SOC", 0.25},
                                                           {"VDD_GPU", 0.35},
                                                           {"VDD_CPU_SOC_MSS", 0.3}};
  for (const auto& [name, share] : kShares) {
    if (rail == name) return share;
  }
  return 0.1;
}

}  // namespace

FakeLoad::FakeLoad(const Twin& twin, const WorkloadCost& cost, std::uint64_t seed)
    : estimator_(perturbed(twin, seed), cost), seed_(seed), random_(Random(seed).fork(2)) {}

TimePower FakeLoad::truth(const PowerMode& mode) const {
  PowerMode clocks = mode;
  clocks.governor.clear();
  const MinibatchCost cost = estimator_(clocks);
  TimePower at{cost.period_s, cost.power_w};  // its minibatches follow each other
  Random luck = Random(seed_).fork(mode_number(clocks));
  at.time_s *= 1 + luck.uniform(-kModeError, kModeError);
  at.power_w *= 1 + luck.uniform(-kModeError, kModeError);
  return at;
}

TimePower FakeLoad::next(const PowerMode& mode) {
  TimePower at = truth(mode);
  at.time_s *= std::exp(kMinibatchNoise * random_.normal());
  if (random_.uniform() < kSlowShare) at.time_s *= kSlowFactor;
  warm_ += (1 - warm_) * (1 - std::exp(-at.time_s / kWarmUpS));
  at.power_w *= 1 + kHotLeakage * warm_;
  return at;
}

double FakeLoad::idle_w(const PowerMode& mode) const {
  return 0.35 * truth(mode).power_w;
}

FakeRails::FakeRails(const Sysfs& sysfs) : sysfs_(sysfs) {
  const auto jetson = identify_jetson(sysfs);
  rails_ = find_power_rails(sysfs, jetson ? jetson->board : "");
}

void FakeRails::set(double power_w) const {
  for (const auto& rail : rails_.channels) {
    const double rail_w = power_w * share_of(rail.rail);
    const double step_w = kCurrentStepA * kVoltageV;
    const double rounded_w = std::round(rail_w / step_w) * step_w;
    if (!rail.power_path.empty()) {
      write_number(sysfs_, rail.power_path, rounded_w / rail.power_unit_w);
    }
    write_number(sysfs_, rail.voltage_path, kVoltageV * 1e3);
    write_number(sysfs_, rail.current_path, rounded_w / kVoltageV * 1e3);
  }
}

FakeActivity::FakeActivity(const Sysfs& sysfs) {
  const JetsonLayout layout = find_jetson_layout(sysfs);
  const auto change = [&](const std::string& path, double value) {
    const std::string host_path = sysfs.host_path(path);
    std::error_code missing;
    if (!std::filesystem::exists(host_path, missing)) return;
    at_rest_.emplace_back(host_path, read_file(host_path));
    write_number(sysfs, path, value);
  };
  const auto follow = [&](const std::string& folder, const char* governor, const char* maximum,
                          const char* current) {
    const std::string name = sysfs.text(folder + governor).value_or("");
    if (name == "userspace" || name == "performance" || name == "powersave") return;  // stays
    if (const auto limit = sysfs.number(folder + maximum)) change(folder + current, *limit);
  };
  for (const auto& policy : layout.cpu_policies) {
    follow(policy.path, "/scaling_governor", "/scaling_max_freq", "/scaling_cur_freq");
  }
  for (const auto& gpu : layout.gpus) follow(gpu.path, "/governor", "/max_freq", "/cur_freq");
  if (!layout.gpu_load.empty()) change(layout.gpu_load, kBusyPermille);
}

FakeActivity::~FakeActivity() {
  for (const auto& [host_path, content] : at_rest_) overwrite_board_file(host_path, content);
}

}  // namespace ridgewatt
