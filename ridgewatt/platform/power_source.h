// Power sources for the sampling thread: the rails of a board, GPUs through NVML, RAPL or
// tegrastats. Files are opened once and read with pread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ridgewatt/platform/jetson_power.h"
#include "ridgewatt/platform/nvml.h"
#include "ridgewatt/platform/sysfs.h"

namespace ridgewatt::platform {

class PowerSource {
 public:
  struct Channel {
    std::string name;
    bool in_total = false;
  };
  virtual ~PowerSource() = default;
  const std::vector<Channel>& channels() const { return channels_; }
  // Reads the power of every channel into `power_w`, which has channels().size() entries. NaN if a
  // sensor does not respond, or if tells_means() and there is no new value.
  virtual void read(std::span<double> power_w) = 0;
  // Call before a series of reads; discards earlier values.
  virtual void begin() {}
  // The highest rate at which the source has new values.
  virtual double largest_rate_hz() const { return 1000; }
  // A description for users: "INA3221 rails; total VDD_IN".
  virtual std::string description() const = 0;
  // Whether each value is the mean power since the previous value, computed from an energy counter.
  virtual bool tells_means() const { return false; }
  // The longest delay between a moment and the arrival of the value that covers it.
  virtual double interval_s() const { return 0; }

 protected:
  std::vector<Channel> channels_;
};

// The rails in `rails`. Throws NotSupportedError if there is none, IoError if a file cannot be
// opened.
std::unique_ptr<PowerSource> open_rails(const Sysfs& sysfs, const PowerRails& rails);

// GPUs through NVML: means from energy counters if all GPUs have one, otherwise board power. Throws
// NotSupportedError if no GPU reports either.
std::unique_ptr<PowerSource> open_gpu_power(std::unique_ptr<Nvml> nvml);

// The first available source of this machine: rails, tegrastats, GPUs through NVML, RAPL. Throws
// NotSupportedError with the reasons if there is none.
std::unique_ptr<PowerSource> open_power_source(const Sysfs& sysfs);

// The sum of all `parts` (channels, rails, traces) with in_total: empty without such parts; NaN if
// one has no value, because an incomplete sum would be wrong.
template <class Parts, class PowerOf>
std::optional<double> total_power_w(const Parts& parts, PowerOf power_w_of) {
  std::optional<double> total;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].in_total) total = total.value_or(0) + power_w_of(i);
  }
  return total;
}

// The power sensors of a machine. They are found and opened at first use and then used for all
// measurements.
//
//   PowerMeter meter(sysfs);
//   for (const auto& options : runs) measure_command(sysfs, options, meter);
class PowerMeter {
 public:
  // `sysfs` must outlive this object.
  explicit PowerMeter(const Sysfs& sysfs) : sysfs_(sysfs) {}
  // Null if the machine has no power sensor.
  PowerSource* source();
  // "rails; total VDD_IN", or "none: " with the reason if there is no sensor.
  const std::string& description();
  // The sampling rate for a request of `asked_hz`, limited to that of the source; 0 without a
  // source.
  double usable_rate_hz(double asked_hz);

 private:
  void open();

  const Sysfs& sysfs_;
  bool opened_ = false;
  std::unique_ptr<PowerSource> source_;
  std::string description_;
};

}  // namespace ridgewatt::platform
