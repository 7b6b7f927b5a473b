// The device twin: a board's fitted parameters, with which time and power of any workload on any
// power mode are computed where there is no board. A model: all that is made with it is `modelled`.
//
//   const Twin twin = load_twin(load_board("agx-orin"));
//   twin[TwinParam::kLaunchCycles];  // CPU cycles to launch one kernel
//
// The parameters, their meaning and their priors are the rows of twin_parameters();
// docs/methods/twin.md gives the model. They belong to a board and a framework (PyTorch eager),
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
#include <vector>

#include "ridgewatt/base/enum_array.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/twin/cpu_twin.h"
#include "ridgewatt/twin/minibatch_cost.h"
#include "ridgewatt/twin/runtime_twin.h"
#include "ridgewatt/twin/twin_home.h"

namespace ridgewatt::twin {

enum class TwinParam : std::size_t {
  // Compute: reached share of the FP32 peak, and how it falls for small kernels.
  kConvRate,
  kConvBackwardRatio,
  kDepthwiseRate,
  kDepthwiseBackwardRatio,
  kGemmRate,
  kVectorRate,
  kFillElements,
  // Traffic: bytes really moved over bytes that the operators read and write.
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
  // Power, and what only the average power shows.
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

// How a parameter follows the hardware when a twin is carried to another board (twin/carry.h).
enum class TwinScaling {
  kNone,
  kPerSm,        // SMs
  kGpuPower,     // FP32 cores, highest GPU clock and V^2
  kGpuLeakage,   // FP32 cores and V^2
  kGpuEnergy,    // V^2
  kCpuPower,     // highest CPU clock and V^2
  kCpuLeakage,   // V^2
  kMemoryPower,  // peak bandwidth
  kBoardPower,   // square root of peak bandwidth
  kGpuRise,      // voltage curves: in MHz on the same system on a chip,
  kGpuKnee,      // else as shares of the highest clock
  kCpuRise,
  kCpuKnee,
};

struct TwinParamSpec {
  TwinParam param;
  std::string_view key;   // in the [twin] table of the board file
  std::string_view unit;  // "1" for a ratio
  bool power;             // fitted to power; the others are fitted to time
  double prior;           // median before any data
  double prior_log_sd;    // standard deviation of its logarithm before any data
  TwinScaling scaling;
  std::string_view meaning;
};
std::span<const TwinParamSpec> twin_parameters();  // in the order of TwinParam

// Modelled energies closer than this share of one another are the same to a twin: of such modes the
// fastest is preferred. Far below the fit's error, since what is common to neighbors cancels.
inline constexpr double kTwinTie = 0.01;

struct Twin {
  std::string board;
  std::string bsp;  // whose highest clocks the parameters are relative to
  Runtime runtime = Runtime::kPytorchEager;
  std::array<double, kTwinParamCount> values{};  // all positive
  std::array<double, kTwinParamCount> log_sd{};  // of ln(value); 0: not known
  // Correlations of ln(value), [i * kTwinParamCount + j]; empty: independent.
  std::vector<double> correlations;
  // The hardware that the parameters are relative to.
  double flop_per_cycle = 0;  // FP32 peak of all SMs per GPU cycle
  int sms = 0;
  // Peak rate of contractions over their FP32 rate (of convolutions: TF32 on tensor cores where
  // there are), by Arithmetic. 0: the board is not known to have that rate.
  struct ContractionSpeedup {
    double conv = 0;
    double product = 0;
  };
  std::array<ContractionSpeedup, kArithmetics.size()> speedups{{{1, 1}}};
  // Of a runtime other than pytorch-eager: the rates that it reaches, over eager's.
  struct ContractionGain {
    double conv = 1;
    double product = 1;
  };
  std::array<ContractionGain, kArithmetics.size()> gains{};
  // Multiply-accumulates per output element that a contraction takes in addition to its own.
  double short_macs = 0;
  double narrow_columns = 0;  // and columns outside its result
  // CPU cycles per run of what calls an engine, by EngineCaller; PyTorch's launches are Python's.
  EnumArray<EngineCaller, double, count_of<EngineCaller>()> call_cycles{};
  double graph_kernel_share = 1;  // of a kernel's fixed time that is left in a CUDA graph
  // What engines take of a parameter, over its value here. Kernels of the same system on a chip
  // reach the same rates per multiprocessor and cycle as on the boards that engines were fitted on.
  std::array<double, kTwinParamCount> engine_ratios = [] {
    std::array<double, kTwinParamCount> ones{};
    ones.fill(1);
    return ones;
  }();
  double on_chip_share = 0;        // of the activations' traffic that a large enough cache saves
  double bus_bytes_per_cycle = 0;  // DRAM bytes per memory cycle, both edges
  Board::HandOver hand_over;       // of a training's minibatches
  double cpu_clock_hz = 0;         // highest clocks: what absent knobs mean
  double gpu_clock_hz = 0;
  double mem_clock_hz = 0;
  int cpu_cores = 0;
  KnobArray<std::vector<double>> levels;  // rising: what governors choose among
  double memory_bytes = 0;                // visible to Linux
  double system_memory_bytes = 0;         // of it held before a workload starts
  // What the module draws at most for long; infinity: not known.
  double power_limit_w = std::numeric_limits<double>::infinity();
  // A GPU with memory and power of its own, apart from the host's. Its firmware lowers the clock to
  // hold the limit, or a mode's lower one, while kernels run.
  bool discrete = false;
  TwinFitError fit;
  TwinHome home;                                  // what it was fitted on
  TwinErrors errors;                              // and how its error grows from there
  RuntimeTwins runtimes;                          // what each runtime changes, by Runtime
  std::shared_ptr<const RuntimeTwin> changed_by;  // by on_runtime(); null: as it was fitted
  // Of a processor without a GPU: its times; of the above only hardware, status and origin count.
  // Null: the board has a GPU.
  std::shared_ptr<const CpuTwin> cpu;
  std::string relative;  // the board whose twin was carried here, if any
  bool scaled = false;   // carried, and no evidence of its own
  std::string status;    // "fitted", "scaled, not validated" or "prior"
  std::string origin;    // date, data and command of the fit

