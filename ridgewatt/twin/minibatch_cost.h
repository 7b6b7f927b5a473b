// The cost of a minibatch according to a board's twin: time, power and energy, by cause, with the
// error of the estimate. twin/estimate.h computes it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/device/power_mode.h"
#include "ridgewatt/sweep/observation.h"

#pragma GCC visibility push(default)

namespace ridgewatt::twin {

// The quantities that have an error. Arrays over them have this order.
inline constexpr std::size_t kTime = 0, kPower = 1, kEnergy = 2;
inline constexpr std::array<std::string_view, 3> kQuantities = {"time", "power", "energy"};

// The caller of an engine (TensorRT, ONNX Runtime): a C++ program, Python code that only enqueues
// the engine and waits, or a framework that checks and converts inputs and results.
enum class EngineCaller : std::size_t { kCpp, kThinPython, kFramework };
constexpr auto enum_names(EngineCaller) {
  return named<EngineCaller>({{EngineCaller::kCpp, "cpp"},
                              {EngineCaller::kThinPython, "thin-python"},
                              {EngineCaller::kFramework, "framework"}});
}

// Where the input of a run lies before its time starts: a program reads it from the host's memory
// and copies it, or it is in memory of the GPU, as in loops that time one tensor again and again.
enum class InputPlace : std::size_t { kHost, kDevice };
constexpr auto enum_names(InputPlace) {
  return named<InputPlace>({{InputPlace::kHost, "host"}, {InputPlace::kDevice, "device"}});
}

// How the workload is fed and called.
struct RunOptions {
  int loader_workers = 4;  // 0: loading does not overlap
  // The time of a worker for one sample at the highest CPU clock. Absent: the twin's own, an
  // average over data sets.
  std::optional<double> loader_s_per_sample;
  EngineCaller caller = EngineCaller::kCpp;
  bool cuda_graph = false;  // an engine's launches are recorded once and replayed as one
  InputPlace input = InputPlace::kHost;  // of PyTorch; an engine's lies where the GPU reads it
};

// A minibatch as a published sweep shows it: the median of timed minibatches, and power averaged
// over the whole run. Their product is the energy of such a sweep. It is not a share of a job.
struct TimePower {
  double time_s = 0;
  double power_w = 0;
  double energy_j() const { return time_s * power_w; }
};

// One of many minibatches that follow each other: a job of n takes n periods and n times the
// energy.
struct MinibatchCost {
  // From one minibatch to the next, the wait for data included. Inference without a data set (no
  // RunOptions::loader_s_per_sample) has its data available and does not wait.
  double period_s = 0;
  double pipe_s = 0;    // the part for launching and computing
  double median_s = 0;  // the median of timed minibatches: pipe_s if most do not wait
  double power_w = 0;   // average over the period
  double energy_j() const { return period_s * power_w; }
  double stall_s() const { return period_s - pipe_s; }
  // Only for comparison with a sweep of medians.
  TimePower timed() const { return {median_s, power_w}; }
  // For comparison with a row: the time of a row with measured energy includes every wait.
  TimePower like(const Observation& row) const {
    return row.measured_energy_j ? TimePower{period_s, power_w} : timed();
  }
};

// The causes of the time of a minibatch.
enum class Cause : std::size_t { kCompute, kMemory, kLaunch, kHost, kLoader };
constexpr auto enum_names(Cause) {
  return named<Cause>({{Cause::kCompute, "compute"},
                       {Cause::kMemory, "memory"},
                       {Cause::kLaunch, "launch"},
                       {Cause::kHost, "host"},
                       {Cause::kLoader, "loader"}});
}
inline constexpr std::size_t kCauseCount = count_of<Cause>();

// Period and energy by cause. The energy of a cause is dynamic; `static_j` is the static energy.
// Times and energies add up exactly to the totals.
struct Breakdown {
  MinibatchCost total;
  std::array<double, kCauseCount> time_s{};
  std::array<double, kCauseCount> energy_j{};
  double static_j = 0;
  // The share of the period that counts in the runs that the twin was fitted to: below 1 if their
  // waits do not count.
  double counted_share = 1;
  Cause dominant() const;  // of the period

  PowerMode clocks;         // of the minibatch: the mode, or where its governor settled
  double gpu_load = 0;      // share of the period in which kernels run
  double load_cpu_s = 0;    // CPU time of loading it
  double hand_over_s = 0;   // from loader worker to main process, with free cores
  double launch_cpu_s = 0;  // CPU time of the copy to the GPU and of launches
  double always_w = 0;      // power that is drawn even if nothing runs
  double least_s = 0;       // no minibatch is faster: the roofs of its kernels, and its launches
  double busy_core_w = 0;   // additional power of a busy core
};

// A job with a number of samples: whole minibatches, one after the other.
struct JobCost {
  double time_s = 0;
  double energy_j = 0;
};
JobCost job_cost(double period_s, double energy_j, int batch, double samples);
inline JobCost job_cost(const MinibatchCost& minibatch, int batch, double samples) {
  return job_cost(minibatch.period_s, minibatch.energy_j(), batch, samples);
}

// The error of a twin on the sweeps that it was fitted to, and on unseen workloads.
struct TwinFitError {
  // Fractions; absent: not known, as for every twin that was not fitted.
  std::optional<double> time_mape, power_mape;
  std::optional<double> unseen_time_mape, unseen_power_mape;  // mean of leave-one-workload-out
};

struct LogError {
  double sd = 0;       // scale of the logarithm
  double degrees = 0;  // of freedom of Student's t; 0: normal
  // What the value cannot be, whatever the estimate: below idle power or a roof, above the module's
  // limit.
  double least = 0;
  double most = std::numeric_limits<double>::infinity();
  // The factor by which the estimate is multiplied and divided for a central interval.
  double factor(double interval) const;
  // The estimate, and the ends of that interval, within `least` and `most`.
  double middle(double value) const { return std::clamp(value, least, most); }
  double lo(double value, double interval) const { return middle(value / factor(interval)); }
  double hi(double value, double interval) const { return middle(value * factor(interval)); }
};
using EstimateError = std::array<LogError, kQuantities.size()>;

struct Bounded {
  double value = 0, lo = 0, hi = 0;
};
// Time, power and energy within what is possible, with the ends of their central intervals: the one
// place that cuts them. Energy lies within the products of the ends of time and power.
std::array<Bounded, kQuantities.size()> bounded(const MinibatchCost& cost,
                                                const EstimateError& error, double interval);

}  // namespace ridgewatt::twin

#pragma GCC visibility pop
