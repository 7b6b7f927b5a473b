#include "ridgewatt/report/columns.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "ridgewatt/predict/interval.h"

namespace ridgewatt::report {
namespace {

struct SharedColumn {
  Label key;
  Label heading;  // empty: derived from the key
  int digits;
  Label meaning;
};

// clang-format off
constexpr SharedColumn kShared[] = {
    {"batch", "", 4, "samples per minibatch"},
    {"board", "", 4, "board of the row"},
    {"bound", "bound by", 4, "what takes most of the time"},
    {"cpu_cores", "cores", kNominal, "CPU cores online"},
    {"cpu_mhz", "CPU (MHz)", kNominal, "clock of the CPU"},
    {"energy_hi_j", "", 4, "upper bound of the energy"},
    {"energy_j", "", 4, "energy of a minibatch"},
    {"energy_lo_j", "", 4, "lower bound of the energy"},
    {"energy_mj", "", 4, "energy of one execution"},
    {"energy_per_request_j", "", 4, "energy of a request, with the idle time between minibatches"},
    {"feasible", "limits met", 4, "whether all limits are met"},
    {"fits_memory", "", 4, "whether the minibatch fits the memory"},
    {"governor", "", 4, "DVFS governor, where clocks are its limits"},
    {"gpu_load_pct", "GPU load (%)", 3, "share of time in which the GPU computes"},
    {"gpu_mhz", "GPU (MHz)", kNominal, "clock of the GPU"},
    {"gpu_ms", "", 4, "time on the GPU"},
    {"kind", "", 4, "training or inference"},
    {"latency_ms", "", 4, "worst latency of a request"},
    {"layer", "", 4, "name of the layer"},
    {"mem_mhz", "memory (MHz)", kNominal, "clock of the memory"},
    {"misses", "breaks", 4, "the limits that are not met, as text"},
    {"mode", "", 4, "power mode: its knobs"},
    {"op", "operator", 4, "ONNX operator"},
    {"power_hi_w", "", 4, "upper bound of the power"},
    {"power_lo_w", "", 4, "lower bound of the power"},
    {"power_mean_w", "", 4, "mean power"},
    {"power_w", "", 4, "mean power over a minibatch"},
    {"precision", "", 4, "precision of the computation"},
    {"preset", "", 4, "name of the board's preset with this mode"},
    {"provenance", "", 4, "measured, replayed, profiled, predicted, modelled or fake"},
    {"reason", "why it was tried", 4, "why the search tried the point, or why it is left out"},
    {"runtime", "", 4, "runtime or engine that the figures are for"},
    {"stall_ms", "", 4, "time in which the device waits for data"},
    {"time_hi_ms", "", 4, "upper bound of the time"},
    {"time_lo_ms", "", 4, "lower bound of the time"},
    {"time_ms", "", 4, "time per minibatch"},
    {"time_share_pct", "share (%)", 3, "share of the minibatch's time"},
    {"traffic_mb", "modelled traffic (MB)", 4, "bytes to and from memory"},
    {"training_throughput", "training (1/s)", 4, "training minibatches per second"},
    {"twin", "", 4, "state of the board's twin: fitted, fitted to published figures, or scaled"},
    {"work_mflop", "", 4, "arithmetic work, with integer operations"},
    {"workload", "", 4, "name of the workload"},
};
// clang-format on

const SharedColumn* find_shared(std::string_view key) {
  const auto* found = std::find_if(std::begin(kShared), std::end(kShared),
                                   [&](const SharedColumn& shared) { return shared.key == key; });
  return found == std::end(kShared) ? nullptr : found;
}

void add_interval(std::vector<Cell>& cells, const predict::Estimate& value, double scale) {
  cells.emplace_back(value.mean * scale);
  for (const double bound : {value.lo, value.hi}) {
    cells.push_back(known_cell(predict::has_interval(value) ? bound * scale : std::nan("")));
  }
}

constexpr double kMs = 1e3;

}  // namespace

Column column(std::string_view key, int rank) {
  const SharedColumn* shared = find_shared(key);
  if (shared == nullptr) throw std::out_of_range("no shared column " + std::string(key));
  return {.name = shared->key,
          .heading = shared->heading,
          .digits = shared->digits,
          .rank = rank,
          .meaning = shared->meaning};
}

Column optional_column(std::string_view key, int rank) {
  Column result = column(key, rank);
  result.optional = true;
  return result;
}

std::vector<KeyMeaning> shared_keys() {
  std::vector<KeyMeaning> keys;
  for (const auto& shared : kShared) keys.push_back({shared.key, shared.meaning});
  return keys;
}

void append(std::vector<Column>& columns, const std::vector<Column>& more) {
  columns.insert(columns.end(), more.begin(), more.end());
}

std::vector<Column> cost_columns() {
  return {column("time_ms"), column("power_w"), column("energy_j")};
}

void add_cost(std::vector<Cell>& cells, const Observation& measured) {
  for (const double value : {measured.time_s * kMs, measured.power_w, measured.energy_j()}) {
    cells.emplace_back(value);
  }
}

void add_cost(std::vector<Cell>& cells, const predict::Prediction& predicted) {
  for (const double value :
       {predicted.time_s.mean * kMs, predicted.power_w.mean, predicted.energy_j.mean}) {
    cells.emplace_back(value);
  }
}

std::vector<Column> cost_interval_columns() {
  return {column("time_ms"),  optional_column("time_lo_ms", 4),  optional_column("time_hi_ms", 4),
          column("power_w"),  optional_column("power_lo_w", 5),  optional_column("power_hi_w", 5),
          column("energy_j"), optional_column("energy_lo_j", 6), optional_column("energy_hi_j", 6)};
}

void add_cost_interval(std::vector<Cell>& cells, const predict::Prediction& predicted) {
  add_interval(cells, predicted.time_s, kMs);
  add_interval(cells, predicted.power_w, 1);
  add_interval(cells, predicted.energy_j, 1);
}

}  // namespace ridgewatt::report
