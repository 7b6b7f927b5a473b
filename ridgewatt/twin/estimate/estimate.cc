#include "ridgewatt/twin/estimate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/numerics/soft_maximum.h"
#include "ridgewatt/twin/carry.h"
#include "ridgewatt/twin/estimate/estimator_parts.h"
#include "ridgewatt/twin/estimate/governor.h"
#include "ridgewatt/twin/feed.h"

namespace ridgewatt::twin {
namespace {

using P = TwinParam;

double cube(double x) {
  return x * x * x;
}

// CPU cycles to load one sample. `of_photo`: cycles for a photograph of at least 224 x 224 pixels.
// Decoding and augmentation cost time per pixel; the rest costs the same for any size. The rest is
// the wait of LeNet-5 without workers: 22.0, 33.8 and 42.6 s for the 60,000 samples of MNIST (28 x
// 28) at 2.265, 1.4 and 1.479 GHz (Prashanthi et al., SIGMETRICS 2023, Section 5.1). This is 0.8 to
// 1.05 million cycles, of which the pixels are 0.1 million. One worker hides this time.
double loader_cycles(double of_photo, const workload::WorkloadCost& cost) {
  constexpr double kPhotoElements = 3 * 224 * 224;
  constexpr double kSampleCycles = 0.75e6;
  const double size = std::min(1.0, cost.input_elements / cost.batch / kPhotoElements);
  const double by_sample = std::min(kSampleCycles, of_photo);
  return by_sample + size * (of_photo - by_sample);
}

}  // namespace

Cause Breakdown::dominant() const {
  return static_cast<Cause>(std::max_element(time_s.begin(), time_s.end()) - time_s.begin());
}

JobCost job_cost(double period_s, double energy_j, int batch, double samples) {
  const double minibatches = std::ceil(samples / std::max(batch, 1));
  return {minibatches * period_s, minibatches * energy_j};
}

// Builds the upper envelope of the lines gpu_s + launches x launch_s over launch_s >= 0 (the convex
// hull trick). The chains are in order of rising slope and falling intercept.
void Estimator::GpuState::build_envelope(const std::vector<Corner>& chains) {
  for (const auto& chain : chains) {
    double from = 0;
    while (!corners.empty()) {
      const auto& last = corners.back();
      if (chain.launches <= last.launches) {
        from = std::numeric_limits<double>::infinity();  // never the longest
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

Estimator::Estimator(const Twin& twin, workload::WorkloadCost cost, const RunOptions& options)
    : Estimator(twin, std::make_shared<const workload::WorkloadCost>(std::move(cost)), options) {}

Estimator::Estimator(const Twin& twin, std::shared_ptr<const workload::WorkloadCost> cost,
                     const RunOptions& options)
    : twin_(on_runtime(twin, cost->runtime, cost->kind)),
      cost_(std::move(cost)),
      options_(options) {
  if (cost_->kernels.empty()) {
    throw UsageError("the model has no operations that take time", cost_->name,
                     "check that the model is not empty");
  }
  if (options_.loader_workers < 0)
    throw UsageError("the number of loader workers must be 0 or more");
  if (options_.loader_s_per_sample && !(*options_.loader_s_per_sample >= 0)) {
    throw UsageError("the loader time must be 0 or more");
  }
  if (twin_.cpu) return;
  rates_ = std::make_unique<const Rates>(twin_, *cost_);
  least_launch_share_ = least_launch_share();
}

// Lower end of the 90 % interval of the launch time, relative to the estimate. It covers the errors
// of the launch parameters and the error on workloads like the fitted ones.
double Estimator::least_launch_share() const {
  double variance = 0;
  for (const P param : {P::kLaunchCycles, P::kLaunchMemoryCycles, P::kLaunchFixed}) {
    variance = std::max(variance, squared(twin_.log_sd[static_cast<std::size_t>(param)]));
  }
  variance += squared(twin_.errors.scales[kTime].home);
  if (twin_.changed_by) {
    variance += squared(twin_.changed_by->log_sd[static_cast<std::size_t>(RuntimeParam::kLaunch)]);
  }
  return std::exp(-kNormal95 * std::sqrt(variance));
}

Estimator::~Estimator() = default;
Estimator::Estimator(Estimator&&) noexcept = default;

namespace {

// Seconds of a kernel without its fixed part, and the share of computation in these seconds.
std::pair<double, double> work_of(double cycles, double bytes, double clock_hz, double bandwidth) {
  const double compute = cube(cycles / clock_hz);
  const double memory = cube(bytes / bandwidth);
  return {std::cbrt(compute + memory), compute + memory > 0 ? compute / (compute + memory) : 1};
}

}  // namespace

std::unique_ptr<Estimator::GpuState> Estimator::make_gpu_state(const Rates& rates,
                                                               const GpuClocks& clocks,
                                                               const GpuState* like) const {
  const auto [gpu_clock_hz, mem_clock_hz] = clocks;
  auto state = std::make_unique<GpuState>();
  state->mem_clock_hz = mem_clock_hz;
  state->relative_clock = gpu_clock_hz / twin_.gpu_clock_hz;
  state->mem_relative_clock = mem_clock_hz / twin_.mem_clock_hz;
  state->voltage_squared = squared(relative_voltage(
      state->relative_clock, rates[P::kGpuVoltageRise], rates[P::kGpuVoltageKnee]));
  const double dram = rates[P::kMemoryBandwidthShare] * twin_.bus_bytes_per_cycle * mem_clock_hz;
  const double request = rates[P::kGpuBytesPerCycle] * gpu_clock_hz;
  state->bandwidth = 1 / soft_maximum(1 / dram, 1 / request, 3);
  add_kernels(rates, gpu_clock_hz, like, *state);
  return state;
}

// Takes the time of a kernel from `like` if both twins give the kernel the same cycles and bytes.
void Estimator::add_kernels(const Rates& rates, double gpu_clock_hz, const GpuState* like,
                            GpuState& state) const {
  const KernelTerms &terms = *rates.terms, &known = *rates_->terms;
  const bool same_bandwidth = like != nullptr && like->bandwidth == state.bandwidth;
  const std::size_t count = cost_->kernels.size();
  if (like == nullptr) {
    state.work_s.resize(count);
    state.compute_share.resize(count);
    state.fixed_s.resize(count);
  }
  const double fixed_share = options_.cuda_graph ? rates.graph_kernel_share : 1;
  std::vector<Corner> chains(count);
  Corner chain;
  for (std::size_t k = count; k-- > 0;) {
    const double fixed_s = fixed_share * terms.fixed_cycles[k] / gpu_clock_hz;
    const bool same = same_bandwidth && terms.compute_cycles[k] == known.compute_cycles[k] &&
                      terms.traffic_bytes[k] == known.traffic_bytes[k];
    const auto [work_s, share] = same ? std::pair(like->work_s[k], like->compute_share[k])
                                      : work_of(terms.compute_cycles[k], terms.traffic_bytes[k],
                                                gpu_clock_hz, state.bandwidth);
    if (like == nullptr) {
      state.work_s[k] = work_s;
      state.compute_share[k] = share;
      state.fixed_s[k] = fixed_s;
      const double peak_bytes_per_s = twin_.bus_bytes_per_cycle * state.mem_clock_hz;
      state.least_s +=
          std::max(terms.least_cycles[k] / gpu_clock_hz, terms.least_bytes[k] / peak_bytes_per_s);
    }
    chain.gpu_s += work_s + fixed_s;
    chain.compute_s += work_s * share;
    chain.memory_s += work_s * (1 - share);
    chain.fixed_s += fixed_s;
    chain.launches = terms.launches_until[k];
    chain.kernel = k;
    chains[k] = chain;
  }
  state.total_s = chain.gpu_s;
  state.compute_s = chain.compute_s;
  state.memory_s = chain.memory_s;
  state.build_envelope(chains);
}

Estimator::GpuClocks Estimator::gpu_clocks(const PowerMode& mode) const {
  return {mode.has(Knob::kGpuClock) ? mode.gpu_clock_hz : twin_.gpu_clock_hz,
          mode.has(Knob::kMemClock) ? mode.mem_clock_hz : twin_.mem_clock_hz};
}

const Estimator::GpuState& Estimator::gpu_state(const PowerMode& mode) const {
  const GpuClocks clocks = gpu_clocks(mode);
  return states_.at(clocks, [&] { return make_gpu_state(*rates_, clocks, nullptr); });
}

Estimator::CpuState Estimator::cpu_state(const Rates& t, const PowerMode& mode,
                                         const RunOptions& run) const {
  CpuState state;
  const double clock_hz = mode.has(Knob::kCpuClock) ? mode.cpu_clock_hz : twin_.cpu_clock_hz;
  const double mem_hz = mode.has(Knob::kMemClock) ? mode.mem_clock_hz : twin_.mem_clock_hz;
  state.cores = mode.has(Knob::kCpuCores) ? mode.cpu_cores : twin_.cpu_cores;
  state.relative_clock = clock_hz / twin_.cpu_clock_hz;
  state.voltage_squared =
      squared(relative_voltage(state.relative_clock, t[P::kCpuVoltageRise], t[P::kCpuVoltageKnee]));
  const double core_penalty = 1 + t[P::kLaunchCorePenalty] * squared(4 / state.cores);
  state.launch_s = core_penalty * t[P::kLaunchCycles] / clock_hz +
                   t[P::kLaunchMemoryCycles] / mem_hz + t[P::kLaunchFixed];
  if (run.input == InputPlace::kHost) {
    state.host_s =
        (t[P::kHostCyclesPerByte] * cost_->input_bytes + t[P::kHostCyclesPerBatch]) / clock_hz;
  }
  state.host_s += t.call_cycles[run.caller] / clock_hz;
  if (run.cuda_graph) {
    state.host_s += state.launch_s;  // one launch for all kernels
    state.launch_s = 0;
  }
  state.thread_s = state.host_s + t.terms->launches_until.back() * state.launch_s;
  state.workers = run.loader_workers;
  const bool training = cost_->kind == WorkloadKind::kTraining;
  const bool eager = is_eager(twin_.runtime);
  state.data_is_there = cost_->kind == WorkloadKind::kInference && !run.loader_s_per_sample &&
                        (run.loader_workers > 0 || !eager);
  // Compiled graphs and graphics cards with available data run without loader workers. The sweeps
  // of eager inference on Jetson boards had some.
  const bool alone = state.data_is_there && (twin_.discrete || !eager);
  if (run.loader_s_per_sample) {
    state.load_core_s = *run.loader_s_per_sample * twin_.cpu_clock_hz * cost_->batch / clock_hz;
  } else if (!alone) {
    // If the data is available, waits do not count as time. But the power of the sweeps includes
    // them, so the waits keep their length at the lowest CPU clock (and the fewest cores) of these
    // rows.
    const double load_hz =
        state.data_is_there ? std::max(clock_hz, twin_.home.least_cpu_hz(cost_->kind)) : clock_hz;
    const double in_process = run.loader_workers == 0 ? t[P::kInProcessLoaderRatio] : 1;
    const double of_photo =
        in_process * t[training ? P::kTrainingLoaderCycles : P::kInferenceLoaderCycles];
    state.load_core_s = loader_cycles(of_photo, *cost_) * cost_->batch / load_hz;
  }
  if (training && state.workers > 0 && run.loader_s_per_sample.value_or(1) > 0) {
    const Board::HandOver& part = twin_.hand_over;
    state.hand_over_s = (part.cycles + part.cycles_per_byte * cost_->input_bytes) /
                        twin_.cpu_clock_hz * twin_.hand_over_slowdown(mode);
  }
  // With fewer cores than threads, the launching thread waits for a core while the workers are
  // busy.
  const double crowd = alone ? 0 : std::max(0.0, 1 - state.cores / (state.workers + 1));
  if (crowd > 0 && state.workers > 0) {
    const double load = squared(state.load_core_s / std::min(state.workers, state.cores));
    state.waits = 1 + t[P::kCoreWait] * crowd * load / (load + squared(state.thread_s));
  }
  for (const auto& other : run.others) {
    if (!other->rates_) continue;  // a processor without a GPU
    state.waits =
        std::max(state.waits, other->cpu_state(*other->rates_, mode, other->options_).waits);
  }
  state.launch_s *= state.waits;
  state.host_s *= state.waits;
  return state;
}

// The times of launches and kernels vary. If launching takes about as long as the GPU work, the
// launch queue sometimes runs dry. Returns the factor on the longest chain, which assumes equal
// times.
double Estimator::uneven(const Rates& rates, const GpuState& gpu, const CpuState& cpu) {
  const Corner& chain = gpu.corner(cpu.launch_s);
  const double chain_s = chain.launches * cpu.launch_s + chain.gpu_s;
  const double shorter_s = std::min(rates.terms->launches_until.back() * cpu.launch_s, gpu.total_s);
  return std::sqrt(std::sqrt(1 + squared(squared(shorter_s / chain_s))));
}

// The median of timed minibatches. The timer of inference starts when its data is available. In
// training, the time includes the wait for data. But three or more workers, each on its own core,
// deliver in bursts, so most minibatches (and the median) do not wait.
double Estimator::median_s(const CpuState& cpu, double pipe_s, double period_s) const {
  if (cpu.workers == 0) return period_s;
  const bool crowded = cpu.cores < cpu.workers + 1;
  const bool waits_timed = cost_->kind == WorkloadKind::kTraining && (crowded || cpu.workers < 3);
  return waits_timed ? period_s : pipe_s;
}

Estimator::Times Estimator::times(const Rates& rates, const GpuState& gpu,
                                  const CpuState& cpu) const {
  const Corner& chain = gpu.corner(cpu.launch_s);
  const double stretch = uneven(rates, gpu, cpu);
  const double pipe_s = cpu.host_s + stretch * (chain.launches * cpu.launch_s + chain.gpu_s);
  const double cores = cpu.data_is_there ? std::max(cpu.cores, kLeastFedCores) : cpu.cores;
  const int workers = static_cast<int>(cpu.workers);
  const double hand_over_s = cpu.hand_over_s * crowded_hand_over(workers, cpu.cores);
  const double period_s = feed_bounds({.workers = workers,
                                       .cores = cores,
                                       .preprocess_s = cpu.load_core_s,
                                       .main_s = pipe_s + hand_over_s,
                                       .main_cpu_s = cpu.thread_s + hand_over_s})
                              .period_s(true);
  return {&chain, stretch, pipe_s, period_s};
}

Breakdown Estimator::combine(const Rates& t, const GpuState& gpu, const CpuState& cpu,
                             const Times& times) const {
  const Corner& chain = *times.chain;
  const double stretch = times.stretch, pipe_s = times.pipe_s, period_s = times.period_s;
  const double launched_s = chain.launches * cpu.launch_s;
  Breakdown result;
  auto& time = result.time_s;
  const auto at = [](Cause cause) { return static_cast<std::size_t>(cause); };
  time[at(Cause::kCompute)] = stretch * chain.compute_s;
  time[at(Cause::kMemory)] = stretch * chain.memory_s;
  time[at(Cause::kLaunch)] = stretch * (launched_s + chain.fixed_s);
  time[at(Cause::kHost)] = cpu.host_s;

  const double gpu_power = gpu.relative_clock * gpu.voltage_squared;
  const double cpu_power = cpu.relative_clock * cpu.voltage_squared;
  const double busy_w = t[P::kGpuBusyPower] * gpu_power;
  const double core_w = t[P::kCpuBusyPower] * cpu_power;
  auto& energy = result.energy_j;
  energy[at(Cause::kCompute)] =
      t.terms->total_energy_flop * t[P::kEnergyPerFlop] * gpu.voltage_squared +
      busy_w * gpu.compute_s;
  energy[at(Cause::kMemory)] =
      t.terms->total_traffic_bytes * t[P::kEnergyPerByte] + busy_w * gpu.memory_s;
  energy[at(Cause::kLaunch)] =
      busy_w * (gpu.total_s - gpu.compute_s - gpu.memory_s) + core_w * (pipe_s - cpu.host_s);
  energy[at(Cause::kHost)] = core_w * cpu.host_s;
  energy[at(Cause::kLoader)] = core_w * (cpu.load_core_s + kHandOverThreads * cpu.hand_over_s);
  const double static_w = t[P::kBasePower] + t[P::kMemoryClockPower] * gpu.mem_relative_clock +
                          cpu.cores * t[P::kCpuCoreLeakage] * cpu.voltage_squared +
                          t[P::kGpuLeakage] * gpu.voltage_squared;
  result.static_j = static_w * period_s + t[P::kGpuClockPower] * gpu_power * pipe_s;
  // Eager inference without a given data set does not wait for data, unlike the fitted runs. Only
  // the power of those runs is known, so time and energy are reduced by the same share.
  const double median = median_s(cpu, pipe_s, period_s);
  const double counted_s = cpu.data_is_there ? pipe_s : period_s;
  result.counted_share = counted_s / period_s;
  time[at(Cause::kLoader)] = counted_s - pipe_s;
  double energy_j = result.static_j *= result.counted_share;
  for (double& part : energy) energy_j += part *= result.counted_share;
  result.total = {counted_s, pipe_s, median, energy_j / counted_s};
  result.gpu_load = gpu.total_s / counted_s;
  result.load_cpu_s = cpu.data_is_there ? 0 : cpu.load_core_s;
  result.hand_over_s = cpu.hand_over_s;
  result.launch_cpu_s = cpu.thread_s;
  result.always_w = static_w;
  result.busy_core_w = core_w;
  return result;
}

Breakdown Estimator::at_clocks(const PowerMode& clocks, const RunOptions& run) const {
  const GpuState& gpu = gpu_state(clocks);
  const CpuState cpu = cpu_state(*rates_, clocks, run);
  Breakdown result = combine(*rates_, gpu, cpu, times(*rates_, gpu, cpu));
  result.clocks = clocks;
  result.sms = twin_.sms;
  result.free_w = result.total.power_w;
  const double launching_s = rates_->terms->launches_until.back() * cpu.launch_s;
  result.least_s = std::max(gpu.least_s, least_launch_share_ * launching_s);
  return result;
}

// The busiest CPU thread is a worker or the launching thread, which polls until the GPU is done.
// With fewer cores than threads, one core runs several threads in turn.
PowerMode Estimator::clocks(const PowerMode& mode, const RunOptions& run) const {
  if (twin_.discrete) return under_limit(mode, run);
  if (mode.governor.empty()) return mode;
  return settled_clocks(twin_, mode, [&](const PowerMode& clocks) {
    const Breakdown at = at_clocks(clocks, run);
    const double cores = clocks.has(Knob::kCpuCores) ? clocks.cpu_cores : twin_.cpu_cores;
    const double workers = run.loader_workers;
    const double main_s = at.total.pipe_s + at.hand_over_s;
    DomainLoad load{main_s, at.total.period_s, at.gpu_load};
    const auto busier = [&](double run_s, double cycle_s) {
      if (run_s * load.cpu_cycle_s <= load.cpu_run_s * cycle_s) return;
      load.cpu_run_s = run_s;
      load.cpu_cycle_s = cycle_s;
    };
    if (workers > 0) busier(at.load_cpu_s, workers * at.total.period_s);
    if (workers == 0) busier(main_s + at.load_cpu_s, at.total.period_s);
    if (cores < workers + 1) busier((main_s + at.load_cpu_s) / cores, at.total.period_s);
    return load;
  });
}

int Estimator::threads(const PowerMode& mode) const {
  return mode.has(Knob::kCpuCores) ? mode.cpu_cores : twin_.cpu_cores;
}

Breakdown Estimator::on_processor(const PowerMode& mode) const {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  Breakdown result;
  const auto add = [&](Cause cause, double time_s) {
    result.time_s[static_cast<std::size_t>(cause)] += time_s;
  };
  for (const auto& time : cpu_kernel_times(*twin_.cpu, *cost_, threads(mode))) {
    add(Cause::kCompute, time.compute_s);
    add(Cause::kMemory, time.memory_s);
    add(Cause::kLaunch, time.node_s);
  }
  add(Cause::kHost, cpu_fixed_s(*twin_.cpu, cost_->runtime));
  double total_s = 0;
  for (const double part : result.time_s) total_s += part;
  result.total = {total_s, total_s, total_s, kUnknown};
  result.energy_j.fill(kUnknown);
  result.free_w = result.static_j = result.always_w = result.busy_core_w = result.gpu_load =
      kUnknown;
  result.launch_cpu_s = total_s;
  result.clocks = mode;
  return result;
}

const Estimator& Estimator::with_sms_on(int sms) const {
  if (sms == twin_.sms) return *this;
  return fewer_sms_.at(sms, [&] {
    return std::make_unique<const Estimator>(with_sms(twin_, sms), cost_, options_);
  });
}

const Estimator* Estimator::with_fewer_sms(const PowerMode& mode) const {
  const int sms = twin_.sms_in(mode);
  return sms == twin_.sms ? nullptr : &with_sms_on(sms);
}

Breakdown Estimator::breakdown(const PowerMode& mode, const RunOptions& run) const {
  if (const Estimator* fewer = with_fewer_sms(mode)) return fewer->breakdown(mode, run);
  if (twin_.cpu) return on_processor(mode);
  Breakdown result = at_clocks(clocks(mode, run), run);
  result.free_gpu_hz = gpu_clocks(mode)[0];
  if (!twin_.discrete && result.free_w > twin_.power_limit_w) {
    const Breakdown free = result;
    PowerMode lower = free.clocks;
    lower.gpu_clock_hz = clock_under(twin_.power_limit_w, lower, run);
    result = at_clocks(lower, run);
    hold_limit(result);
    result.free_gpu_hz = free.free_gpu_hz;
    result.free_w = free.free_w;
    result.held = result.total.period_s / free.total.period_s;
    result.least_s = free.least_s;
  }
  if (!twin_.sms_known(mode)) result.sms = 0;
  return result;
}

MinibatchCost Estimator::operator()(const PowerMode& mode) const {
  return breakdown(mode).total;
}

double Estimator::bandwidth(const PowerMode& mode) const {
  if (const Estimator* fewer = with_fewer_sms(mode)) return fewer->bandwidth(mode);
  if (twin_.cpu) return twin_.cpu->at(threads(mode)).memory_bytes_per_s;
  return gpu_state(breakdown(mode).clocks).bandwidth;
}

void Estimator::add_layer_times(const PowerMode& mode, std::span<double> time_s) const {
  if (const Estimator* fewer = with_fewer_sms(mode)) return fewer->add_layer_times(mode, time_s);
  if (twin_.cpu) {
    const auto times = cpu_kernel_times(*twin_.cpu, *cost_, threads(mode));
    for (std::size_t k = 0; k < times.size(); ++k) time_s[k] += times[k].total_s();
    return;
  }
  PowerMode at = breakdown(mode).clocks;
  at.governor.clear();  // the clocks have settled already
  const GpuState& gpu = gpu_state(at);
  const CpuState cpu = cpu_state(*rates_, at, options_);
  // The longest chain: the launches up to the corner, then the GPU times from the corner on.
  const std::size_t corner = gpu.corner(cpu.launch_s).kernel;
  const double stretch = uneven(*rates_, gpu, cpu);
  const double launch_s = stretch * cpu.launch_s;
  for (std::size_t k = 0; k <= corner; ++k) time_s[k] += rates_->terms->launches[k] * launch_s;
  for (std::size_t k = corner; k < time_s.size(); ++k) time_s[k] += stretch * gpu.gpu_s(k);
}

std::vector<LayerEstimate> Estimator::layers_on_processor(const PowerMode& mode) const {
  const auto times = cpu_kernel_times(*twin_.cpu, *cost_, threads(mode));
  std::vector<LayerEstimate> layers(times.size());
  for (std::size_t k = 0; k < layers.size(); ++k) {
    const CpuKernelTime& time = times[k];
    LayerEstimate& layer = layers[k];
    layer.kernel = k;
    layer.time_s = time.total_s();
    layer.energy_j = std::numeric_limits<double>::quiet_NaN();
    layer.launch_s = time.node_s;
    layer.effective_traffic_bytes = cost_->kernels[k].traffic_bytes();
    const double work_s = time.compute_s + time.memory_s;
    layer.cause = time.node_s > work_s             ? Cause::kLaunch
                  : time.compute_s > time.memory_s ? Cause::kCompute
                                                   : Cause::kMemory;
  }
  return layers;
}

std::vector<LayerEstimate> Estimator::layers(const PowerMode& mode) const {
  if (const Estimator* fewer = with_fewer_sms(mode)) return fewer->layers(mode);
  if (twin_.cpu) return layers_on_processor(mode);
  const Breakdown whole = breakdown(mode);
  PowerMode at = whole.clocks;
  at.governor.clear();  // the clocks have settled already
  const GpuState& gpu = gpu_state(at);
  std::vector<double> time_s(cost_->kernels.size(), 0.0);
  add_layer_times(at, time_s);
  // Above 1 only if the module exceeds its power limit even at its lowest clock.
  const double longer = whole.total.period_s / at_clocks(at, options_).total.period_s;
  for (double& layer_s : time_s) layer_s *= longer;
  const double busy_w = twin_[P::kGpuBusyPower] * gpu.relative_clock * gpu.voltage_squared;
  const double launch_s = cpu_state(*rates_, at, options_).launch_s;
  const std::size_t corner = gpu.corner(launch_s).kernel;
  // The energy other than the kernels' own dynamic energy is divided in proportion to time.
  double own_j = 0;
  std::vector<LayerEstimate> layers(time_s.size());
  for (std::size_t k = 0; k < layers.size(); ++k) {
    auto& layer = layers[k];
    layer.kernel = k;
    layer.time_s = time_s[k];
    layer.gpu_s = longer * gpu.gpu_s(k);
    layer.gpu_compute_s = longer * (gpu.gpu_s(k) - gpu.fixed_s[k]) * gpu.compute_share[k];
    layer.gpu_memory_s = longer * (gpu.gpu_s(k) - gpu.fixed_s[k]) * (1 - gpu.compute_share[k]);
    layer.launch_s = rates_->terms->launches[k] * launch_s;
    layer.effective_traffic_bytes = rates_->terms->traffic_bytes[k];
    layer.energy_j =
        whole.counted_share *
        (rates_->terms->energy_flop[k] * twin_[P::kEnergyPerFlop] * gpu.voltage_squared +
         rates_->terms->traffic_bytes[k] * twin_[P::kEnergyPerByte] + busy_w * gpu.gpu_s(k));
    own_j += layer.energy_j;
    const double work_s = gpu.gpu_s(k) - gpu.fixed_s[k];
    if (k < corner || gpu.fixed_s[k] > work_s) {
      layer.cause = Cause::kLaunch;
    } else {
      layer.cause = gpu.compute_share[k] >= 0.5 ? Cause::kCompute : Cause::kMemory;
    }
  }
  const double time_w = (whole.total.energy_j() - own_j) / whole.total.period_s;
  for (auto& layer : layers) layer.energy_j += time_w * layer.time_s;
  return layers;
}

}  // namespace ridgewatt::twin
