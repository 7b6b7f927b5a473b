// Time, power and energy of a workload on any power mode, from a twin: no profiling.
//
//   const Estimator estimator(twin, cost);            // cost: one minibatch of one batch size
//   const MinibatchCost at = estimator(mode);         // microseconds: kernels are summed once a
//                                                     // (GPU clock, memory clock)
//   const Breakdown why = estimator.breakdown(mode);  // seconds and joules by cause
// A mode with a governor is run at the clocks at which it settles (governor.h), and a discrete GPU
// at the highest clock at which it holds its power limit while it works: why.clocks.
//
// The model (docs/methods/twin.md). On the GPU, kernel k takes
//   g_k = (c_k^3 + m_k^3)^(1/3) + kernel_cycles / f_gpu,   c_k compute, m_k memory time.
// The framework launches kernels in order, n_k launches of l(mode) seconds each, ahead of the GPU,
// so the minibatch ends when the longest chain does: launches up to some kernel, then the GPU:
//   T_pipe = host + uneven max_j (l sum_{k<=j} n_k + sum_{k>=j} g_k).
// Loader workers overlap: from one minibatch to the next it takes a period, in which the GPU may
// wait for data. Power is the average over it, so that a job takes the sum of its periods and its
// energy is the sum of period times power.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/sweep/observation.h"
#include "ridgewatt/twin/minibatch_cost.h"
#include "ridgewatt/twin/twin.h"
#include "ridgewatt/workload/workload_cost.h"

namespace ridgewatt::twin {

// One layer (kernel) of the workload in one mode.
struct LayerEstimate {
  std::size_t kernel = 0;  // index in WorkloadCost::kernels
  double time_s = 0;       // its share of the period; all layers, host and loader sum to it
  double energy_j = 0;     // dynamic energy and static power over time_s
  Cause cause = Cause::kCompute;
  double gpu_s = 0;  // what the kernel takes on the GPU, in parts:
  double gpu_compute_s = 0;
  double gpu_memory_s = 0;  // the rest is a kernel's overhead
  double launch_s = 0;      // CPU time of its launches
  double effective_traffic_bytes = 0;
};

class Estimator {
 public:
  // UsageError when the workload has no kernels or a kernel's cost is not finite.
  Estimator(const Twin& twin, workload::WorkloadCost cost, const RunOptions& options = {});
  Estimator(const Twin& twin, std::shared_ptr<const workload::WorkloadCost> cost,
            const RunOptions& options = {});
  ~Estimator();
  Estimator(Estimator&&) noexcept;

  // Safe to call from several threads. Absent knobs count as the highest; NotSupportedError for a
  // governor that is not modelled.
  MinibatchCost operator()(const PowerMode& mode) const;
  Breakdown breakdown(const PowerMode& mode) const { return breakdown(mode, options_); }
  // The same, fed in another way.
  Breakdown breakdown(const PowerMode& mode, const RunOptions& run) const;
  std::vector<LayerEstimate> layers(const PowerMode& mode) const;
  // Adds every kernel's time in `mode` to `time_s` (one entry per kernel): detail over many modes.
  void add_layer_times(const PowerMode& mode, std::span<double> time_s) const;

  const Twin& twin() const { return twin_; }
  const workload::WorkloadCost& cost() const { return *cost_; }
  // Sustained bytes per second of DRAM in a mode.
  double bandwidth(const PowerMode& mode) const;

 private:
  // See twin/estimate/estimator_parts.h.
  struct Rates;     // what the twin's parameters make of the workload
  struct GpuState;  // kernels summed for one GPU and memory clock
  struct CpuState;  // launch, host and loader for one CPU setting
  struct Times;     // of a minibatch
  struct Moved;     // another twin
  friend class ErrorModel;
  // For at_moved(): a twin with other parameters, on the same hardware.
  std::unique_ptr<Moved> moved(const Twin& twin) const;
  // What each of the twins says at fixed clocks. What they agree in with this one is computed once.
  // Not safe to call from several threads with the same twins.
  std::vector<MinibatchCost> at_moved(const PowerMode& mode,
                                      std::span<const std::unique_ptr<Moved>> twins) const;
  std::pair<double, double> gpu_clocks(const PowerMode& mode) const;
  const GpuState& gpu_state(const PowerMode& mode) const;
  // `like`: this twin's at the same clocks, of which a moved twin's is made; null: this twin's.
  std::unique_ptr<GpuState> make_gpu_state(const Rates& rates, double gpu_clock_hz,
                                           double mem_clock_hz, const GpuState* like) const;
  void add_kernels(const Rates& rates, double gpu_clock_hz, const GpuState* like,
                   GpuState& state) const;
  CpuState cpu_state(const Rates& rates, const PowerMode& mode, const RunOptions& run) const;
  PowerMode clocks(const PowerMode& mode, const RunOptions& run) const;
  // Where firmware holds a power limit: it, the clocks that it leaves, and how many times the
  // relative error of a lowered clock's power is in the time.
  double limit_w(const PowerMode& mode) const;
  PowerMode under_limit(const PowerMode& mode, const RunOptions& run) const;
  double time_over_limit(const Breakdown& at) const;
  Breakdown once_at(double gpu_clock_hz, const PowerMode& mode, const RunOptions& run) const;
  double least_launch_share() const;
  Breakdown at_clocks(const PowerMode& clocks, const RunOptions& run) const;
  int threads(const PowerMode& mode) const;
  Breakdown on_processor(const PowerMode& mode) const;  // of a twin of a processor
  std::vector<LayerEstimate> layers_on_processor(const PowerMode& mode) const;
  static double uneven(const Rates& rates, const GpuState& gpu, const CpuState& cpu);
  Times times(const Rates& rates, const GpuState& gpu, const CpuState& cpu) const;
  double median_s(const CpuState& cpu, double pipe_s, double period_s) const;
  Breakdown combine(const Rates& rates, const GpuState& gpu, const CpuState& cpu,
                    const Times& times) const;

  Twin twin_;
  std::shared_ptr<const workload::WorkloadCost> cost_;
  RunOptions options_;
  std::unique_ptr<const Rates> rates_;
  double least_launch_share_ = 1;  // what no launch is faster than, over what one takes
  mutable std::unique_ptr<std::mutex> mutex_;
  mutable std::map<std::pair<double, double>, std::unique_ptr<GpuState>> states_;
};

}  // namespace ridgewatt::twin
