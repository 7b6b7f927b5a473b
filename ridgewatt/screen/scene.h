// All that the terminal view shows at one moment: values, so that what is drawn depends on nothing
// else (screen/layout.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ridgewatt/monitor/monitor.h"
#include "ridgewatt/platform/machine_sensors.h"
#include "ridgewatt/screen/cells.h"

namespace ridgewatt::screen {

// What does not change while it is watched.
struct BoardFacts {
  std::string name;        // "NVIDIA Jetson AGX Orin Developer Kit"; a machine's: its host name
  std::string system;      // "JetPack 6.2, L4T 36.4.3", or the kernel
  std::string provenance;  // "measured" or "fake"
  std::string total_rule;  // rails that make up the total
};
BoardFacts board_facts(const platform::MachineSensors& sensors, const platform::Sysfs& sysfs,
                       bool fake);

// Something that holds the board back, from the look in which it was first seen.
struct Throttling {
  std::string what;        // "thermal: cpu-throttle-alert"
  double since_s = 0;      // CLOCK_MONOTONIC, when it began the last time
  double last_s = 0;       // newest look that saw it
  bool active = false;     // in the newest look
  std::int64_t times = 0;  // that it began, as far as looks or the board's counters tell
};

// Follows the throttling signals from look to look.
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

// What can be said of changing the mode.
struct ModeDesk {
  std::vector<std::string> presets = {};  // names, in the order of the board's file
  std::string refusal = {};               // why the mode cannot be changed; empty: it can
  bool holding = false;                   // a mode that was set here
  std::string first = {};                 // what comes back
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
  double look_s = 1;  // between two looks
  bool paused = false;
};

}  // namespace ridgewatt::screen
