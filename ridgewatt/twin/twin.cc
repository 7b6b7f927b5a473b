#include "ridgewatt/twin/twin.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/numerics/posterior.h"
#include "ridgewatt/sweep/provenance.h"
#include "ridgewatt/twin/carry.h"
#include "ridgewatt/twin/fit/board_number.h"
#include "ridgewatt/twin/hardware.h"
#include "ridgewatt/twin/microbench_evidence.h"

namespace ridgewatt::twin {
namespace {

using P = TwinParam;
using S = TwinScaling;

// The priors are what is known without sweeps: fractions of datasheet values, one pass over the
// data for an element-wise kernel, tens of microseconds for a launch of an eager framework. Their
// widths state the uncertainty. Ratios and shares with physical limits (bandwidth, element-wise
// traffic) are narrow.
constexpr TwinParamSpec kSpecs[] = {
    {P::kConvRate, "conv_rate", "1", false, 2.0, 0.4, S::kNone,
     "dense convolution, forward: reached FLOP rate, relative to the FP32 peak (TF32, Winograd: "
     "above 1)"},
    {P::kConvBackwardRatio, "conv_backward_ratio", "1", false, 0.7, 0.25, S::kNone,
     "rate of its two backward kernels, relative to the forward kernel"},
    {P::kDepthwiseRate, "depthwise_rate", "1", false, 0.15, 0.5, S::kNone,
     "depthwise convolution: reached share of the FP32 peak"},
    {P::kDepthwiseBackwardRatio, "depthwise_backward_ratio", "1", false, 1.0, 0.3, S::kNone,
     "rate of its backward kernels, relative to the forward kernel"},
    {P::kGemmRate, "gemm_rate", "1", false, 0.7, 0.3, S::kNone,
     "matrix product: reached share of the FP32 peak"},
    {P::kVectorRate, "vector_rate", "1", false, 0.3, 0.5, S::kNone,
     "element-wise and all other kernels: reached share of the FP32 peak"},
    {P::kFillElements, "fill_elements", "1", false, 20000, 1.5, S::kPerSm,
     "output elements of a kernel that half fills the GPU"},
    {P::kConvTraffic, "conv_traffic", "1", false, 1.2, 0.15, S::kNone,
     "dense convolution and product: bytes moved, relative to those of operands and result"},
    {P::kConvWindowTraffic, "conv_window_traffic", "1", false, 0.5, 0.5, S::kNone,
     "relative additional reads of windows of 3x3 and more, forward"},
    {P::kConvBackwardTraffic, "conv_backward_traffic", "1", false, 1.3, 0.15, S::kNone,
     "traffic factor of backward kernels, relative to forward kernels"},
    {P::kConvBackwardWindowTraffic, "conv_backward_window_traffic", "1", false, 1.0, 0.5, S::kNone,
     "relative additional reads of windows of 3x3 and more, backward"},
    {P::kDepthwiseTraffic, "depthwise_traffic", "1", false, 1.0, 0.15, S::kNone,
     "traffic factor of depthwise convolutions, relative to dense ones, forward"},
    {P::kDepthwiseWindowTraffic, "depthwise_window_traffic", "1", false, 0.5, 0.5, S::kNone,
     "relative additional reads per 8 elements of a depthwise window, forward"},
    {P::kDepthwiseBackwardTraffic, "depthwise_backward_traffic", "1", false, 1.0, 0.15, S::kNone,
     "traffic factor of depthwise convolutions, relative to dense ones, backward"},
    {P::kVectorTraffic, "vector_traffic", "1", false, 1.0, 0.1, S::kNone,
     "element-wise and all other kernels: bytes moved, relative to those of operands and result"},
    {P::kMemoryBandwidthShare, "memory_bandwidth_share", "1", false, 0.87, 0.04, S::kNone,
     "sustained share of the DRAM peak"},
    {P::kGpuBytesPerCycle, "gpu_bytes_per_cycle", "B", false, 160, 0.6, S::kPerSm,
     "bytes that all SMs can request per GPU cycle"},
    {P::kKernelCycles, "kernel_cycles", "cycles", false, 6500, 0.7, S::kNone,
     "GPU cycles that a kernel takes in addition to its work"},
    {P::kLaunchCycles, "launch_cycles", "cycles", false, 176000, 0.4, S::kNone,
     "CPU cycles of the framework to launch one kernel"},
    {P::kLaunchMemoryCycles, "launch_memory_cycles", "cycles", false, 16000, 0.8, S::kNone,
     "memory cycles that the launching thread waits for"},
    {P::kLaunchFixed, "launch_fixed_s", "s", false, 15e-6, 1.0, S::kNone,
     "part of a launch that no clock changes"},
    {P::kLaunchBackwardRatio, "launch_backward_ratio", "1", false, 1.0, 0.2, S::kNone,
     "time to launch a backward kernel, relative to a forward kernel"},
    {P::kLaunchOptimizerRatio, "launch_optimizer_ratio", "1", false, 0.5, 0.4, S::kNone,
     "time to launch an optimizer kernel, relative to a forward kernel"},
    {P::kLaunchCorePenalty, "launch_core_penalty", "1", false, 0.1, 0.8, S::kNone,
     "share by which launches are slower on 4 cores; falls with the square of the cores"},
    {P::kHostCyclesPerByte, "host_cycles_per_byte", "cycles/B", false, 0.5, 0.2, S::kNone,
     "CPU cycles to hand one input byte to the GPU"},
    {P::kHostCyclesPerBatch, "host_cycles_per_batch", "cycles", false, 0.7e6, 0.7, S::kNone,
     "CPU cycles per minibatch other than launches"},
    {P::kCoreWait, "core_wait", "1", false, 4.0, 0.7, S::kNone,
     "share of its own CPU time that the launching thread waits for a core when there are twice as "
     "many busy threads as cores"},
    {P::kTrainingLoaderCycles, "training_loader_cycles", "cycles", false, 13.2e6, 0.6, S::kNone,
     "CPU cycles of a loader worker to read, decode and augment a training sample"},
    {P::kInProcessLoaderRatio, "in_process_loader_ratio", "1", false, 0.6, 0.3, S::kNone,
     "the same in the launching thread, without workers, relative to a worker"},
    {P::kInferenceLoaderCycles, "inference_loader_cycles", "cycles", true, 13.2e6, 0.6, S::kNone,
     "CPU cycles of a loader worker to read and decode an inference sample"},
    {P::kBasePower, "base_w", "W", true, 9, 0.3, S::kBoardPower, "power that no knob changes"},
    {P::kMemoryClockPower, "memory_clock_w", "W", true, 2.0, 0.6, S::kMemoryPower,
     "memory's idle power at its highest clock, proportional to the clock"},
    {P::kCpuCoreLeakage, "cpu_core_leakage_w", "W", true, 0.05, 0.8, S::kCpuLeakage,
     "static power of a core that is on, at the highest voltage; by V^2"},
    {P::kCpuBusyPower, "cpu_busy_w", "W", true, 1.0, 0.7, S::kCpuPower,
     "power of a busy core at the highest clock; by f V^2"},
    {P::kGpuLeakage, "gpu_leakage_w", "W", true, 1.0, 0.7, S::kGpuLeakage,
     "static power of the GPU at the highest voltage; by V^2"},
    {P::kGpuClockPower, "gpu_clock_w", "W", true, 2.0, 0.6, S::kGpuPower,
     "clock power of the GPU while a minibatch is in work, highest clock; by f V^2"},
    {P::kGpuBusyPower, "gpu_busy_w", "W", true, 6.0, 0.6, S::kGpuPower,
     "further power while a kernel runs, highest clock; by f V^2"},
    {P::kEnergyPerFlop, "energy_per_flop_j", "J", true, 6e-12, 0.5, S::kGpuEnergy,
     "energy of one FLOP at the highest voltage; by V^2"},
    {P::kEnergyPerByte, "energy_per_byte_j", "J", true, 120e-12, 0.4, S::kNone,
     "energy of one byte moved"},
    {P::kGpuVoltageRise, "gpu_voltage_rise", "1", true, 0.5, 0.4, S::kGpuRise,
     "GPU voltage at the highest clock divided by that of the flat part, minus 1"},
    {P::kGpuVoltageKnee, "gpu_voltage_knee", "1", true, 0.5, 0.3, S::kGpuKnee,
     "share of the highest GPU clock at which its voltage begins to rise"},
    {P::kCpuVoltageRise, "cpu_voltage_rise", "1", true, 0.6, 0.4, S::kCpuRise,
     "CPU voltage at the highest clock divided by that of the flat part, minus 1"},
    {P::kCpuVoltageKnee, "cpu_voltage_knee", "1", true, 0.5, 0.3, S::kCpuKnee,
     "share of the highest CPU clock at which its voltage begins to rise"},
};
static_assert(std::size(kSpecs) == kTwinParamCount);

double required(const Board& board, const std::string& key) {
  const auto found = board.twin.numbers.find(key);
  if (found == board.twin.numbers.end()) {
    throw InputError("the [twin] of the board file lacks a number", board.source + ": twin." + key,
                     "fit it with calibrate");
  }
  return found->second;
}

double optional_number(const Board& board, const std::string& key, double otherwise) {
  const auto found = board.twin.numbers.find(key);
  return found == board.twin.numbers.end() ? otherwise : found->second;
}

// An error as a fraction: 0.1 for 10 %. Nothing if the file does not state it.
std::optional<double> known_error(const Board& board, const std::string& key) {
  constexpr double kMostError = 1000;  // chosen: no fit is off by more
  const auto found = board.twin.numbers.find(key);
  if (found == board.twin.numbers.end()) return std::nullopt;
  return within(found->second, 0, kMostError, board.source + ": twin." + key);
}

std::string text(const Board& board, const std::string& key) {
  const auto found = board.twin.texts.find(key);
  return found == board.twin.texts.end() ? "" : found->second;
}

// Parameters before `spec` that are fitted to the same quantity. `spec` stores its correlations
// with these parameters.
std::vector<std::size_t> fitted_before(const TwinParamSpec& spec) {
  std::vector<std::size_t> before;
  for (const auto& other : kSpecs) {
    if (other.param == spec.param) break;
    if (other.power == spec.power) before.push_back(static_cast<std::size_t>(other.param));
  }
  return before;
}

std::string correlation_text(const Twin& twin, const TwinParamSpec& spec) {
  if (twin.correlations.empty()) return "";
  std::vector<std::string> numbers;
  for (const std::size_t other : fitted_before(spec)) {
    numbers.push_back(fmt::format(
        "{:.4g}",
        twin.correlations[static_cast<std::size_t>(spec.param) * kTwinParamCount + other]));
  }
  return fmt::format("{}", fmt::join(numbers, " "));
}

void read_correlations(const Board& board, Twin& twin) {
  std::vector<double> found(kTwinParamCount * kTwinParamCount, 0.0);
  bool any = false;
  for (const auto& spec : kSpecs) {
    const auto i = static_cast<std::size_t>(spec.param);
    found[i * kTwinParamCount + i] = 1;
    const std::string key = std::string(spec.key) + ".correlation";
    const std::string numbers = text(board, key);
    if (numbers.empty()) continue;
    any = true;
    const auto before = fitted_before(spec);
    const auto parts = split(numbers, ' ');
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const auto value = parse_double(parts[k]);
      if (parts.size() != before.size() || !value || !(std::abs(*value) <= 1)) {
        throw InputError(
            "the correlations of a twin parameter must be numbers from -1 to 1, one for each "
            "earlier parameter",
            board.source + ": twin." + key);
      }
      found[i * kTwinParamCount + before[k]] = found[before[k] * kTwinParamCount + i] = *value;
    }
  }
  if (any) twin.correlations = std::move(found);
}

Twin read_table(const Board& board) {
  Twin twin;
  set_hardware(board, twin);
  for (const auto& spec : kSpecs) {
    const auto index = static_cast<std::size_t>(spec.param);
    const std::string key(spec.key);
    const std::string where = board.source + ": twin." + key;
    const auto near = [&](const char* part, double value) {
      return near_prior(value, spec.prior, where + part);
    };
    twin.values[index] = near(".value", required(board, key + ".value"));
    const double lo = near(".lo", optional_number(board, key + ".lo", twin.values[index]));
    const double hi = near(".hi", optional_number(board, key + ".hi", twin.values[index]));
    if (hi < lo) throw InputError("the interval of a twin parameter must have lo <= hi", where);
    twin.log_sd[index] = std::log(hi / lo) / (2 * kNormal95);
  }
  limit_tensor_share(twin);
  twin.fit.time_mape = known_error(board, "fit.time_mape");
  twin.fit.power_mape = known_error(board, "fit.power_mape");
  twin.fit.unseen_time_mape = known_error(board, "fit.unseen_time_mape");
  twin.fit.unseen_power_mape = known_error(board, "fit.unseen_power_mape");
  read_correlations(board, twin);
  twin.home = read_home(board.twin);
  for (const auto& range : twin.home.ranges) {
    constexpr double kDecades = 30;  // chosen: beyond any workload
    if (range.lo > range.hi) continue;
    const std::string where = board.source + ": twin.home";
    within(range.lo, -kDecades, kDecades, where);
    within(range.hi, -kDecades, kDecades, where);
  }
  twin.errors = read_errors(board.twin, board.source);
  twin.relative = text(board, "relative");
  twin.status = text(board, "status");
  twin.origin = text(board, "origin");
  return twin;
}

}  // namespace

