// Everything that the terminal view shows at one moment, as values, so that drawing depends on
// nothing else (screen/layout.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ridgewatt/monitor/monitor.h"
#include "ridgewatt/platform/machine_sensors.h"
#include "ridgewatt/screen/cells.h"

namespace ridgewatt::screen {

// The constant facts of the watched machine.
struct BoardFacts {
  std::string name;        // "NVIDIA Jetson AGX Orin Developer Kit"; for a PC the host name
  std::string system;      // "JetPack 6.2, L4T 36.4.3", or the kernel
  std::string provenance;  // "measured" or "fake"
  std::string total_rule;  // rails that make up the total
};
BoardFacts board_facts(const platform::MachineSensors& sensors, const platform::Sysfs& sysfs,
                       bool fake);

// A cause of throttling, from the reading that first showed it.
struct Throttling {
  std::string what;        // "thermal: cpu-throttle-alert"
  double since_s = 0;      // CLOCK_MONOTONIC, start of the latest event
  double last_s = 0;       // newest reading that showed it
  bool active = false;     // in the newest reading
  std::int64_t times = 0;  // number of events, from readings or the board's counters
};

// Tracks the throttling signals from reading to reading.
class ThrottleLog {
 public:
  void look(const monitor::Snapshot& now);
  const std::vector<Throttling>& entries() const { return entries_; }

 private:
  void note(const std::string& what, double now_s, std::int64_t times);

  std::vector<platform::ThrottleSignal> before_;
  bool looked_ = false;
  std::vector<Throttling> entries_;
};

enum class View { kAll, kPower, kClocks, kProcesses };

// The state of mode control.
struct ModeDesk {
  std::vector<std::string> presets = {};  // in the order of the board file
  // the reason why the mode cannot be changed; empty: it can
  std::string refusal = {};
  bool holding = false;    // a mode that was set in this view
  std::string first = {};  // the mode to restore
};

struct Scene {
  BoardFacts board;
  monitor::Snapshot now;
  std::vector<monitor::HistoryPoint> history = {};
  std::vector<monitor::Window> windows = {};
  std::vector<Throttling> throttling = {};
  ModeDesk desk = {};
  View view = View::kAll;
  Glyphs glyphs = Glyphs::kBraille;
  double look_s = 1;  // between two readings
  bool paused = false;
};

}  // namespace ridgewatt::screen
