// The live view of a board: looks of its monitor on the terminal, and what keys ask for. As plain
// text where there is no terminal.
//
//   platform::LocalDevice device = platform::open_local_device("fake:agx-orin");
//   watch(device, {});   // until q, SIGINT, SIGTERM or SIGHUP; a mode that was set is taken back
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
  std::string state_folder;  // of the mode's journal; empty: the usual one
};

// On this terminal, see why_no_screen(). Call it before starting threads. Ends the program by the
// signal that ended it, after all is put back.
void watch(platform::LocalDevice& device, const TopOptions& options);

// Calls `print` for each look, `count` times (0: until a signal); the first after `look_s`, so that
// it has energies and loads. `print` returns false to end.
using PrintLook = std::function<bool(const monitor::Monitor&, const monitor::Snapshot&)>;
void watch_plainly(const platform::LocalDevice& device, const TopOptions& options,
                   std::int64_t count, const PrintLook& print);

// A look as text, everything below each other.
std::string look_text(const platform::LocalDevice& device, const monitor::Monitor& monitor,
                      const monitor::Snapshot& now, std::size_t width);

}  // namespace ridgewatt::screen
