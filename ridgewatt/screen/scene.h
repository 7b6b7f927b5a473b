// The state that the terminal view shows at one moment. Drawing depends on nothing else
// (screen/layout.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ridgewatt/monitor/monitor.h"
#include "ridgewatt/platform/machine_sensors.h"
#include "ridgewatt/screen/cells.h"

namespace ridgewatt::screen {

// Constant facts about the watched machine.
struct BoardFacts {
  std::string name;        // "NVIDIA Jetson AGX Orin Developer Kit", or the host name of a PC
  std::string system;      // "JetPack 6.2, L4T 36.4.3", or the kernel
  std::string provenance;  // "measured" or "fake"
  std::string total_rule;  // the rails whose sum is the total
};
BoardFacts board_facts(const platform::MachineSensors& sensors, const platform::Sysfs& sysfs,
                       bool fake);

// A cause of throttling, and the times at which it appeared.
struct Throttling {
  std::string what;        // "thermal: cpu-throttle-alert"
  double since_s = 0;      // start of the latest event, by CLOCK_MONOTONIC
  double last_s = 0;       // time of the newest reading with this cause
  bool active = false;     // present in the newest reading
  std::int64_t times = 0;  // number of events, from readings or counters
};

// Tracks the throttling signals from reading to reading. Counters of the first reading are ignored,
// because they count since boot.
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
  // The reason why the mode cannot be changed. Empty: it can be changed.
  std::string refusal = {};
  bool holding = false;    // a mode was set in this view
  std::string first = {};  // original mode, to be restored
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
  double look_s = 1;  // time between two readings
  bool paused = false;
};

}  // namespace ridgewatt::screen
