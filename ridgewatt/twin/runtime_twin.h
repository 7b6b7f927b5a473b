// The differences of a runtime (TensorRT, ONNX Runtime, ...) from PyTorch in eager mode, for which
// a board's twin is fitted: the time of a launch, the share of a unit's peak that kernels reach in
// each precision, and the memory traffic.
//
//   const Twin twin = load_twin(load_board("agx-orin"));
//   const Twin engine = on_runtime(twin, Runtime::kTensorRt, WorkloadKind::kInference);
//
// Nearly all parameters are ratios to the eager twin, so they also apply to other boards. They are
// fitted to public measurements (docs/methods/runtimes.md) and stored in the [runtime.NAME] tables
// of the reference board's file. The table of a board's own file takes precedence.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/base/workload_kind.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/device/runtime.h"

namespace ridgewatt::twin {

struct Twin;

enum class RuntimeParam : std::size_t {
  kLaunch,
  kRun,
  kCaller,
  kThinCaller,
  kKernel,
  kGraph,
  kTraffic,
  kFill,
  kShort,
  kNarrow,
  kOnChip,
  kConvFp32,
  kConvFp16,
  kConvInt8,
  kProductFp32,
  kProductFp16,
  kProductInt8,
  kDepthwise,
  kCount,
};
inline constexpr std::size_t kRuntimeParamCount = static_cast<std::size_t>(RuntimeParam::kCount);

struct RuntimeParamSpec {
  RuntimeParam param;
  std::string_view key;  // in the [runtime.NAME] table of a board file
  std::string_view unit;
  std::array<double, kRuntimes.size()> prior;  // median before any measurement, by Runtime
  double prior_log_sd;
  std::string_view meaning;
  // A correlated parameter. Both parameters, divided by their priors, are assumed to be equal, with
  // the log deviation kLinkedLogSd. For example, a high rate of convolutions in one precision makes
  // a high rate in the next precision probable.
  std::optional<RuntimeParam> linked = {};
};
inline constexpr double kLinkedLogSd = 0.25;             // log deviation of linked parameters
std::span<const RuntimeParamSpec> runtime_parameters();  // in the order of RuntimeParam

// Standard deviations of ln(measured / modelled), from cross-validations that leave out whole
// models and whole boards.
struct RuntimeErrors {
  double time = 0.25;       // on another model, without the parameters' variance
  double board = 0.2;       // additional, on a board that was not fitted
  double precision = 0.25;  // additional, in a precision that was not fitted
  double power = 0.2;       // additional, as no power of this runtime is published
  double degrees = 5;       // degrees of freedom of Student's t
};

struct RuntimeTwin {
  Runtime runtime = Runtime::kPytorchEager;
  std::array<double, kRuntimeParamCount> values{};  // all positive
  std::array<double, kRuntimeParamCount> log_sd{};  // standard deviations of ln(value)
  std::vector<double> correlations;  // Correlations of ln(value). Empty: independent.
  RuntimeErrors errors;
  std::vector<std::string> boards;      // boards of the fitted rows
  std::vector<std::string> precisions;  // precisions of the fitted rows
  double fit_error = 0;     // median absolute error of time on the fitted rows, as a fraction
  double unseen_error = 0;  // the same on models that were left out; 0: unknown
  std::string origin;       // Date, data and command of the fit. Empty: priors only.

  double operator[](RuntimeParam param) const { return values[static_cast<std::size_t>(param)]; }
  bool fitted() const { return !origin.empty(); }
  bool fitted_on(std::string_view board) const;
  bool fitted_in(std::string_view precision) const;
  // Variance of a linear function of the logarithms of the parameters with the given slopes.
  double parameter_variance(const std::array<double, kRuntimeParamCount>& slopes) const;
};

// One per runtime, in the order of kRuntimes.
using RuntimeTwins = std::vector<RuntimeTwin>;

// Returns a runtime twin with all parameters at their priors.
RuntimeTwin prior_runtime_twin(Runtime runtime);
// Reads the runtime tables of the board's file. A missing table is replaced by that of the
// reference board, or else by the priors. The reference board's table of eager mode is used only
// for boards with the same chip that are nearer in size to a board of this table than to the
// reference board. Throws InputError for an invalid interval or a number that is not positive.
RuntimeTwins load_runtime_twins(const Board& board);
// Returns the table for board_toml_with_runtimes().
TwinTable runtime_table(const RuntimeTwin& runtime);

// Returns `twin` with the parameters of `runtime` applied, recorded in `Twin::changed_by`. PyTorch
// in eager mode changes only a twin that was scaled from another board, and only for inference. A
// twin that was already changed by `runtime` is returned unchanged. Throws UsageError if another
// runtime has changed it. Throws NotSupportedError if the runtime is for GPUs and the board has
// none, or the reverse.
Twin on_runtime(const Twin& twin, Runtime runtime, WorkloadKind kind);

}  // namespace ridgewatt::twin
