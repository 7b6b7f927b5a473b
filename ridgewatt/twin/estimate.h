// Time, power and energy of a workload on any power mode, from a twin: no profiling.
//
//   const Estimator estimator(twin, cost);            // cost: one minibatch of one batch size
//   const MinibatchCost at = estimator(mode);         // microseconds: kernels are summed once a
//                                                     // (GPU clock, memory clock)
//   const Breakdown why = estimator.breakdown(mode);  // seconds and joules by cause
// A mode with a governor is run at the clocks at which it settles (governor.h): why.clocks.
//
// The model (docs/methods/twin.md). On the GPU, kernel k takes
//   g_k = (c_k^3 + m_k^3)^(1/3) + kernel_cycles / f_gpu,   c_k compute, m_k memory time.
// The framework launches kernels in order, n_k launches of l(mode) seconds each, ahead of the GPU,
// so the minibatch ends when the longest chain does: launches up to some kernel, then the GPU:
//   T_pipe = host + uneven max_j (l sum_{k<=j} n_k + sum_{k>=j} g_k).
// Loader workers overlap: from one minibatch to the next it takes a period, in which the GPU may
// wait for data. Power is the average over it, so that so many periods are the time of a job and so
// many times period and power its energy.
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
#include "ridgewatt/twin/twin.h"
#include "ridgewatt/workload/workload_cost.h"

namespace ridgewatt::twin {

// How the workload is fed.
struct RunOptions {
  int loader_workers = 4;  // 0: loading does not overlap
  // What a worker takes for one sample at the highest CPU clock. Nothing: the twin's own, an
  // average over data sets.
  std::optional<double> loader_s_per_sample;
  bool python_caller = false;  // an engine (TensorRT, ONNX Runtime) is called from Python, not C++
};

// A minibatch as a published sweep shows it: the median of timed minibatches, and power averaged
// over the whole run. Their product is what such a sweep calls its energy. It is no share of a job.
struct TimePower {
  double time_s = 0;
  double power_w = 0;
  double energy_j() const { return time_s * power_w; }
};

// One of many minibatches that follow each other: a job of n takes n periods and n times the
// energy.
struct MinibatchCost {
  // From one minibatch to the next, the wait for data included. Inference without a data set (no
  // RunOptions::loader_s_per_sample) is of data that is there and waits for nothing.
  double period_s = 0;
  double pipe_s = 0;    // of it, launching and computing
  double median_s = 0;  // what a median of timed minibatches shows: pipe_s where most do not wait
  double power_w = 0;   // average over the period
  double energy_j() const { return period_s * power_w; }
  double stall_s() const { return period_s - pipe_s; }
  // To compare with a sweep of medians and with nothing else.
  TimePower timed() const { return {median_s, power_w}; }
  // To compare with a row: one with its measured energy has every wait in its time, too.
  TimePower like(const Observation& row) const {
    return row.measured_energy_j ? TimePower{period_s, power_w} : timed();
  }
};

// What the time of a minibatch goes to.
enum class Cause : std::size_t { kCompute, kMemory, kLaunch, kHost, kLoader };
constexpr auto enum_names(Cause) {
  return named<Cause>({{Cause::kCompute, "compute"},
                       {Cause::kMemory, "memory"},
                       {Cause::kLaunch, "launch"},
                       {Cause::kHost, "host"},
                       {Cause::kLoader, "loader"}});
}
inline constexpr std::size_t kCauseCount = count_of<Cause>();

// Period and energy by cause. Energy of a cause is the dynamic energy of what it does; `static_j`
// is what is spent for time alone. Both sum to the whole exactly.
struct Breakdown {
  MinibatchCost total;
  std::array<double, kCauseCount> time_s{};
  std::array<double, kCauseCount> energy_j{};
  double static_j = 0;
  // Of the period of the runs that the twin was fitted on: below 1 where their waits do not count.
  double counted_share = 1;
  Cause dominant() const;  // of the period

  PowerMode clocks;         // what the minibatch ran at: the mode, or where its governor settled
  double gpu_load = 0;      // share of the period in which kernels run
  double load_cpu_s = 0;    // CPU time of loading it
  double launch_cpu_s = 0;  // CPU time of handing it over and launching
  double always_w = 0;      // power whether or not anything runs
  double busy_core_w = 0;   // on top, of a core that runs
};

// A job of so many samples: whole minibatches, one after the other.
struct JobCost {
  double time_s = 0;
  double energy_j = 0;
};
JobCost job_cost(double period_s, double energy_j, int batch, double samples);
inline JobCost job_cost(const MinibatchCost& minibatch, int batch, double samples) {
  return job_cost(minibatch.period_s, minibatch.energy_j(), batch, samples);
}

// One layer (kernel) of the workload in one mode.
struct LayerEstimate {
  std::size_t kernel = 0;  // index in WorkloadCost::kernels
  double time_s = 0;       // its share of the period; all layers, host and loader sum to it
  double energy_j = 0;     // dynamic energy and static power over time_s
  Cause cause = Cause::kCompute;
  double gpu_s = 0;  // what the kernel takes on the GPU, in parts:
  double gpu_compute_s = 0;
  double gpu_memory_s = 0;  // the rest is what a kernel takes beside its work
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
  Breakdown at_clocks(const PowerMode& clocks, const RunOptions& run) const;
  static double uneven(const Rates& rates, const GpuState& gpu, const CpuState& cpu);
  Times times(const Rates& rates, const GpuState& gpu, const CpuState& cpu) const;
  double median_s(const CpuState& cpu, double pipe_s, double period_s) const;
  Breakdown combine(const Rates& rates, const GpuState& gpu, const CpuState& cpu,
                    const Times& times) const;

  Twin twin_;
  std::shared_ptr<const workload::WorkloadCost> cost_;
  RunOptions options_;
  std::unique_ptr<const Rates> rates_;
  mutable std::unique_ptr<std::mutex> mutex_;
  mutable std::map<std::pair<double, double>, std::unique_ptr<GpuState>> states_;
};

}  // namespace ridgewatt::twin
