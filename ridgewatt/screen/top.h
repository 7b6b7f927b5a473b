// The live view of a board: readings of its monitor on the terminal, and commands by key. Plain
// text without a terminal.
//
//   platform::LocalDevice device = platform::open_local_device("fake:agx-orin");
//   watch(device, {});   // until q, SIGINT, SIGTERM or SIGHUP; the first mode is restored
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "ridgewatt/monitor/monitor.h"
#include "ridgewatt/platform/local_device.h"

namespace ridgewatt::screen {

struct TopOptions {
  monitor::MonitorOptions monitor = {};
  bool read_only = false;    // no key can change the mode
  std::string state_folder;  // of the mode journal; empty: the usual one
};

// Runs on this terminal, see why_no_screen(). Call it before starting threads. Ends the process
// with the signal that ended the view, after everything is restored.
void watch(platform::LocalDevice& device, const TopOptions& options);

// Calls `print` for each reading, `count` times (0: until a signal); the first after `look_s`, so
// that it has energies and loads. `print` returns false to stop.
using PrintLook = std::function<bool(const monitor::Monitor&, const monitor::Snapshot&)>;
void watch_plainly(const platform::LocalDevice& device, const TopOptions& options,
                   std::int64_t count, const PrintLook& print);

// A reading as text, all blocks from top to bottom.
std::string look_text(const platform::LocalDevice& device, const monitor::Monitor& monitor,
                      const monitor::Snapshot& now, std::size_t width);

}  // namespace ridgewatt::screen
