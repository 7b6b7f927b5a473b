// Formats a snapshot of a monitor for Prometheus (text exposition format 0.0.4). Names follow
// OpenTelemetry's hw.* conventions: base units in the name, `_total` for counters.
//
//   std::cout << metrics_text(monitor.sensors(), monitor.snapshot(), {Provenance::kMeasured});
//
// Every family has HELP and TYPE. Families have a fixed order, unknown values are omitted, and
// series are unique: a second "acpitz" becomes "acpitz (2)". The total of the module and the rails
// are separate families, so that a sum over a family counts nothing twice.
// docs/reference/metrics.md lists names, labels and units.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ridgewatt/monitor/monitor.h"
#include "ridgewatt/sweep/provenance.h"

namespace ridgewatt::monitor {

struct MetricsOptions {
  Provenance provenance = Provenance::kMeasured;
  // Whether to include counters. They count from the start of the monitor, so omit them if a
  // monitor runs only for one reading.
  bool counters = true;
  std::vector<Window> windows = {};
};

std::string metrics_text(const platform::MachineSensors& sensors, const Snapshot& snapshot,
                         const MetricsOptions& options = {});

// The metrics of one reading, without counters. The duration of the first reading is bounded.
std::string metrics_once(const platform::Sysfs& sysfs, double rate_hz, Provenance provenance);
// How often and how many times to write metrics; count 0: until SIGINT or SIGTERM. A write is never
// interrupted.
struct MetricsPace {
  double every_s = 15;
  std::int64_t count = 0;
};
// Calls `write` at the pace `pace`; returns after `count` calls or a signal.
void keep_writing(const MetricsPace& pace, const std::function<void()>& write);
// Runs a monitor and calls `write` with its metrics, including counters, at the pace `pace`.
void keep_metrics(const platform::Sysfs& sysfs, double rate_hz, Provenance provenance,
                  const MetricsPace& pace, const std::function<void(const std::string&)>& write);

// Escapes `text` for a quoted label: backslash, quote and newline are escaped; other control
// characters and malformed UTF-8 become U+FFFD.
std::string metrics_label(const std::string& text);

}  // namespace ridgewatt::monitor
