// The estimated cost of a minibatch on a board: time, power and energy, by cause, with the error of
// the estimate. Estimator (estimate.h) computes it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/device/power_mode.h"
#include "ridgewatt/sweep/observation.h"

#pragma GCC visibility push(default)

namespace ridgewatt::twin {

class Estimator;

// Quantities with an error, and their indices in arrays.
inline constexpr std::size_t kTime = 0, kPower = 1, kEnergy = 2;
inline constexpr std::array<std::string_view, 3> kQuantities = {"time", "power", "energy"};

// The program that calls an engine (TensorRT, ONNX Runtime): a C++ program, Python code that only
// enqueues the engine and waits, or a framework that also checks and converts inputs and results.
enum class EngineCaller : std::size_t { kCpp, kThinPython, kFramework };
constexpr auto enum_names(EngineCaller) {
  return named<EngineCaller>({{EngineCaller::kCpp, "cpp"},
                              {EngineCaller::kThinPython, "thin-python"},
                              {EngineCaller::kFramework, "framework"}});
}

// Where the input is when the measured time starts: in host memory, from which the program copies
// it, or in GPU memory, as in loops that use one tensor repeatedly.
enum class InputPlace : std::size_t { kHost, kDevice };
constexpr auto enum_names(InputPlace) {
  return named<InputPlace>({{InputPlace::kHost, "host"}, {InputPlace::kDevice, "device"}});
}

// How data is loaded and how the model is called.
struct RunOptions {
  int loader_workers = 4;  // 0: loading does not overlap
  // Time of a worker for one sample at the highest CPU clock. Absent: the twin's value, an average
  // over data sets.
  std::optional<double> loader_s_per_sample;
  EngineCaller caller = EngineCaller::kCpp;
  bool cuda_graph = false;  // the launches of an engine are replayed as one CUDA graph
  // Only for PyTorch. Engines are modelled without a copy of the input.
  InputPlace input = InputPlace::kHost;
  // Other programs of a schedule, whose loader workers use the same cores.
  std::vector<std::shared_ptr<const Estimator>> others = {};
};

// The figures that a published sweep states for a minibatch: the median of timed minibatches, and
// power averaged over the whole run. Do not use it to compute the cost of a job.
struct TimePower {
  double time_s = 0;
  double power_w = 0;
  double energy_j() const { return time_s * power_w; }
};

// One of many consecutive minibatches. A job of n minibatches needs n times this period and n times
// this energy.
struct MinibatchCost {
  // Time from one minibatch to the next, including the wait for data. Inference with loader workers
  // but without RunOptions::loader_s_per_sample is assumed to have its data ready and does not
  // wait.
  double period_s = 0;
  double pipe_s = 0;    // part of the period for launches and computation
  double median_s = 0;  // median of timed minibatches: pipe_s if most of them do not wait for data
  double power_w = 0;   // average over the period
  double energy_j() const { return period_s * power_w; }
  double stall_s() const { return period_s - pipe_s; }
  // For comparison with a sweep of medians only.
  TimePower timed() const { return {median_s, power_w}; }
  // For comparison with a row of a sweep. If the row has measured energy, its time includes all
  // waits.
  TimePower like(const Observation& row) const {
    return row.measured_energy_j ? TimePower{period_s, power_w} : timed();
  }
};

// The causes of a minibatch's time.
enum class Cause : std::size_t { kCompute, kMemory, kLaunch, kHost, kLoader };
constexpr auto enum_names(Cause) {
  return named<Cause>({{Cause::kCompute, "compute"},
                       {Cause::kMemory, "memory"},
                       {Cause::kLaunch, "launch"},
                       {Cause::kHost, "host"},
                       {Cause::kLoader, "loader"}});
}
inline constexpr std::size_t kCauseCount = count_of<Cause>();

// Period and energy by cause. `energy_j` holds dynamic energy; `static_j` is the static energy. The
// parts add up exactly to the totals.
struct Breakdown {
  MinibatchCost total;
  std::array<double, kCauseCount> time_s{};
  std::array<double, kCauseCount> energy_j{};
  double static_j = 0;
  // Share of the period that counts as time of the minibatch. Below 1 for inference without a given
  // loading time, whose waits for data do not count.
  double counted_share = 1;
  Cause dominant() const;  // the cause that takes most of the period

  // Clocks of the minibatch: those of the mode, or those at which its governor settles.
  PowerMode clocks;
  int sms = 0;              // SMs that are on; 0: unknown, or a processor without a GPU
  double free_gpu_hz = 0;   // GPU clock without a power limit
  double free_w = 0;        // average power without the module's power limit
  double held = 1;          // factor on the time due to that limit
  double gpu_load = 0;      // share of the period in which kernels run
  double load_cpu_s = 0;    // CPU time to load the minibatch
  double hand_over_s = 0;   // from loader worker to main process, if cores are free
  double launch_cpu_s = 0;  // CPU time of the copy to the GPU and of the launches
  double always_w = 0;      // static power, drawn even if nothing runs
  double least_s = 0;       // lower bound of the time: roofs of the kernels, and launches
  double busy_core_w = 0;   // additional power of a busy core
};

// The cost of a job with a given number of samples, as whole consecutive minibatches.
struct JobCost {
  double time_s = 0;
  double energy_j = 0;
};
JobCost job_cost(double period_s, double energy_j, int batch, double samples);
inline JobCost job_cost(const MinibatchCost& minibatch, int batch, double samples) {
  return job_cost(minibatch.period_s, minibatch.energy_j(), batch, samples);
}

// Mean absolute percentage errors (MAPE) of a twin: on the sweeps of its fit, and on unseen
// workloads.
struct TwinFitError {
  // Fractions. Absent: not known, as for a twin that was not fitted.
  std::optional<double> time_mape, power_mape;
  std::optional<double> unseen_time_mape, unseen_power_mape;  // mean of leave-one-workload-out
};

// Error of one quantity as the distribution of ln(measured / estimate).
struct LogError {
  double sd = 0;       // scale of the distribution above the estimate
  double degrees = 0;  // degrees of freedom of Student's t; 0: normal distribution
  // Physical limits of the value. For power, they are idle power and the power limit; for time,
  // `least` is the lower bound by the roofs.
  double least = 0;
  double most = std::numeric_limits<double>::infinity();
  double below = 1;  // scale below the estimate, divided by `sd`
  // The central interval is from estimate / factor_below to estimate * factor. `interval` is its
  // probability, for example 0.9.
  double factor(double interval) const;
  double factor_below(double interval) const;
  // Adds independent errors with these scales above and below the estimate.
  void add(double above, double under);
  // The estimate and the ends of the interval, cut to [`least`, `most`].
  double middle(double value) const { return std::clamp(value, least, most); }
  double lo(double value, double interval) const { return middle(value / factor_below(interval)); }
  double hi(double value, double interval) const { return middle(value * factor(interval)); }
};
using EstimateError = std::array<LogError, kQuantities.size()>;

struct Bounded {
  double value = 0, lo = 0, hi = 0;
};
// Returns time, power and energy with their central intervals, cut at the physical limits. The
// interval of the energy lies within the products of the ends of time and power.
std::array<Bounded, kQuantities.size()> bounded(const MinibatchCost& cost,
                                                const EstimateError& error, double interval);

}  // namespace ridgewatt::twin

#pragma GCC visibility pop
