// Sums of a simulation: energy in bins of time, and training in windows.
#pragma once

#include <span>
#include <vector>

#include "ridgewatt/schedule/simulate.h"

namespace ridgewatt::schedule {

class Ledger {
 public:
  // `options` must outlive this.
  explicit Ledger(const SimulationOptions& options);

  // Adds idle power from the `end_s` of the previous call until `end_s`.
  void count_idle(double end_s, double idle_w);
  // Adds the power of a running minibatch above idle power.
  void count_busy(double start_s, double end_s, double above_w);
  // Adds background work in [start, end): the share `share` of a round to the windows, and `ended`
  // completed rounds.
  void count_training(double start_s, double end_s, double share, double ended);
  // Fills in energy, power, windows and derived values.
  void add_to(Simulation& result) const;

 private:
  std::size_t bin_count(double bin_s) const;
  void spread(double start_s, double end_s, double power_w);

  const SimulationOptions& options_;
  std::vector<double> bins_j_;
  std::vector<Window> windows_;
  double idle_from_s_ = 0, busy_s_ = 0, training_minibatches_ = 0;
};

// Fills in the latency statistics, in total and per window. `result` must contain latencies_s and
// windows. Percentiles use the nearest rank.
void add_latency_statistics(std::span<const double> arrivals, const SimulationOptions& options,
                            Simulation& result);

}  // namespace ridgewatt::schedule
