// The device twin: fitted parameters of a board, from which the time and power of any workload in
// any power mode are computed without the board. Every result of a twin is marked `modelled`.
//
//   const Twin twin = load_twin(load_board("agx-orin"));
//   twin[TwinParam::kLaunchCycles];  // CPU cycles to launch one kernel
//
// twin_parameters() lists the parameters with their meaning and priors; docs/methods/twin.md
// describes the model. The parameters belong to a board and a framework (PyTorch in eager mode),
// never to a workload.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ridgewatt/base/enum_array.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/twin/cpu_twin.h"
#include "ridgewatt/twin/minibatch_cost.h"
#include "ridgewatt/twin/runtime_twin.h"
#include "ridgewatt/twin/twin_home.h"

namespace ridgewatt::twin {

enum class TwinParam : std::size_t {
  // Compute: reached share of the FP32 peak, and its decrease for small kernels.
  kConvRate,
  kConvBackwardRatio,
  kDepthwiseRate,
  kDepthwiseBackwardRatio,
  kGemmRate,
  kVectorRate,
  kFillElements,
  // Traffic: moved bytes / bytes that the operators read and write.
  kConvTraffic,
  kConvWindowTraffic,
  kConvBackwardTraffic,
  kConvBackwardWindowTraffic,
  kDepthwiseTraffic,
  kDepthwiseWindowTraffic,
  kDepthwiseBackwardTraffic,
  kVectorTraffic,
  // Bandwidth.
  kMemoryBandwidthShare,
  kGpuBytesPerCycle,
  // Launch, host and loader.
  kKernelCycles,
  kLaunchCycles,
  kLaunchMemoryCycles,
  kLaunchFixed,
  kLaunchBackwardRatio,
  kLaunchOptimizerRatio,
  kLaunchCorePenalty,
  kHostCyclesPerByte,
  kHostCyclesPerBatch,
  kCoreWait,
  kTrainingLoaderCycles,
  kInProcessLoaderRatio,
  // Power, and parameters that only the average power determines.
  kInferenceLoaderCycles,
  kBasePower,
  kMemoryClockPower,
  kCpuCoreLeakage,
  kCpuBusyPower,
  kGpuLeakage,
  kGpuClockPower,
  kGpuBusyPower,
  kEnergyPerFlop,
  kEnergyPerByte,
  kGpuVoltageRise,
  kGpuVoltageKnee,
  kCpuVoltageRise,
  kCpuVoltageKnee,
  kCount,
};
inline constexpr std::size_t kTwinParamCount = static_cast<std::size_t>(TwinParam::kCount);

// Hardware quantity to which a parameter is proportional, when a twin is scaled to another board
// (twin/carry.h).
enum class TwinScaling {
  kNone,
  kPerSm,        // number of SMs
  kGpuPower,     // FP32 cores, highest GPU clock and V^2
  kGpuLeakage,   // FP32 cores and V^2
  kGpuEnergy,    // V^2
  kCpuPower,     // highest CPU clock and V^2
  kCpuLeakage,   // V^2
  kMemoryPower,  // peak bandwidth
  kBoardPower,   // square root of peak bandwidth
  // Voltage curve: in MHz on the same system on a chip, otherwise in shares of the highest clock.
  kGpuRise,
  kGpuKnee,
  kCpuRise,
  kCpuKnee,
};

struct TwinParamSpec {
  TwinParam param;
  std::string_view key;   // in the [twin] table of the board file
  std::string_view unit;  // "1" for a ratio
  bool power;             // True: fitted to power. False: fitted to time.
  double prior;           // median before any measurement
  double prior_log_sd;    // standard deviation of ln(parameter) before any measurement
  TwinScaling scaling;
  std::string_view meaning;
};
std::span<const TwinParamSpec> twin_parameters();  // in the order of TwinParam

// Modes whose modelled energies differ by less than this share count as equal, and the fastest of
// them is preferred. The share is much smaller than the error of the fit, because most of this
// error is common to neighboring modes and cancels.
inline constexpr double kTwinTie = 0.01;

struct Twin {
  std::string board;
  std::string bsp;  // parameters are relative to the highest clocks of this BSP
  Runtime runtime = Runtime::kPytorchEager;
  std::array<double, kTwinParamCount> values{};  // all positive
  std::array<double, kTwinParamCount> log_sd{};  // standard deviations of ln(value); 0: not known
  // Correlations of ln(value), at [i * kTwinParamCount + j]. Empty: independent.
  std::vector<double> correlations;
  // The hardware to which the parameters are relative.
  double flop_per_cycle = 0;  // FP32 peak of all SMs, FLOP per GPU cycle
  int sms = 0;
  // Presets that leave only some SMs on. 0: an unknown number.
  std::vector<std::pair<PowerMode, int>> preset_sms;
  // Peak rate of contractions (convolutions and matrix products) divided by their FP32 rate, by
  // Arithmetic. The FP32 rate of convolutions is the TF32 rate if the GPU has TF32. 0: the board
  // has no known rate.
  struct ContractionSpeedup {
    double conv = 0;
    double product = 0;
  };
  std::array<ContractionSpeedup, kArithmetics.size()> speedups{{{1, 1}}};
  // Rates that the runtime reaches, divided by those of PyTorch in eager mode. Used only if
  // `changed_by` is set.
  struct ContractionGain {
    double conv = 1;
    double product = 1;
    double attention = 1;  // fused
  };
  std::array<ContractionGain, kArithmetics.size()> gains{};
  // Multiply-accumulates per output element that a contraction needs in addition to its own.
  double short_macs = 0;
  double narrow_columns = 0;  // additional columns that a contraction computes outside its result
  // CPU cycles that the caller of an engine needs per run, by EngineCaller. 0 for PyTorch, whose
  // launch parameters include Python.
  EnumArray<EngineCaller, double, count_of<EngineCaller>()> call_cycles{};
  double graph_kernel_share = 1;  // share of a kernel's fixed time that remains in a CUDA graph
  // Factors on `values` for engines. On boards with the system on a chip of the reference board, an
  // engine reaches the reference board's rates per SM and cycle. These factors undo any fit of
  // `values` to figures of eager mode.
  std::array<double, kTwinParamCount> engine_ratios = [] {
    std::array<double, kTwinParamCount> ones{};
    ones.fill(1);
    return ones;
  }();
  double on_chip_share = 0;        // share of activation traffic that a large cache saves
  double bus_bytes_per_cycle = 0;  // DRAM bytes per memory cycle (both edges)
  Board::HandOver hand_over;  // transfer of a training minibatch from loader worker to main process
  double cpu_clock_hz = 0;    // highest clocks, used for absent knobs
  double gpu_clock_hz = 0;
  double mem_clock_hz = 0;
  int cpu_cores = 0;
  KnobArray<std::vector<double>> levels;  // levels in rising order, for governors
  KnobArray<double> governor_least{};  // lowest clocks that a governor may set; 0: the lowest level
  double memory_bytes = 0;             // visible to Linux
  double system_memory_bytes = 0;      // part of memory_bytes in use before a workload starts
  // Highest sustained power of the module. Infinity: not known.
  double power_limit_w = std::numeric_limits<double>::infinity();
  // True for a GPU with its own memory and power limit. While kernels run, its firmware lowers the
  // clock to stay within this limit, or within a lower limit of the mode.
  bool discrete = false;
  double least_limit_w = 0;  // lowest settable power limit of a discrete GPU
  TwinFitError fit;
  TwinHome home;          // workloads of the fit
  TwinErrors errors;      // growth of the error with the distance from these workloads
  RuntimeTwins runtimes;  // parameters of each runtime, by Runtime
  // The runtime that on_runtime() applied. Null: none.
  std::shared_ptr<const RuntimeTwin> changed_by;
  // Model of a processor without a GPU. If set, only the hardware above and the status and origin
  // below apply. Null: the board has a GPU.
  std::shared_ptr<const CpuTwin> cpu;
  std::string relative;  // Board whose twin was scaled to this board. Empty: none.
  bool scaled = false;   // scaled, without evidence from this board
  std::string status;    // kFitted, kFittedToFake, "scaled, not validated" or "prior"
  std::string origin;    // date, data and command of the fit