std::span<const TwinParamSpec> twin_parameters() {
  return kSpecs;
}

double Twin::lo(TwinParam param) const {
  return (*this)[param] * std::exp(-kNormal95 * log_sd[static_cast<std::size_t>(param)]);
}

double Twin::hand_over_slowdown(const PowerMode& mode) const {
  const double cpu = mode.has(Knob::kCpuClock) ? cpu_clock_hz / mode.cpu_clock_hz : 1;
  const double memory = mode.has(Knob::kMemClock) ? mem_clock_hz / mode.mem_clock_hz : 1;
  return (1 - hand_over.memory_share) * cpu + hand_over.memory_share * memory;
}

int Twin::sms_in(const PowerMode& mode) const {
  const auto found = std::find_if(preset_sms.begin(), preset_sms.end(),
                                  [&](const auto& preset) { return preset.first == mode; });
  return found == preset_sms.end() || found->second == 0 ? sms : found->second;
}

bool Twin::sms_known(const PowerMode& mode) const {
  return std::none_of(preset_sms.begin(), preset_sms.end(), [&](const auto& preset) {
    return preset.second == 0 && preset.first == mode;
  });
}

double Twin::parameter_variance(const std::array<double, kTwinParamCount>& slopes) const {
  return variance_along(slopes, log_sd, correlations);
}

