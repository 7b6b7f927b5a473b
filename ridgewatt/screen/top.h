// The live view of a board (`ridgewatt top`): shows readings of its monitor on the terminal and
// executes commands by key. Without a terminal, prints plain text.
//
//   platform::LocalDevice device = platform::open_local_device("fake:agx-orin");
//   watch(device, {});   // until q, SIGINT, SIGTERM or SIGHUP; restores the original mode
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
  std::string state_folder;  // Folder of the journal that restores the mode. Empty: the default.
};

// Runs the view on this terminal (see why_no_screen()). Call it before starting threads. If a
// signal ends the view, everything is restored and the process then ends by this signal.
void watch(platform::LocalDevice& device, const TopOptions& options);

// Calls `print` for each reading, `count` times (0: until a signal). The first reading comes
// after options.monitor.look_s, so that it has energies and loads. Stops when `print` returns
// false.
using PrintLook = std::function<bool(const monitor::Monitor&, const monitor::Snapshot&)>;
void watch_plainly(const platform::LocalDevice& device, const TopOptions& options,
                   std::int64_t count, const PrintLook& print);

// Returns a reading as text, with all blocks from top to bottom.
std::string look_text(const platform::LocalDevice& device, const monitor::Monitor& monitor,
                      const monitor::Snapshot& now, std::size_t width);

}  // namespace ridgewatt::screen