  // NotSupportedError, with the board and the precision, where the board has no such rate.
  const ContractionSpeedup& speedup(Arithmetic arithmetic) const;
  // What those cycles take at a mode's CPU clock (absent: the highest).
  double call_s(EngineCaller caller, const PowerMode& mode) const {
    if (cpu) return 0;
    return call_cycles[caller] / (mode.has(Knob::kCpuClock) ? mode.cpu_clock_hz : cpu_clock_hz);
  }
  double operator[](TwinParam param) const { return values[static_cast<std::size_t>(param)]; }
  // Variance of a linear function of the parameters' logarithms, by their deviations here.
  double parameter_variance(const std::array<double, kTwinParamCount>& slopes) const;
  // 90 % interval of a parameter.
  double lo(TwinParam param) const;
  double hi(TwinParam param) const;
  // "modelled with the agx-orin twin of pytorch-eager (fitted); on unseen workloads ..."
  std::string provenance() const;
};

// Boards without a twin of their own take that of the relative that their file names, else this
// one's, carried (twin/carry.h).
inline constexpr char kReferenceBoard[] = "agx-orin";
// Under the BSP that its twin was fitted on.
Board relative_of(const Board& board);

// The twin of a board: of its [twin] table, or carried from its relative's. InputError when the
// table lacks a parameter or holds one that is not positive; NotSupportedError when it is to be
// carried and the board file does not state a rate that it needs.
Twin load_twin(const Board& board);
// A twin with the hardware of `board` and all parameters at their priors: where a fit starts.
Twin prior_twin(const Board& board);
// For board_toml_with_twin. A parameter is "fitted" where it is narrower than `prior` has it, by a
// tenth at least.
TwinTable twin_table(const Twin& twin, const Twin& prior);
TwinTable twin_table(const Twin& twin);  // the priors of twin_parameters()
bool is_identified(const Twin& twin, const Twin& prior, TwinParam param);

// Supply voltage over the voltage at the highest clock: flat below `knee` (a share of the highest
// clock), rising above it by `rise` in all, with a smooth corner.
double relative_voltage(double relative_clock, double rise, double knee);
// Power of the board in a mode while nothing runs: the static power of every domain. Absent knobs
// count as the highest.
double idle_power_w(const Twin& twin, const PowerMode& mode);

}  // namespace ridgewatt::twin
