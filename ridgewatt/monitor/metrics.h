// A snapshot of a monitor in the format of Prometheus (text exposition format 0.0.4), with names
// like those of OpenTelemetry's hw.* conventions: base units in the name, `_total` for counters.
//
//   std::cout << metrics_text(monitor.sensors(), monitor.snapshot(), {Provenance::kMeasured});
//
// Every family has HELP and TYPE, families have a fixed order, unknown values are omitted, and no
// two series are equal: a second "acpitz" is "acpitz (2)". The total of the module and the rails
// have separate families, so that a sum over either counts nothing twice. All names, labels and
// units: docs/reference/metrics.md.
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
  // Counters since the monitor began: omit them if it began a moment ago and ends at once.
  bool counters = true;
  std::vector<Window> windows = {};
};

std::string metrics_text(const platform::MachineSensors& sensors, const Snapshot& snapshot,
                         const MetricsOptions& options = {});

// The metrics of one look, without counters; how long the first look takes is bounded.
std::string metrics_once(const platform::Sysfs& sysfs, double rate_hz, Provenance provenance);
// The metrics every so often, with counters, `count` times (0: until SIGINT or SIGTERM, for which
// no write stops half way).
struct MetricsPace {
  double every_s = 15;
  std::int64_t count = 0;
};
// Calls `write` so often, until SIGINT or SIGTERM.
void keep_writing(const MetricsPace& pace, const std::function<void()>& write);
void keep_metrics(const platform::Sysfs& sysfs, double rate_hz, Provenance provenance,
                  const MetricsPace& pace, const std::function<void(const std::string&)>& write);

// `text` for the quotes of a label: backslash, quote and newline are escaped; other control
// characters and malformed UTF-8 become U+FFFD.
std::string metrics_label(const std::string& text);

}  // namespace ridgewatt::monitor