  // Throws NotSupportedError, naming the board and the precision, if the board lacks this
  // rate.
  const ContractionSpeedup& speedup(Arithmetic arithmetic) const;
  // Time of `call_cycles` at the CPU clock of the mode (absent: the highest clock), in seconds.
  double call_s(EngineCaller caller, const PowerMode& mode) const {
    if (cpu) return 0;
    return call_cycles[caller] / (mode.has(Knob::kCpuClock) ? mode.cpu_clock_hz : cpu_clock_hz);
  }
  // Time of a hand-over relative to that at the highest clocks. Absent clocks are the highest.
  double hand_over_slowdown(const PowerMode& mode) const;
  // Number of SMs that are on: of a preset with exactly this mode, otherwise all. All if the number
  // is not known.
  int sms_in(const PowerMode& mode) const;
  bool sms_known(const PowerMode& mode) const;
  double operator[](TwinParam param) const { return values[static_cast<std::size_t>(param)]; }
  // Variance of a linear function of the logarithms of the parameters with the given slopes.
  double parameter_variance(const std::array<double, kTwinParamCount>& slopes) const;
  // Ends of the 90 % interval of a parameter.
  double lo(TwinParam param) const;
  double hi(TwinParam param) const;
  // "modelled with the agx-orin twin of pytorch-eager (fitted); on unseen workloads ..."
  std::string provenance() const;
};

// Status of a twin that is fitted to rows of a board, and of one that is fitted to rows of a fake
// board.
inline constexpr char kFitted[] = "fitted";
inline constexpr char kFittedToFake[] = "fitted to fake rows";

// Board whose twin is scaled (twin/carry.h) to a board that has no twin and names no related board.
inline constexpr char kReferenceBoard[] = "agx-orin";
// Returns the related board that the file of `board` names, or else the reference board, under the
// BSP on which its twin was fitted.
Board relative_of(const Board& board);

// Loads the twin from the [twin] table of `board`, or scales the twin of the related board. Throws
// InputError if the table lacks a parameter or has a parameter that is not positive, and
// NotSupportedError if a board file lacks a rate that scaling needs.
Twin load_twin(const Board& board);
// Returns a twin with the hardware of `board` and all parameters at their priors, the start of a
// fit.
Twin prior_twin(const Board& board);
// Returns the table for board_toml_with_twin(). A parameter counts as "fitted" if its deviation is
// less than 90 % of the deviation in `prior`.
TwinTable twin_table(const Twin& twin, const Twin& prior);
TwinTable twin_table(const Twin& twin);  // with the priors of twin_parameters()
bool is_identified(const Twin& twin, const Twin& prior, TwinParam param);

// Supply voltage divided by the voltage at the highest clock. The curve is flat below `knee` (a
// share of the highest clock). It then rises to 1 + `rise` times this value at the highest clock,
// with a smooth corner.
double relative_voltage(double relative_clock, double rise, double knee);
// Power of the idle board in a mode: the static power of all domains. Absent knobs have their
// highest values.
double idle_power_w(const Twin& twin, const PowerMode& mode);

}  // namespace ridgewatt::twin
