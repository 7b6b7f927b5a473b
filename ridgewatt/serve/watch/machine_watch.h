// The machine that the server watches: one monitor, whatever the number of those who look, each of
// whose looks becomes text once; and, where clients may set the power mode, the process that holds
// it.
//
//   MachineWatch watch(options);            // before threads are started
//   const auto look = watch.next(0, 1.0);   // look->event is sent to all who listen
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ridgewatt/io/json.h"
#include "ridgewatt/monitor/monitor.h"
#include "ridgewatt/platform/local_device.h"
#include "ridgewatt/platform/mode_holder.h"
#include "ridgewatt/serve/serve_options.h"

namespace ridgewatt::serve {

// One look as a server-sent event.
struct LookEvent {
  std::uint64_t number = 0;
  std::string event = {};
};

class MachineWatch {
 public:
  // Throws UsageError, NotFoundError, and what the mode holder throws.
  explicit MachineWatch(const ServeOptions& options);

  // The first look after number `after`; null after `timeout_s`. The text is shared.
  std::shared_ptr<const LookEvent> next(std::uint64_t after, double timeout_s);

  Json snapshot() const;  // ridgewatt.monitor/1
  Json sensors() const;   // ridgewatt.sensors/1
  Json history() const;
  Json windows() const;
  std::string metrics() const;

  Json begin_window(const std::string& name);  // UsageError when too many are open
  Json end_window(std::size_t number);
  Json mark();

  bool can_control() const { return holder_ != nullptr; }
  Json mode();
  Json set_mode(const std::string& text);
  Json restore_mode();

 private:
  platform::LocalDevice device_;
  std::vector<std::string> presets_;
  std::unique_ptr<platform::ModeHolder> holder_;
  std::unique_ptr<monitor::Monitor> monitor_;
  std::mutex mutex_;
  std::shared_ptr<const LookEvent> newest_;
};

}  // namespace ridgewatt::serve