const Twin::ContractionSpeedup& Twin::speedup(Arithmetic arithmetic) const {
  const auto& found = speedups[static_cast<std::size_t>(arithmetic)];
  if (!(found.product > 0)) {
    throw NotSupportedError(
        fmt::format("the peak rate of {} is not known for board {}", name_of(arithmetic), board),
        "", "choose another precision or board");
  }
  return found;
}

double Twin::hi(TwinParam param) const {
  return (*this)[param] * std::exp(kNormal95 * log_sd[static_cast<std::size_t>(param)]);
}

std::string Twin::provenance() const {
  std::string line =
      fmt::format("modelled with the {} twin of {} ({})", board, name_of(runtime), status);
  const auto add = [&](const char* what, std::optional<double> time, std::optional<double> power) {
    if (!time || !power) return;
    line += fmt::format("; {} {:.1f} % time, {:.1f} % power", what, 100 * *time, 100 * *power);
  };
  if (changed_by) {
    line += changed_by->fitted()
                ? fmt::format(
                      "; median error {:.1f} % time, {:.1f} % of models that were left out; "
                      "power as in pytorch-eager",
                      100 * changed_by->fit_error, 100 * changed_by->unseen_error)
                : "; only priors, because nothing was fitted for this runtime";
  }
  add("fit error", fit.time_mape, fit.power_mape);
  add("on unseen workloads", fit.unseen_time_mape, fit.unseen_power_mape);
  return line;
}

