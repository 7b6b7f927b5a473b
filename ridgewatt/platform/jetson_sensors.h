// Reads everything that a board reports except power: clocks, loads, temperatures, throttling
// signals and memory. Works on any Linux machine, with the values that the machine reports. Only
// some values need root (memory clock and load).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/platform/jetson_layout.h"
#include "ridgewatt/platform/sysfs.h"

namespace ridgewatt::platform {

struct ClockReading {
  std::string name;     // "cpu0", "gpu", "emc"
  double clock_hz = 0;  // 0: off
  double min_hz = 0;    // current limits; 0: unknown
  double max_hz = 0;
  std::string governor;
};

struct LoadReading {
  std::string name;
  double load = 0;  // fraction
};

struct TemperatureReading {
  std::string name;
  std::optional<double> celsius;
  std::string note;  // why there is no value: "no power"
};

// A signal that may have lowered a clock below its limit.
struct ThrottleSignal {
  enum class Kind { kOverCurrent, kPowerLimit, kThermal };
  friend constexpr auto enum_names(Kind) {
    return named<Kind>({{Kind::kOverCurrent, "over-current"},
                        {Kind::kPowerLimit, "power limit"},
                        {Kind::kThermal, "thermal"}});
  }
  std::string name;
  Kind kind = Kind::kThermal;
  // Number of events (over-current), alarm state 0 or 1 (power limit), or cooling state (thermal).
  std::int64_t value = 0;
  bool counter = false;  // `value` counts since boot: compare two readings
  bool active() const { return !counter && value > 0; }
};

struct FanReading {
  std::string name;
  std::optional<double> duty;  // requested fraction of full speed
  std::optional<double> rpm;
};

struct SensorSnapshot {
  int cpus_present = 0;
  int cpus_online = 0;
  std::vector<ClockReading> clocks;
  std::vector<LoadReading> loads;
  std::vector<TemperatureReading> temperatures;
  std::vector<ThrottleSignal> throttling;
  double memory_total_bytes = 0;
  double memory_available_bytes = 0;
  double swap_total_bytes = 0;  // 0: none
  double swap_free_bytes = 0;
  std::vector<FanReading> fans;
};

class SensorReader {
 public:
  explicit SensorReader(const Sysfs& sysfs);
  const JetsonLayout& layout() const { return layout_; }
  // CPU loads are means since the previous call, so the first call returns none.
  SensorSnapshot read();

 private:
  struct CpuTimes {
    double busy = 0;
    double total = 0;
  };
  void read_clocks(SensorSnapshot& snapshot) const;
  void read_loads(SensorSnapshot& snapshot);
  void read_temperatures(SensorSnapshot& snapshot) const;
  void read_memory(SensorSnapshot& snapshot) const;
  void read_fans(SensorSnapshot& snapshot) const;

  const Sysfs& sysfs_;
  JetsonLayout layout_;
  std::map<std::string, CpuTimes> cpu_times_;
};

// All throttling signals of the board. Fast enough to call before and after each measured point.
std::vector<ThrottleSignal> read_throttling(const Sysfs& sysfs);

// Names of the signals that are active in `after`, and of the counters that increased since
// `before`.
std::vector<std::string> throttled(const std::vector<ThrottleSignal>& before,
                                   const std::vector<ThrottleSignal>& after);

}  // namespace ridgewatt::platform
