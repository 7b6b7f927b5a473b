// Power of GPUs, read through NVML.
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/platform/power_source.h"

namespace ridgewatt::platform {
namespace {

constexpr double kNoPower = std::numeric_limits<double>::quiet_NaN();

// On many GPUs, the power that NVML reports is a mean over the last second.
class BoardPower : public PowerSource {
 public:
  explicit BoardPower(std::unique_ptr<Nvml> nvml) : nvml_(std::move(nvml)) {
    for (const auto& device : nvml_->devices()) {
      if (device.power) channels_.push_back({device.name, true}), devices_.push_back(device.index);
    }
    if (devices_.empty())
      throw NotSupportedError("NVML cannot read the power of this GPU", "",
                              "give power from an external meter (docs/guide/measure.md)");
  }
  void read(std::span<double> power_w) override {
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      power_w[i] = nvml_->power_w(devices_[i]).value_or(kNoPower);
    }
  }
  std::string description() const override { return "GPU board power through NVML"; }

 private:
  std::unique_ptr<Nvml> nvml_;
  std::vector<int> devices_;
};

// A counter advances every 100 ms (H100, driver 580), and reading it takes 3 ms. So it is not read
// again until an advance is possible. Then each read() polls it until it advances, which gives the
// time of a value to within one read.
class EnergyCounters : public PowerSource {
 public:
  explicit EnergyCounters(std::unique_ptr<Nvml> nvml) : nvml_(std::move(nvml)) {
    for (const auto& device : nvml_->devices()) {
      channels_.push_back({device.name, true});
      newest_.push_back({});
    }
  }
  // Waits until every counter has advanced, so that the first means begin here.
  void begin() override {
    for (std::size_t i = 0; i < newest_.size(); ++i) newest_[i] = look(i);
    const Stopwatch waiting;
    for (std::size_t i = 0; i < newest_.size(); ++i) {
      Value now = look(i);
      while (now.energy_j == newest_[i].energy_j && waiting.s() < kPatienceS) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        now = look(i);
      }
      newest_[i] = now;
    }
  }
  void read(std::span<double> power_w) override {
    for (std::size_t i = 0; i < newest_.size(); ++i) power_w[i] = mean_w(i);
  }
  double interval_s() const override { return kIntervalS; }
  bool tells_means() const override { return true; }
  std::string description() const override {
    return "energy counter of the GPU through NVML, about 10 values a second";
  }

 private:
  static constexpr double kIntervalS = 0.1, kAskS = 0.085, kPatienceS = 0.25;
  struct Value {
    double energy_j = kNoPower, time_s = 0;
  };

  Value look(std::size_t i) const {
    const double energy_j = nvml_->energy_j(nvml_->devices()[i].index).value_or(kNoPower);
    return {energy_j, monotonic_s()};
  }
  double mean_w(std::size_t i) {
    if (monotonic_s() - newest_[i].time_s < kAskS) return kNoPower;
    const Value before = newest_[i], now = look(i);
    if (now.energy_j == before.energy_j) return kNoPower;
    newest_[i] = now;
    // After a reload of the driver, the counter starts again at zero.
    if (!(now.energy_j > before.energy_j)) return kNoPower;
    return (now.energy_j - before.energy_j) / (now.time_s - before.time_s);
  }

  std::unique_ptr<Nvml> nvml_;
  std::vector<Value> newest_;
};

}  // namespace

std::unique_ptr<PowerSource> open_gpu_power(std::unique_ptr<Nvml> nvml) {
  bool counters = true;
  for (const auto& device : nvml->devices()) counters = counters && device.energy_counter;
  if (counters) return std::make_unique<EnergyCounters>(std::move(nvml));
  return std::make_unique<BoardPower>(std::move(nvml));
}

}  // namespace ridgewatt::platform
