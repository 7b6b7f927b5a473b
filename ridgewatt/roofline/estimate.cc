#include "ridgewatt/roofline/estimate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ridgewatt/base/error.h"

namespace ridgewatt {
namespace {

using P = TwinParam;

// Ratio by which reduced precision speeds an operator class up: by peaks, not validated.
double fp_speedup(const Twin& twin, const WorkloadCost& cost, OpClass op_class) {
  if (cost.precision != "fp16" && cost.precision != "bf16") return 1;
  switch (op_class) {
    case OpClass::kConv:
      return twin.conv_fp16_speedup;
    case OpClass::kGemm:
    case OpClass::kRecurrent:
    case OpClass::kAttention:
      return twin.gemm_fp16_speedup;
    default:
      return 1;
  }
}

double int_speedup(const Twin& twin, OpClass op_class) {
  return op_class == OpClass::kConv ? twin.conv_int8_speedup : twin.gemm_int8_speedup;
}

struct ClassFactors {
  double rate = 1;     // share of the FP32 peak
  double traffic = 1;  // bytes moved over bytes counted
};

ClassFactors class_factors(const Twin& t, const KernelCost& kernel) {
  const bool backward = kernel.phase == Phase::kBackward;
  const double window = std::max(kernel.window, 1.0);
  switch (kernel.op_class) {
    case OpClass::kConv: {
      // Beyond 3x3 the further reads stay in the cache.
      const double window_share = (std::min(window, 9.0) - 1) / 8;
      const double reads =
          1 + window_share * t[backward ? P::kConvBackwardWindowTraffic : P::kConvWindowTraffic];
      return {t[P::kConvRate] * (backward ? t[P::kConvBackwardRatio] : 1),
              t[P::kConvTraffic] * (backward ? t[P::kConvBackwardTraffic] : 1) * reads};
    }
    case OpClass::kDepthwiseConv: {
      if (backward) {
        return {t[P::kDepthwiseRate] * t[P::kDepthwiseBackwardRatio],
                t[P::kConvTraffic] * t[P::kConvBackwardTraffic] * t[P::kDepthwiseBackwardTraffic]};
      }
      return {t[P::kDepthwiseRate], t[P::kConvTraffic] * t[P::kDepthwiseTraffic] *
                                        (1 + t[P::kDepthwiseWindowTraffic] * (window - 1) / 8)};
    }
    case OpClass::kGemm:
    case OpClass::kRecurrent:
    case OpClass::kAttention:
      return {t[P::kGemmRate], t[P::kConvTraffic]};
    default:
      return {t[P::kVectorRate], t[P::kVectorTraffic]};
  }
}

double launch_ratio(const Twin& t, Phase phase) {
  switch (phase) {
    case Phase::kBackward:
      return t[P::kLaunchBackwardRatio];
    case Phase::kOptimizer:
      return t[P::kLaunchOptimizerRatio];
    case Phase::kForward:
      break;
  }
  return 1;
}

double square(double x) {
  return x * x;
}
double cube(double x) {
  return x * x * x;
}

}  // namespace

std::string_view cause_name(Cause cause) {
  switch (cause) {
    case Cause::kCompute:
      return "compute";
    case Cause::kMemory:
      return "memory";
    case Cause::kLaunch:
      return "launch";
    case Cause::kHost:
      return "host";
    case Cause::kLoader:
      return "loader";
    case Cause::kCount:
      break;
  }
  return "";
}

Cause Breakdown::dominant() const {
  return static_cast<Cause>(std::max_element(time_s.begin(), time_s.end()) - time_s.begin());
}

// Per kernel, what does not depend on the mode.
struct Estimator::Terms {
  std::vector<double> compute_cycles;  // GPU cycles when compute bound
  std::vector<double> traffic_bytes;   // really moved
  std::vector<double> energy_flop;     // FLOP weighted by what one costs
  std::vector<double> launches;        // in forward launches
  std::vector<double> launches_until;  // prefix sums, inclusive
  std::vector<double> fixed_cycles;    // GPU cycles beside the work
  double total_energy_flop = 0;
  double total_traffic_bytes = 0;