Twin prior_twin(const Board& board) {
  Twin twin;
  set_hardware(board, twin);
  for (const auto& spec : kSpecs) {
    twin.values[static_cast<std::size_t>(spec.param)] = spec.prior;
    twin.log_sd[static_cast<std::size_t>(spec.param)] = spec.prior_log_sd;
  }
  twin.status = "prior";
  return twin;
}

namespace {

// The board with the BSP of its own [twin] table.
Board as_fitted(Board board) {
  const auto bsp = board.twin.texts.find("bsp");
  board.bsp = bsp == board.twin.texts.end() ? board.default_bsp : board.find_bsp(bsp->second).name;
  return board;
}

// From the board's own table, or scaled from the related board.
Twin eager_twin(const Board& board) {
  if (!board.twin.numbers.empty()) {
    const Board fitted = as_fitted(board);
    const Twin twin = read_table(fitted);
    return fitted.bsp == board.bsp ? twin : carry_to_bsp(twin, board);
  }
  if (board.name == kReferenceBoard) return prior_twin(board);
  const Board relative = relative_of(board);
  return carry_twin(eager_twin(relative), relative, board);
}

}  // namespace

// Sets the ratios of the reference board's GPU parameters, scaled to `board`, to the board's own,
// which come from a few figures of eager mode. Also for cards with the same kind of tensor cores:
// the engines of the reference say more about an engine's kernels than the card's training in
// PyTorch.
void set_engine_ratios(const Board& board, Twin& twin) {
  if (board.name == kReferenceBoard) return;
  const Board reference = as_fitted(load_board(kReferenceBoard));
  const bool same_chip =
      reference.soc == board.soc && twin.status != kFitted && twin.status != kFittedToFake;
  const bool card = twin.discrete && supports(board, Arithmetic::kTf32);
  if (!same_chip && !card) return;
  const Twin carried = carry_twin(eager_twin(reference), reference, board);
  for (std::size_t i = 0; i < static_cast<std::size_t>(P::kLaunchCycles); ++i) {
    twin.engine_ratios[i] = carried.values[i] / twin.values[i];
  }
}

