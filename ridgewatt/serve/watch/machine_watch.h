// Watches the machine for the server. All clients share one monitor, and each reading is converted
// to text once. If clients may set the power mode, also holds the process that sets it.
//
//   MachineWatch watch(options);            // before threads are started
//   const auto look = watch.next(0, 1.0);   // send look->event to all listeners
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

// One reading as a server-sent event.
struct LookEvent {
  std::uint64_t number = 0;
  std::string event = {};
};

class MachineWatch {
 public:
  // Construct it before starting threads, because it may fork. Throws UsageError, NotFoundError,
  // and the errors of the constructor of ModeHolder.
  explicit MachineWatch(const ServeOptions& options);

  // Returns the first reading after number `after`; null after `timeout_s`. Callers share the text.
  std::shared_ptr<const LookEvent> next(std::uint64_t after, double timeout_s);

  Json snapshot() const;  // schema ridgewatt.monitor/1
  Json sensors() const;   // schema ridgewatt.sensors/1
  Json history() const;
  Json windows() const;
  std::string metrics() const;

  Json begin_window(const std::string& name);  // throws UsageError if too many windows are open
  Json end_window(std::size_t number);
  Json mark();

  bool can_control() const { return holder_ != nullptr; }
  Json mode();
  Json set_mode(const std::string& text);
  Json restore_mode();

 private:
  void see_change();
  platform::LocalDevice device_;
  std::vector<std::string> presets_;
  std::unique_ptr<platform::ModeHolder> holder_;
  std::unique_ptr<monitor::Monitor> monitor_;
  std::mutex mutex_;
  std::shared_ptr<const LookEvent> newest_;
};

}  // namespace ridgewatt::serve
