// How a fleet of boards stands: power, energy of the day, mode, temperature and throttling from
// Prometheus, which scrapes what `ridgewatt export` and `serve` write (docs/reference/metrics.md);
// drift and better modes from the store of profiled points. Either alone is enough for its part.
//
//   const FleetStatus status = fleet_status({.store = "all.db", .prometheus =
//   "http://127.0.0.1:9090"});
//
// A board of Prometheus and one of the store are the same when its target has the label `serial`.
// The label `workload` says what a board runs.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/device/power_mode.h"

namespace ridgewatt::campaign {

struct FleetOptions {
  std::string store;       // empty: none
  std::string prometheus;  // "http://127.0.0.1:9090"; empty: none
  std::string boards;  // targets and their labels, as Prometheus' file_sd reads them; empty: none
  double window_s = 300;        // that power is the mean of
  double day_s = 86400;         // that energy, throttling and drift are of
  std::int64_t now_unix_s = 0;  // 0: the clock
};

constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();

struct BoardStatus {
  std::string name;  // instance of Prometheus; else serial, or the board's name
  std::string kind;  // "agx-orin", "fake:agx-orin"
  std::string fleet, serial, workload;
  bool in_prometheus = false, in_store = false;
  std::optional<bool> up;  // nothing: Prometheus was not asked
  std::string mode, preset;
  double power_w = kNotKnown;        // mean of the window
  double energy_j = kNotKnown;       // of the day
  double temperature_c = kNotKnown;  // hottest zone
  bool throttled_known = false, throttled = false;
  double throttle_events = kNotKnown;  // of the day
  double last_seen_s = kNotKnown;      // ago: newest scrape, or newest point of the store
};

// Points of a board in the day against what the store has of the same workload, mode and batch
// from before, or from other boards of the kind: medians of the ratios, less 1.
struct BoardDrift {
  std::string kind, serial, workload, work_kind;
  std::size_t points = 0;
  double time = kNotKnown, power = kNotKnown;
};

// A board whose present mode is worse in time and in power than another, by the store.
struct DominatedMode {
  std::string name, kind, workload, work_kind;
  int batch = 0;
  std::string mode, better;
  double time = 0, power = 0;  // of the better mode over the present one, less 1
};

struct WorkloadEnergy {
  std::string workload;
  std::string source;  // "counters" of boards that are labelled with it, or "measured" windows
  double energy_j = 0;
};

struct FleetStatus {
  std::vector<BoardStatus> boards;
  std::vector<BoardDrift> drifts;
  std::vector<DominatedMode> dominated;
  std::vector<WorkloadEnergy> workloads;
  std::vector<std::string> missing;  // what is not known, and why
};

// UsageError when neither a store nor a Prometheus is named; what reading them throws.
FleetStatus fleet_status(const FleetOptions& options);

}  // namespace ridgewatt::campaign