Board relative_of(const Board& board) {
  return as_fitted(load_board(board.relative.empty() ? kReferenceBoard : board.relative));
}

namespace {

Twin processor_twin(const Board& board) {
  Twin twin;
  set_hardware(board, twin);
  twin.cpu = std::make_shared<const CpuTwin>(read_cpu_twin(board));
  twin.runtime = Runtime::kOnnxRuntimeCpu;
  twin.status = twin.cpu->status;
  twin.origin = twin.cpu->origin;
  return twin;
}

}  // namespace

Twin load_twin(const Board& board) {
  if (!board.has_gpu()) return processor_twin(board);
  Twin twin = eager_twin(board);
  set_engine_ratios(board, twin);
  observe_microbench(board, twin);
  twin.runtimes = load_runtime_twins(board);
  return twin;
}

bool is_identified(const Twin& twin, const Twin& prior, TwinParam param) {
  constexpr double kNarrower = 0.9;
  const auto index = static_cast<std::size_t>(param);
  return twin.log_sd[index] < kNarrower * prior.log_sd[index];
}

TwinTable twin_table(const Twin& twin) {
  Twin prior;
  for (const auto& spec : kSpecs) {
    prior.log_sd[static_cast<std::size_t>(spec.param)] = spec.prior_log_sd;
  }
  return twin_table(twin, prior);
}

TwinTable twin_table(const Twin& twin, const Twin& prior) {
  TwinTable table;
  for (const auto& spec : kSpecs) {
    const std::string key(spec.key);
    const auto round = [](double value) { return std::stod(fmt::format("{:.5g}", value)); };
    table.numbers[key + ".value"] = round(twin[spec.param]);
    table.numbers[key + ".lo"] = round(twin.lo(spec.param));
    table.numbers[key + ".hi"] = round(twin.hi(spec.param));
    table.texts[key + ".unit"] = std::string(spec.unit);
    const bool informed = is_identified(twin, prior, spec.param);
    table.texts[key + ".source"] = informed ? "fitted" : "prior";
    const std::string correlations = correlation_text(twin, spec);
    if (!correlations.empty()) table.texts[key + ".correlation"] = correlations;
  }
  const auto add = [&](const char* key, double value) {
    if (value > 0) table.numbers[key] = std::stod(fmt::format("{:.4g}", value));
  };
  add("fit.time_mape", twin.fit.time_mape.value_or(0));
  add("fit.power_mape", twin.fit.power_mape.value_or(0));
  add("fit.unseen_time_mape", twin.fit.unseen_time_mape.value_or(0));
  add("fit.unseen_power_mape", twin.fit.unseen_power_mape.value_or(0));
  write_home(twin.home, twin.errors, table);
  if (!twin.bsp.empty()) table.texts["bsp"] = twin.bsp;
  if (!twin.relative.empty()) table.texts["relative"] = twin.relative;
  table.texts["status"] = twin.status;
  table.texts["origin"] = twin.origin;
  return table;
}

double relative_voltage(double relative_clock, double rise, double knee) {
  constexpr double kCorner = 0.05;  // width of the corner, as a share of the highest clock
  const auto above = [&](double clock) {
    return kCorner * std::log1p(std::exp((clock - knee) / kCorner));
  };
  const double slope = rise / above(1);
  return (1 + slope * above(relative_clock)) / (1 + rise);
}

double idle_power_w(const Twin& twin, const PowerMode& mode) {
  using P = TwinParam;
  const auto relative = [&](Knob knob, double top) {
    return mode.has(knob) ? mode.get(knob) / top : 1;
  };
  const double cpu_voltage = relative_voltage(relative(Knob::kCpuClock, twin.cpu_clock_hz),
                                              twin[P::kCpuVoltageRise], twin[P::kCpuVoltageKnee]);
  const double gpu_voltage = relative_voltage(relative(Knob::kGpuClock, twin.gpu_clock_hz),
                                              twin[P::kGpuVoltageRise], twin[P::kGpuVoltageKnee]);
  const double cores = twin.cpu_cores * relative(Knob::kCpuCores, twin.cpu_cores);
  const double sms_on = twin.sms > 0 ? static_cast<double>(twin.sms_in(mode)) / twin.sms : 1;
  return twin[P::kBasePower] +
         twin[P::kMemoryClockPower] * relative(Knob::kMemClock, twin.mem_clock_hz) +
         cores * twin[P::kCpuCoreLeakage] * squared(cpu_voltage) +
         sms_on * twin[P::kGpuLeakage] * squared(gpu_voltage);
}

}  // namespace ridgewatt::twin
