// Estimates time, power and energy of a workload in any power mode from a twin, without a
// measurement.
//
//   const Estimator estimator(twin, cost);            // cost: one minibatch of one batch size
//   const MinibatchCost at = estimator(mode);         // takes microseconds: kernels are summed
//                                                     // once per (GPU clock, memory clock)
//   const Breakdown why = estimator.breakdown(mode);  // seconds and joules by cause
//
// A preset that switches SMs off is evaluated with the SMs that it leaves on. A mode with a
// governor is evaluated at the clocks at which the governor settles (estimate/governor.h). A
// discrete GPU is evaluated at the highest clock at which it stays within its power limit under
// load. Breakdown::clocks has these clocks.
//
// The model (docs/methods/twin.md): on the GPU, kernel k takes
//   g_k = (c_k^3 + m_k^3)^(1/3) + kernel_cycles / f_gpu,
// where c_k is the compute time and m_k the memory time. The framework launches kernels in order
// and ahead of the GPU. Kernel k has n_k launches of l(mode) seconds each. A minibatch takes as
// long as its longest chain: all launches up to some kernel j, then the GPU time from j on:
//   T_pipe = host + uneven max_j (l sum_{k<=j} n_k + sum_{k>=j} g_k).
// `uneven` is a factor of at least 1, because the times of launches and kernels vary. Loader
// workers run in parallel to this. The period is the time from one minibatch to the next, including
// the GPU's wait for data. Power is the average over the period. The time of a job is the sum of
// its periods. Its energy is the sum of period times power.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/base/memo.h"
#include "ridgewatt/sweep/observation.h"
#include "ridgewatt/twin/minibatch_cost.h"
#include "ridgewatt/twin/twin.h"
#include "ridgewatt/workload/workload_cost.h"

namespace ridgewatt::twin {

// One layer (kernel) of the workload in one mode.
struct LayerEstimate {
  std::size_t kernel = 0;  // index in WorkloadCost::kernels
  double time_s = 0;       // part of the period; all layers, host and loader add up to it
  double energy_j = 0;     // dynamic energy, and static power over time_s
  Cause cause = Cause::kCompute;
  double gpu_s = 0;  // time on the GPU: gpu_compute_s + gpu_memory_s + overhead of the kernel
  double gpu_compute_s = 0;
  double gpu_memory_s = 0;
  double launch_s = 0;  // CPU time of the launches of this kernel
  double effective_traffic_bytes = 0;
};

class Estimator {
 public:
  // Throws UsageError if the workload has no kernels, a kernel's cost is not finite or an option is
  // negative, and NotSupportedError if the board has no rate for the precision.
  Estimator(const Twin& twin, workload::WorkloadCost cost, const RunOptions& options = {});
  Estimator(const Twin& twin, std::shared_ptr<const workload::WorkloadCost> cost,
            const RunOptions& options = {});
  ~Estimator();
  Estimator(Estimator&&) noexcept;

  // Safe to call from several threads. Absent knobs have their highest values. Throws
  // NotSupportedError for a governor that is not modelled.
  MinibatchCost operator()(const PowerMode& mode) const;
  Breakdown breakdown(const PowerMode& mode) const { return breakdown(mode, options_); }
  // The breakdown with other run options than those of the constructor.
  Breakdown breakdown(const PowerMode& mode, const RunOptions& run) const;
  // One entry per kernel, in order of execution.
  std::vector<LayerEstimate> layers(const PowerMode& mode) const;
  // Adds the time of every kernel in `mode` to `time_s`, which has one entry per kernel. For sums
  // over many modes.
  void add_layer_times(const PowerMode& mode, std::span<double> time_s) const;

  const Twin& twin() const { return twin_; }
  const workload::WorkloadCost& cost() const { return *cost_; }
  // Sustained DRAM bandwidth in a mode, bytes per second.
  double bandwidth(const PowerMode& mode) const;
  // Returns the estimator for a board with only `sms` of its SMs on, in any mode: a clock below
  // that of a preset switches no SM on. For all SMs, returns this estimator.
  const Estimator& with_sms_on(int sms) const;

 private:
  // See twin/estimate/estimator_parts.h.
  struct Rates;     // rates and traffic of the kernels, from the twin's parameters
  struct GpuState;  // kernel times summed for one GPU clock and one memory clock
  struct CpuState;  // launch, host and loader times for one CPU setting
  struct Times;     // times of one minibatch
  struct Moved;     // a twin with other parameters on the same hardware
  friend class ErrorModel;
  friend class MovedTwins;
  // Prepares `twin`, which has other parameters on the same hardware, for at_moved().
  std::unique_ptr<Moved> moved(const Twin& twin) const;
  // Returns the estimate of each twin at fixed clocks. Parts that do not differ from this
  // estimator's twin are computed once. Not safe to call from several threads with the same twins.
  std::vector<MinibatchCost> at_moved(const PowerMode& mode,
                                      std::span<const std::unique_ptr<Moved>> twins) const;
  // Whether a minibatch runs at the clocks of `mode`, unless its power exceeds the module's limit.
  bool keeps_clocks(const PowerMode& mode) const;
  // The estimator for the SMs that `mode` leaves on. Null: all SMs are on.
  const Estimator* with_fewer_sms(const PowerMode& mode) const;
  using GpuClocks = std::array<double, 2>;  // of the GPU and of the memory, in Hz
  GpuClocks gpu_clocks(const PowerMode& mode) const;
  const GpuState& gpu_state(const PowerMode& mode) const;
  // `like` is the state of this twin at the same clocks. Its unchanged parts are reused. Null:
  // every part is computed.
  std::unique_ptr<GpuState> make_gpu_state(const Rates& rates, const GpuClocks& clocks,
                                           const GpuState* like) const;
  void add_kernels(const Rates& rates, double gpu_clock_hz, const GpuState* like,
                   GpuState& state) const;
  CpuState cpu_state(const Rates& rates, const PowerMode& mode, const RunOptions& run) const;
  PowerMode clocks(const PowerMode& mode, const RunOptions& run) const;
  // hold_limit() lengthens the minibatch so that its power is within the module's limit. limit_w()
  // is the limit that firmware enforces. under_limit() returns `mode` with the GPU clock of
  // clock_under(): the highest clock up to that of `mode` at which the power is within the limit.
  void hold_limit(Breakdown& at) const;
  double limit_w(const PowerMode& mode) const;
  PowerMode under_limit(const PowerMode& mode, const RunOptions& run) const;
  double clock_under(double limit_w, const PowerMode& mode, const RunOptions& run) const;
  Breakdown once_at(double gpu_clock_hz, const PowerMode& mode, const RunOptions& run) const;
  double least_launch_share() const;
  Breakdown at_clocks(const PowerMode& clocks, const RunOptions& run) const;
  int threads(const PowerMode& mode) const;
  Breakdown on_processor(const PowerMode& mode) const;  // for a processor without a GPU
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
  double least_launch_share_ = 1;  // shortest possible / modelled launch time
  Memo<GpuClocks, GpuState> states_;
  Memo<int, Estimator> fewer_sms_;  // by the number of SMs
};

}  // namespace ridgewatt::twin
