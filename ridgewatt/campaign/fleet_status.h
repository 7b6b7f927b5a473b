// Reports the status of a fleet of boards. Power, energy of the day, mode, temperature and
// throttling come from Prometheus, which scrapes `ridgewatt export` and `serve`
// (docs/reference/metrics.md). Drift and better modes come from the store of profiled points. Each
// source can be used alone.
//
//   const FleetStatus status =
//       fleet_status({.store = "all.db", .prometheus = "http://127.0.0.1:9090"});
//
// A board in Prometheus is the same as a board in the store if its label `serial` is the serial
// number in the store. The label `workload` names the workload that the board runs.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/device/power_mode.h"

namespace ridgewatt::campaign {

struct FleetOptions {
  std::string store;       // file or postgresql://..; empty: none
  std::string prometheus;  // "http://127.0.0.1:9090"; empty: none
  std::string boards;      // file of targets and labels in Prometheus' file_sd format; empty: none
  double window_s = 300;   // averaging time of power
  double day_s = 86400;    // period over which energy, throttling and drift are reported
  std::int64_t now_unix_s = 0;  // 0: the current time
};

// Unknown numbers are NaN.
constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();

struct BoardStatus {
  std::string name;  // instance in Prometheus, or else serial number, or else board
  std::string kind;  // of board: "agx-orin", "fake:agx-orin"
  std::string fleet, serial, workload;
  bool in_store = false;
  // Whether the newest scrape succeeded; absent: Prometheus was not queried.
  std::optional<bool> up;
  std::string mode, preset;
  double power_w = kNotKnown;        // mean over `window_s`
  double energy_j = kNotKnown;       // over `day_s`
  double temperature_c = kNotKnown;  // of the hottest zone
  bool throttled_known = false, throttled = false;
  double throttle_events = kNotKnown;  // number over `day_s`
  // Time since the newest scrape or, without Prometheus, since the newest point in the store.
  double last_seen_s = kNotKnown;
};

// Compares the points that a board measured during the day with points of the same workload, mode
// and batch that are older or from other boards of the kind.
struct BoardDrift {
  std::string kind, serial, workload, work_kind;
  // Number of compared points.
  std::size_t points = 0;
  double time = kNotKnown, power = kNotKnown;  // median ratios, minus 1
};

// A board whose current mode needs more time and power than another mode, according to the store.
struct DominatedMode {
  std::string name, kind, workload, work_kind;
  int batch = 0;
  // The current mode, and the better one.
  std::string mode, better;
  double time = 0, power = 0;  // ratio of better to current mode, minus 1
};

struct WorkloadEnergy {
  std::string workload;
  // "counters" (boards with the label `workload`) or "measured" (windows in the store).
  std::string source;
  double energy_j = 0;
};

struct FleetStatus {
  std::vector<BoardStatus> boards;
  std::vector<BoardDrift> drifts;
  std::vector<DominatedMode> dominated;
  std::vector<WorkloadEnergy> workloads;
  std::vector<std::string> missing;  // information that is missing, and why
};

// Sums over the boards with a known value; absent if there are none.
struct FleetTotals {
  std::size_t boards = 0;
  // Number of boards whose newest scrape succeeded.
  std::optional<std::size_t> up;
  std::optional<double> power_w, energy_j;
};
FleetTotals totals_of(const FleetStatus& status);

// Throws UsageError if neither a store nor a Prometheus server is given, or if `boards` is given
// without a server. Also throws the errors of reading the store and the server.
FleetStatus fleet_status(const FleetOptions& options);

}  // namespace ridgewatt::campaign
