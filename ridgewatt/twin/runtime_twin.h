// What a runtime changes of a board's twin, which describes PyTorch in eager mode: how long a
// launch takes, what share of a unit's peak its kernels reach in each precision, what it moves.
//
//   const Twin twin = load_twin(load_board("agx-orin"));
//   const Twin engine = on_runtime(twin, Runtime::kTensorRt);  // to price TensorRT's kernels with
//
// Nearly all parameters are ratios to the eager twin, so that they carry over to another board as
// that does. They stand in the [runtime.NAME] tables of the reference board's file, fitted to
// public measurements (docs/methods/runtimes.md); a board's own table wins.
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
  std::array<double, kRuntimes.size()> prior;  // median before any data, by Runtime
  double prior_log_sd;
  std::string_view meaning;
  // Another parameter that is known with this one, within kLinkedLogSd: what raises the rate of
  // convolutions in one precision raises it in the next one, too.
  std::optional<RuntimeParam> linked = {};
};
inline constexpr double kLinkedLogSd = 0.25;  // of the ratio of the two over that of their priors
std::span<const RuntimeParamSpec> runtime_parameters();  // in the order of RuntimeParam

// Deviations of ln(measured / modelled), learned by leaving models and boards out.
struct RuntimeErrors {
  double time = 0.25;       // of another model in this runtime, without the parameters' own
  double board = 0.2;       // more on a board that was not fitted
  double precision = 0.25;  // more in a precision that was not fitted
  double power = 0.2;       // more than the eager twin's: no power of this runtime is public
  double degrees = 5;       // of freedom of Student's t
};

struct RuntimeTwin {
  Runtime runtime = Runtime::kPytorchEager;
  std::array<double, kRuntimeParamCount> values{};  // all positive
  std::array<double, kRuntimeParamCount> log_sd{};  // of ln(value)
  std::vector<double> correlations;                 // of ln(value); empty: independent
  RuntimeErrors errors;
  std::vector<std::string> boards;      // that it was fitted on
  std::vector<std::string> precisions;  // in which
  double fit_error = 0;     // median absolute error of time of the rows fitted, as a fraction
  double unseen_error = 0;  // and of models that were left out; 0: not known
  std::string origin;       // date, data and command of the fit; empty: priors alone

  double operator[](RuntimeParam param) const { return values[static_cast<std::size_t>(param)]; }
  bool fitted() const { return !origin.empty(); }
  bool fitted_on(std::string_view board) const;
  bool fitted_in(std::string_view precision) const;
  // Variance of a linear function of the parameters' logarithms, by their deviations.
  double parameter_variance(const std::array<double, kRuntimeParamCount>& slopes) const;
};

// Of every runtime, in the order of kRuntimes; that of pytorch-eager changes nothing.
using RuntimeTwins = std::vector<RuntimeTwin>;

// With all parameters at their priors.
RuntimeTwin prior_runtime_twin(Runtime runtime);
// Of the board's own tables, else of the reference board's, else priors. Those of eager mode carry
// over to boards of the same system on a chip that are nearer in size to a fitted one. InputError
// for a number that is not positive or an interval that is not one.
RuntimeTwins load_runtime_twins(const Board& board);
// For board_toml_with_runtimes.
TwinTable runtime_table(const RuntimeTwin& runtime);

// The twin as it prices kernels of `runtime`; `Twin::changed_by` says by what. PyTorch in eager
// mode changes a twin that is scaled from another board, and inference alone. A twin that was
// changed stays as it is; UsageError if it is of another runtime.
Twin on_runtime(const Twin& twin, Runtime runtime, WorkloadKind kind);

}  // namespace ridgewatt::twin