  Terms(const Twin& twin, const WorkloadCost& cost);
};

Estimator::Terms::Terms(const Twin& twin, const WorkloadCost& cost) {
  double launched = 0;
  for (const auto& kernel : cost.kernels) {
    const auto [rate, traffic] = class_factors(twin, kernel);
    const double speedup = fp_speedup(twin, cost, kernel.op_class);
    const double fill =
        kernel.output_elements > 0 ? 1 + twin[P::kFillElements] / kernel.output_elements : 1;
    const double flop =
        kernel.work_flop / speedup + kernel.work_int_op / int_speedup(twin, kernel.op_class);
    const double cycles = flop / (rate * twin.flop_per_cycle) * fill;
    const double bytes = kernel.traffic_bytes() * traffic;
    if (!(cycles >= 0) || !(bytes >= 0) || !std::isfinite(cycles + bytes) || kernel.launches < 0) {
      throw UsageError("the cost of a kernel is not known", kernel.name,
                       "bind every symbolic dimension of the model");
    }
    compute_cycles.push_back(cycles);
    traffic_bytes.push_back(bytes);
    energy_flop.push_back(flop);
    launches.push_back(kernel.launches * launch_ratio(twin, kernel.phase));
    launched += launches.back();
    launches_until.push_back(launched);
    fixed_cycles.push_back(kernel.launches * twin[P::kKernelCycles]);
    total_energy_flop += flop;
    total_traffic_bytes += bytes;
  }
}

// A corner of the longest-chain envelope: launches up to and with kernel `kernel`, then the GPU.
struct Corner {
  double launches = 0;  // launched so far
  double gpu_s = 0;     // GPU time from this kernel on
  double compute_s = 0;
  double memory_s = 0;
  double fixed_s = 0;
  std::size_t kernel = 0;
};

struct Estimator::GpuState {
  double relative_clock = 1;
  double mem_relative_clock = 1;
  double voltage_squared = 1;
  double mem_clock_hz = 0;
  double bandwidth = 0;
  std::vector<double> gpu_s;          // per kernel
  std::vector<double> compute_share;  // of gpu_s less the fixed part
  std::vector<double> fixed_s;
  double total_s = 0, compute_s = 0, memory_s = 0;
  std::vector<Corner> corners;        // from few launches to many
  std::vector<double> corner_from_s;  // launch time from which a corner is the longest chain

