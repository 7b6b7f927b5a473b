#include "ridgewatt/schedule/simulation/ledger.h"

#include <algorithm>
#include <cmath>

namespace ridgewatt::schedule {
namespace {

// The latency that a share q of the requests does not exceed.
double percentile(std::vector<double>& values, double q) {
  const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(values.size())));
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(rank, 1) - 1);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// Calls `add(bin, stop_s - start_s)` for the part of [start, end) in each bin.
template <class Add>
void for_each_bin(double start_s, double end_s, double bin_s, std::size_t bins, const Add& add) {
  while (start_s < end_s) {
    const auto bin = std::min(static_cast<std::size_t>(start_s / bin_s), bins - 1);
    double stop_s = std::min(end_s, static_cast<double>(bin + 1) * bin_s);
    if (stop_s <= start_s) stop_s = end_s;  // rounding error at the edge of a bin
    add(bin, stop_s - start_s);
    start_s = stop_s;
  }
}

}  // namespace

Ledger::Ledger(const SimulationOptions& options)
    : options_(options),
      bins_j_(bin_count(options.power_bin_s), 0.0),
      windows_(bin_count(options.window_s)) {}

std::size_t Ledger::bin_count(double bin_s) const {
  return std::max<std::size_t>(
      1, static_cast<std::size_t>(std::ceil(options_.duration_s / bin_s - 1e-9)));
}

void Ledger::spread(double start_s, double end_s, double power_w) {
  for_each_bin(start_s, end_s, options_.power_bin_s, bins_j_.size(),
               [&](std::size_t bin, double length_s) { bins_j_[bin] += power_w * length_s; });
}

void Ledger::count_idle(double end_s, double idle_w) {
  const double to_s = std::min(end_s, options_.duration_s);
  if (to_s > idle_from_s_) spread(idle_from_s_, to_s, idle_w);
  idle_from_s_ = std::max(idle_from_s_, to_s);
}

void Ledger::count_busy(double start_s, double end_s, double above_w) {
  const double counted_s = std::min(end_s, options_.duration_s) - start_s;
  if (counted_s <= 0) return;
  busy_s_ += counted_s;
  spread(start_s, start_s + counted_s, above_w);
}

void Ledger::count_training(double start_s, double end_s, double share, double ended) {
  if (end_s <= options_.duration_s) training_minibatches_ += ended;
  const double whole_s = end_s - start_s;
  for_each_bin(start_s, std::min(end_s, options_.duration_s), options_.window_s, windows_.size(),
               [&](std::size_t window, double length_s) {
                 windows_[window].training_minibatches += share * length_s / whole_s;
               });
}

void Ledger::add_to(Simulation& result) const {
  result.windows = windows_;
  result.training_minibatches = training_minibatches_;
  for (std::size_t i = 0; i < bins_j_.size(); ++i) {
    const double start_s = static_cast<double>(i) * options_.power_bin_s;
    const double length_s = std::min(options_.power_bin_s, options_.duration_s - start_s);
    result.energy_j += bins_j_[i];
    result.power_w.push_back(bins_j_[i] / length_s);
  }
  result.mean_power_w = result.energy_j / options_.duration_s;
  result.busy_share = busy_s_ / options_.duration_s;
  result.training_throughput_hz = result.training_minibatches / options_.duration_s;
}

void add_latency_statistics(std::span<const double> arrivals, const SimulationOptions& options,
                            Simulation& result) {
  std::vector<double> values = result.latencies_s;
  if (values.empty()) return;
  double sum = 0;
  for (const double latency_s : values) {
    sum += latency_s;
    // The factor allows for rounding of time stamps.
    if (latency_s > options.max_latency_s * (1 + 1e-9)) ++result.violations;
  }
  result.mean_latency_s = sum / static_cast<double>(values.size());
  result.p50_s = percentile(values, 0.50);
  result.p95_s = percentile(values, 0.95);
  result.p99_s = percentile(values, 0.99);
  result.worst_s = *std::max_element(values.begin(), values.end());
  std::size_t i = 0;
  for (std::size_t w = 0; w < result.windows.size(); ++w) {
    const double end_s = static_cast<double>(w + 1) * options.window_s;
    const bool last = w + 1 == result.windows.size();
    values.clear();
    for (; i < result.latencies_s.size() && (last || arrivals[i] < end_s); ++i) {
      values.push_back(result.latencies_s[i]);
    }
    result.windows[w].requests = values.size();
    if (!values.empty()) result.windows[w].p99_s = percentile(values, 0.99);
  }
}

}  // namespace ridgewatt::schedule
