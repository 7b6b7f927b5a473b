// The status of a fleet of boards: power, energy of the day, mode, temperature and throttling from
// Prometheus, which scrapes the output of `ridgewatt export` and `serve`
// (docs/reference/metrics.md); drift and better modes from the store of profiled points. Each
// source can be used alone.
//
//   const FleetStatus status = fleet_status({.store = "all.db", .prometheus =
//   "http://127.0.0.1:9090"});
//
// A board in Prometheus and one in the store are the same if the label `serial` of the target
// matches. The label `workload` names what a board runs.
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
  double window_s = 300;        // averaging window of power
  double day_s = 86400;         // period of energy, throttling and drift
  std::int64_t now_unix_s = 0;  // 0: the current time
};

constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();

struct BoardStatus {
  std::string name;  // instance in Prometheus; otherwise serial, or the board's name
  std::string kind;  // "agx-orin", "fake:agx-orin"
  std::string fleet, serial, workload;
  bool in_prometheus = false, in_store = false;
  std::optional<bool> up;  // empty: Prometheus was not queried
  std::string mode, preset;
  double power_w = kNotKnown;        // mean over the window
  double energy_j = kNotKnown;       // of the day
  double temperature_c = kNotKnown;  // hottest zone
  bool throttled_known = false, throttled = false;
  double throttle_events = kNotKnown;  // of the day
  // age of the newest scrape, or of the newest point in the store
  double last_seen_s = kNotKnown;
};

// Points of a board from the day compared with those of the same workload, mode and batch from
// before, or from other boards of the kind: medians of the ratios, less 1.
struct BoardDrift {
  std::string kind, serial, workload, work_kind;
  std::size_t points = 0;
  double time = kNotKnown, power = kNotKnown;
};

// A board whose present mode is worse in time and power than another one, according to the store.
struct DominatedMode {
  std::string name, kind, workload, work_kind;
  int batch = 0;
  std::string mode, better;
  double time = 0, power = 0;  // of the better mode over the present one, less 1
};

struct WorkloadEnergy {
  std::string workload;
  std::string source;  // "counters" of boards with that label, or "measured" windows
  double energy_j = 0;
};

struct FleetStatus {
  std::vector<BoardStatus> boards;
  std::vector<BoardDrift> drifts;
  std::vector<DominatedMode> dominated;
  std::vector<WorkloadEnergy> workloads;
  std::vector<std::string> missing;  // missing information, with the reason
};

// Sums over the boards whose value is known; empty where no board has a known value.
struct FleetTotals {
  std::size_t boards = 0;
  std::optional<std::size_t> up;
  std::optional<double> power_w, energy_j;
};
FleetTotals totals_of(const FleetStatus& status);

// Throws UsageError without a store and a Prometheus, and what reading them throws.
FleetStatus fleet_status(const FleetOptions& options);

}  // namespace ridgewatt::campaign
