// One look at everything that a board reports except power: clocks, loads, temperatures, throttling
// signals and memory. Works on any Linux machine with what it has; nothing needs root, but some
// values (memory clock and load) appear only for root.
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
  double min_hz = 0;    // current limits; 0 when unknown
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

// Why a clock may be lower than its cap.
struct ThrottleSignal {
  enum class Kind { kOverCurrent, kPowerLimit, kThermal };
  friend constexpr auto enum_names(Kind) {
    return named<Kind>({{Kind::kOverCurrent, "over-current"},
                        {Kind::kPowerLimit, "power limit"},
                        {Kind::kThermal, "thermal"}});
  }
  std::string name;
  Kind kind = Kind::kThermal;
  // Counter of events (over-current), alarm 0 or 1 (power limit), cooling state (thermal).
  std::int64_t value = 0;
  bool counter = false;  // `value` counts since boot: compare two readings
  bool active() const { return !counter && value > 0; }
};

struct FanReading {
  std::string name;
  std::optional<double> duty;  // fraction of full speed that is asked for
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
  // CPU loads are over the time since the last call, so the first one has none.
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

// All throttling signals of the board, cheap enough to ask before and after each measured point.
std::vector<ThrottleSignal> read_throttling(const Sysfs& sysfs);

// Signals of `after` that are active, or counters that went up since `before`, as words.
std::vector<std::string> throttled(const std::vector<ThrottleSignal>& before,
                                   const std::vector<ThrottleSignal>& after);

}  // namespace ridgewatt::platform
