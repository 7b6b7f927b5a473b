// Power sources: the rails of a board, a GPU through NVML, RAPL, tegrastats. Made
// for a sampling thread: files are opened once and read with pread.
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
  // Power of every channel now, NaN where a sensor does not answer, or tells means and has no new
  // one. `power_w` has channels().size() entries.
  virtual void read(std::span<double> power_w) = 0;
  // Forgets what was read before: a series of reads begins. Whoever samples calls it first.
  virtual void begin() {}
  // Reading more often than this gives no new value.
  virtual double largest_rate_hz() const { return 1000; }
  // "INA3221 rails; total VDD_IN", for people.
  virtual std::string description() const = 0;
  // A power is the mean since the last value, not of the moment: an energy counter.
  virtual bool tells_means() const { return false; }
  // The mean of a moment may come this much later.
  virtual double interval_s() const { return 0; }

 protected:
  std::vector<Channel> channels_;
};

// The rails that `rails` lists. Throws NotSupportedError when there is none, IoError when a file
// cannot be opened.
std::unique_ptr<PowerSource> open_rails(const Sysfs& sysfs, const PowerRails& rails);

// GPUs through NVML: means of their energy counters where all have one, else board power. Throws
// NotSupportedError where no GPU tells either.
std::unique_ptr<PowerSource> open_gpu_power(std::unique_ptr<Nvml> nvml);

// What this machine has: rails, else what `tegrastats` prints, else a GPU through NVML, else RAPL.
// NotSupportedError says why there is nothing.
std::unique_ptr<PowerSource> open_power_source(const Sysfs& sysfs);

// The sum over the parts in the total (channels, rails, traces): nothing when there is none, NaN
// when one has no value, since a sum that lacks a part would look like a measurement and be wrong.
template <class Parts, class PowerOf>
std::optional<double> total_power_w(const Parts& parts, PowerOf power_w_of) {
  std::optional<double> total;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].in_total) total = total.value_or(0) + power_w_of(i);
  }
  return total;
}

// The power of a machine for one session: its sensors are found and opened once, when they are
// first asked for, and handed to every measurement.
//
//   PowerMeter meter(sysfs);
//   for (const auto& options : runs) measure_command(sysfs, options, meter);
class PowerMeter {
 public:
  // `sysfs` must outlive this.
  explicit PowerMeter(const Sysfs& sysfs) : sysfs_(sysfs) {}
  // Null where the machine has no power sensor.
  PowerSource* source();
  // "rails; total VDD_IN"; "none: " and why where there is none.
  const std::string& description();
  // The rate at which it can be sampled when `asked_hz` is asked for; 0 without a source.
  double usable_rate_hz(double asked_hz);

 private:
  void open();

  const Sysfs& sysfs_;
  bool opened_ = false;
  std::unique_ptr<PowerSource> source_;
  std::string description_;
};

}  // namespace ridgewatt::platform
