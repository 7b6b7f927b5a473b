// Something that tells power again and again: the rails of a board, a GPU through NVML, RAPL. Made
// for a sampling thread: files are opened once and read with pread.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ridgewatt/platform/jetson_power.h"
#include "ridgewatt/platform/sysfs.h"

namespace ridgewatt {

class PowerSource {
 public:
  struct Channel {
    std::string name;
    bool in_total = false;
  };
  virtual ~PowerSource() = default;
  const std::vector<Channel>& channels() const { return channels_; }
  // Power of every channel now, NaN where a sensor does not answer. `power_w` has channels().size()
  // entries.
  virtual void read(std::span<double> power_w) = 0;
  // Reading more often than this gives no new value.
  virtual double largest_rate_hz() const { return 1000; }
  // "INA3221 rails; total VDD_IN", for people.
  virtual std::string description() const = 0;
  // A power is not that of the moment but the mean since the last read: an energy counter's.
  virtual bool tells_means() const { return false; }

 protected:
  std::vector<Channel> channels_;
};

// The rails that `rails` lists. Throws NotSupportedError when there is none, IoError when a file
// cannot be opened.
std::unique_ptr<PowerSource> open_rails(const Sysfs& sysfs, const PowerRails& rails);

// What this machine has: rails, else what `tegrastats` prints, else a GPU through NVML, else RAPL.
// NotSupportedError says why there is nothing.
std::unique_ptr<PowerSource> open_power_source(const Sysfs& sysfs);

}  // namespace ridgewatt
