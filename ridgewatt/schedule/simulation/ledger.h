// What a simulation adds up while it runs: energy by bins of power, and training by windows.
#pragma once

#include <span>
#include <vector>

#include "ridgewatt/schedule/simulate.h"

namespace ridgewatt::schedule {

class Ledger {
 public:
  // `options` must outlive it.
  explicit Ledger(const SimulationOptions& options);

  // Power while nothing runs, from where it was counted last to `end_s`.
  void count_idle(double end_s, double idle_w);
  // What runs draws above that.
  void count_busy(double start_s, double end_s, double above_w);
  // Background work over [start, end): `share` of it by window, `ended` rounds of it are complete.
  void count_training(double start_s, double end_s, double share, double ended);
  // Energy, power, windows and what follows from them.
  void add_to(Simulation& result) const;

 private:
  std::size_t bin_count(double bin_s) const;
  void spread(double start_s, double end_s, double power_w);

  const SimulationOptions& options_;
  std::vector<double> bins_j_;
  std::vector<Window> windows_;
  double idle_from_s_ = 0, busy_s_ = 0, training_minibatches_ = 0;
};

// Latencies of the requests that were served, of all and by window: `result` has latencies_s and
// windows. Percentiles are of the nearest rank.
void add_latency_statistics(std::span<const double> arrivals, const SimulationOptions& options,
                            Simulation& result);

}  // namespace ridgewatt::schedule