  const Corner& corner(double launch_s) const {
    const auto after = std::upper_bound(corner_from_s.begin(), corner_from_s.end(), launch_s);
    return corners[static_cast<std::size_t>(after - corner_from_s.begin()) - 1];
  }
  void build_envelope(const std::vector<Corner>& chains);
};

// Upper envelope of the lines gpu_s + launches x launch_s over launch_s >= 0 (the convex hull
// trick): chains come with rising slope and falling intercept.
void Estimator::GpuState::build_envelope(const std::vector<Corner>& chains) {
  for (const auto& chain : chains) {
    double from = 0;
    while (!corners.empty()) {
      const auto& last = corners.back();
      if (chain.launches <= last.launches) {
        from = std::numeric_limits<double>::infinity();  // never longer
        break;
      }
      from = std::max(0.0, (last.gpu_s - chain.gpu_s) / (chain.launches - last.launches));
      if (from > corner_from_s.back()) break;
      corners.pop_back();
      corner_from_s.pop_back();
    }
    if (std::isinf(from)) continue;
    if (corners.empty()) from = 0;
    corners.push_back(chain);
    corner_from_s.push_back(from);
  }
}

struct Estimator::CpuState {
  double cores = 1;
  double relative_clock = 1;
  double voltage_squared = 1;
  double launch_s = 0;     // one forward launch
  double host_s = 0;       // before the first launch
  double load_s = 0;       // loader's time for the minibatch
  double load_core_s = 0;  // CPU time that it takes
};

Estimator::Estimator(const Twin& twin, WorkloadCost cost, const RunOptions& options)
    : Estimator(twin, std::make_shared<const WorkloadCost>(std::move(cost)), options) {}

Estimator::Estimator(const Twin& twin, std::shared_ptr<const WorkloadCost> cost,
                     const RunOptions& options)
    : twin_(twin),
      cost_(std::move(cost)),
      options_(options),
      mutex_(std::make_unique<std::mutex>()) {
  if (cost_->kernels.empty()) {
    throw UsageError("the workload has no kernels", cost_->name, "is the model empty?");
  }
  if (options_.loader_workers < 0) throw UsageError("loader workers must not be negative");
  if (options_.loader_s_per_sample && !(*options_.loader_s_per_sample >= 0)) {
    throw UsageError("loader time must not be negative");
  }
  terms_ = std::make_unique<Terms>(twin_, *cost_);
}

Estimator::~Estimator() = default;
Estimator::Estimator(Estimator&&) noexcept = default;

std::unique_ptr<Estimator::GpuState> Estimator::make_gpu_state(double gpu_clock_hz,
                                                               double mem_clock_hz) const {
  auto state = std::make_unique<GpuState>();
  state->mem_clock_hz = mem_clock_hz;
  state->relative_clock = gpu_clock_hz / twin_.gpu_clock_hz;
  state->mem_relative_clock = mem_clock_hz / twin_.mem_clock_hz;
  state->voltage_squared = square(relative_voltage(state->relative_clock, twin_[P::kGpuVoltageRise],
                                                   twin_[P::kGpuVoltageKnee]));
  const double dram = twin_[P::kMemoryBandwidthShare] * twin_.bus_bytes_per_cycle * mem_clock_hz;
  const double request = twin_[P::kGpuBytesPerCycle] * gpu_clock_hz;
  state->bandwidth = 1 / std::cbrt(cube(1 / dram) + cube(1 / request));

  const std::size_t count = cost_->kernels.size();
  state->gpu_s.resize(count);
  state->compute_share.resize(count);
  state->fixed_s.resize(count);
  std::vector<Corner> chains(count);
  Corner chain;
  for (std::size_t k = count; k-- > 0;) {
    const double compute = cube(terms_->compute_cycles[k] / gpu_clock_hz);
    const double memory = cube(terms_->traffic_bytes[k] / state->bandwidth);
    const double work_s = std::cbrt(compute + memory);
    const double share = compute + memory > 0 ? compute / (compute + memory) : 1;
    const double fixed_s = terms_->fixed_cycles[k] / gpu_clock_hz;
    state->gpu_s[k] = work_s + fixed_s;
    state->compute_share[k] = share;
    state->fixed_s[k] = fixed_s;
    chain.gpu_s += work_s + fixed_s;
    chain.compute_s += work_s * share;
    chain.memory_s += work_s * (1 - share);
    chain.fixed_s += fixed_s;
    chain.launches = terms_->launches_until[k];
    chain.kernel = k;
    chains[k] = chain;
  }
  state->total_s = chain.gpu_s;
  state->compute_s = chain.compute_s;
  state->memory_s = chain.memory_s;
  state->build_envelope(chains);
  return state;
}

const Estimator::GpuState& Estimator::gpu_state(double gpu_clock_hz, double mem_clock_hz) const {
  const std::lock_guard lock(*mutex_);
  auto& state = states_[{gpu_clock_hz, mem_clock_hz}];
  if (!state) state = make_gpu_state(gpu_clock_hz, mem_clock_hz);
  return *state;
}

Estimator::CpuState Estimator::cpu_state(const PowerMode& mode) const {
  const auto& t = twin_;
  CpuState state;
  const double clock_hz = mode.has(Knob::kCpuClock) ? mode.cpu_clock_hz : t.cpu_clock_hz;
  const double mem_hz = mode.has(Knob::kMemClock) ? mode.mem_clock_hz : t.mem_clock_hz;
  state.cores = mode.has(Knob::kCpuCores) ? mode.cpu_cores : t.cpu_cores;
  state.relative_clock = clock_hz / t.cpu_clock_hz;
  state.voltage_squared =
      square(relative_voltage(state.relative_clock, t[P::kCpuVoltageRise], t[P::kCpuVoltageKnee]));
  const double core_penalty = 1 + t[P::kLaunchCorePenalty] * square(4 / state.cores);
  state.launch_s =
      core_penalty * t[P::kLaunchCycles] / clock_hz + t[P::kLaunchMemoryCycles] / mem_hz;
  state.host_s =
      (t[P::kHostCyclesPerByte] * cost_->input_bytes + t[P::kHostCyclesPerBatch]) / clock_hz;
  const bool training = cost_->kind == WorkloadKind::kTraining;
  const double cycles = options_.loader_s_per_sample
                            ? *options_.loader_s_per_sample * t.cpu_clock_hz
                            : t[training ? P::kTrainingLoaderCycles : P::kInferenceLoaderCycles];
  state.load_core_s = cycles * cost_->batch / clock_hz;
  // One core is the launching thread's; on a single core the loader gets half of it.
  const double parallel =
      options_.loader_workers == 0
          ? 1
          : std::min<double>(options_.loader_workers, std::max(state.cores - 1, 0.5));
  state.load_s = state.load_core_s / parallel;
  return state;
}

Breakdown Estimator::combine(const GpuState& gpu, const CpuState& cpu) const {
  const auto& t = twin_;
  const Corner& chain = gpu.corner(cpu.launch_s);
  const double launched_s = chain.launches * cpu.launch_s;
  const double pipe_s = cpu.host_s + launched_s + chain.gpu_s;
  const double time_s = options_.loader_workers == 0 ? pipe_s + cpu.load_s
                                                     : std::cbrt(cube(pipe_s) + cube(cpu.load_s));
  Breakdown result;
  auto& time = result.time_s;
  const auto at = [](Cause cause) { return static_cast<std::size_t>(cause); };
  time[at(Cause::kCompute)] = chain.compute_s;
  time[at(Cause::kMemory)] = chain.memory_s;
  time[at(Cause::kLaunch)] = launched_s + chain.fixed_s;
  time[at(Cause::kHost)] = cpu.host_s;
  time[at(Cause::kLoader)] = time_s - pipe_s;

  const double gpu_power = gpu.relative_clock * gpu.voltage_squared;
  const double cpu_power = cpu.relative_clock * cpu.voltage_squared;
  const double busy_w = t[P::kGpuBusyPower] * gpu_power;
  const double thread_w = t[P::kCpuBusyPower] * cpu_power;
  auto& energy = result.energy_j;
  energy[at(Cause::kCompute)] =
      terms_->total_energy_flop * t[P::kEnergyPerFlop] * gpu.voltage_squared +
      busy_w * gpu.compute_s;
  energy[at(Cause::kMemory)] =
      terms_->total_traffic_bytes * t[P::kEnergyPerByte] + busy_w * gpu.memory_s;
  energy[at(Cause::kLaunch)] =
      busy_w * (gpu.total_s - gpu.compute_s - gpu.memory_s) + thread_w * (time_s - cpu.host_s);
  energy[at(Cause::kHost)] = thread_w * cpu.host_s;
  energy[at(Cause::kLoader)] =
      t[P::kCpuLoaderPower] * cpu_power * std::min(cpu.load_core_s, cpu.cores * time_s);
  const double static_w = t[P::kBasePower] + t[P::kMemoryClockPower] * gpu.mem_relative_clock +
                          cpu.cores * t[P::kCpuCoreLeakage] * cpu.voltage_squared +
                          t[P::kGpuLeakage] * gpu.voltage_squared;
  result.static_j = static_w * time_s + t[P::kGpuClockPower] * gpu_power * pipe_s;
  double energy_j = result.static_j;
  for (const double part : energy) energy_j += part;
  result.total = {time_s, energy_j / time_s};
  return result;
}

Breakdown Estimator::breakdown(const PowerMode& mode) const {
  if (!mode.governor.empty()) {
    throw UsageError("a twin knows fixed clocks only, not a governor", mode.governor);
  }
  const double gpu_hz = mode.has(Knob::kGpuClock) ? mode.gpu_clock_hz : twin_.gpu_clock_hz;
  const double mem_hz = mode.has(Knob::kMemClock) ? mode.mem_clock_hz : twin_.mem_clock_hz;
  return combine(gpu_state(gpu_hz, mem_hz), cpu_state(mode));
}

TimePower Estimator::operator()(const PowerMode& mode) const {
  return breakdown(mode).total;
}

double Estimator::bandwidth(const PowerMode& mode) const {
  const double gpu_hz = mode.has(Knob::kGpuClock) ? mode.gpu_clock_hz : twin_.gpu_clock_hz;
  const double mem_hz = mode.has(Knob::kMemClock) ? mode.mem_clock_hz : twin_.mem_clock_hz;
  return gpu_state(gpu_hz, mem_hz).bandwidth;
}

void Estimator::add_layer_times(const PowerMode& mode, std::span<double> time_s) const {
  const double gpu_hz = mode.has(Knob::kGpuClock) ? mode.gpu_clock_hz : twin_.gpu_clock_hz;
  const double mem_hz = mode.has(Knob::kMemClock) ? mode.mem_clock_hz : twin_.mem_clock_hz;
  const GpuState& gpu = gpu_state(gpu_hz, mem_hz);
  const CpuState cpu = cpu_state(mode);
  // Before the corner the launches are on the longest chain, after it the GPU.
  const std::size_t corner = gpu.corner(cpu.launch_s).kernel;
  for (std::size_t k = 0; k <= corner; ++k) time_s[k] += terms_->launches[k] * cpu.launch_s;
  for (std::size_t k = corner; k < time_s.size(); ++k) time_s[k] += gpu.gpu_s[k];
}

std::vector<LayerEstimate> Estimator::layers(const PowerMode& mode) const {
  const Breakdown whole = breakdown(mode);
  const double gpu_hz = mode.has(Knob::kGpuClock) ? mode.gpu_clock_hz : twin_.gpu_clock_hz;
  const double mem_hz = mode.has(Knob::kMemClock) ? mode.mem_clock_hz : twin_.mem_clock_hz;
  const GpuState& gpu = gpu_state(gpu_hz, mem_hz);
  std::vector<double> time_s(cost_->kernels.size(), 0.0);
  add_layer_times(mode, time_s);
  const double busy_w = twin_[P::kGpuBusyPower] * gpu.relative_clock * gpu.voltage_squared;
  const std::size_t corner = gpu.corner(cpu_state(mode).launch_s).kernel;
  // What is not a kernel's own dynamic energy is spent for time.
  double own_j = 0;
  std::vector<LayerEstimate> layers(time_s.size());
  for (std::size_t k = 0; k < layers.size(); ++k) {
    auto& layer = layers[k];
    layer.kernel = k;
    layer.time_s = time_s[k];
    layer.gpu_s = gpu.gpu_s[k];
    layer.effective_traffic_bytes = terms_->traffic_bytes[k];
    layer.energy_j = terms_->energy_flop[k] * twin_[P::kEnergyPerFlop] * gpu.voltage_squared +
                     terms_->traffic_bytes[k] * twin_[P::kEnergyPerByte] + busy_w * gpu.gpu_s[k];
    own_j += layer.energy_j;
    const double work_s = gpu.gpu_s[k] - gpu.fixed_s[k];
    if (k < corner || gpu.fixed_s[k] > work_s) {
      layer.cause = Cause::kLaunch;
    } else {
      layer.cause = gpu.compute_share[k] >= 0.5 ? Cause::kCompute : Cause::kMemory;
    }
  }
  const double time_w = (whole.total.energy_j() - own_j) / whole.total.time_s;
  for (auto& layer : layers) layer.energy_j += time_w * layer.time_s;
  return layers;
}

}  // namespace ridgewatt
