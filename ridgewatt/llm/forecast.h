// Predicts the cost of a language model with a given engine on a board in a power mode: time of the
// first and each later token, power of both phases, energy. Each figure has a 90 % interval.
//
//   const Forecaster forecaster(find_engine("tensorrt-llm"), description, tensors, board, request);
//   const Forecast forecast = forecaster(mode);
//   forecast.tpot_s.value;
//
// See fits.h for whether the model fits the board. Method: docs/methods/llm_engines.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/device/board.h"
#include "ridgewatt/llm/description.h"
#include "ridgewatt/llm/engine.h"
#include "ridgewatt/llm/engine_left_out.h"
#include "ridgewatt/llm/forecast_answer.h"
#include "ridgewatt/llm/recipe.h"
#include "ridgewatt/llm/stored_type.h"

namespace ridgewatt::llm {

// A release of an engine in the embedded file: its fitted coefficients and their errors.
struct EngineRelease {
  std::string title;     // "llama.cpp b5283"
  std::string works_as;  // name of the variant in engines/engines.toml that has its traits
  Engine engine;
  EngineScales scales;  // factors on the deviations of logarithms, from cross-validation
  std::vector<std::string> boards;         // boards in the fit; empty: derived from other engines
  std::vector<std::string> quantizations;  // quantizations in the fit
  std::string origin;                      // date and data of the fit
  bool gguf = false;  // whether it is for GGUF files, in an engine that prefers other formats
};

struct ShippedEngine {
  std::string name;                        // "llama.cpp"
  std::string title;                       // of the first release
  std::vector<std::string> boards;         // of all releases
  std::vector<std::string> quantizations;  // of all releases
  std::string origin;                      // of the first release
  std::vector<EngineRelease> releases;
  // Returns the release that was fitted on this board, otherwise the first one. On a discrete GPU,
  // prefers the first release that does not launch kernels one by one, because servers run engines
  // in this way. Considers only releases whose `gguf` equals the argument, if there are any.
  const EngineRelease& release_for(const Board& board, bool gguf) const;
};
// The engines in engines/engines.toml: llama.cpp, mlc, pytorch, sglang, tensorrt-llm, vllm.
std::span<const ShippedEngine> engines();
// Finds an engine by name, ignoring case. Throws UsageError that lists the names.
const ShippedEngine& find_engine(std::string_view name);

// Additional log deviations of time per token, first token and power on a board on which the engine
// was not fitted. Rules of thumb, scored by `evaluate llm` on rows that no fit uses.
inline constexpr double kOtherBoardStep = 0.15;
// On a discrete GPU, in place of kOtherBoardStep: the root mean square error of llama.cpp on two
// GPUs that were not used to fit `host_work` (docs/results/discrete_gpus.md).
inline constexpr double kOtherCardStep = 0.3;
inline constexpr double kOtherBoardPrompt = 0.25;
inline constexpr double kOtherBoardPower = 0.2;

class EngineBoard;
// The work of a request to a model with its stored weights. It does not depend on board or engine.
// Throws UsageError if prompt, output or concurrency is below 1.
struct RequestWork;
std::shared_ptr<const RequestWork> request_work(const Description& description,
                                                std::span<const Tensor> tensors,
                                                const Request& request);
// Operations of the prompt and of the mean decode step, and the bytes of weights and cache that
// every engine must read.
std::array<PhaseWork, 2> phases_of(const RequestWork& work);

// Precomputes everything that does not depend on the mode, so that a mode costs microseconds. Safe
// to call from several threads. Throws UsageError for a request that request_work rejects, and for
// a board without a dense FP16 rate.
class Forecaster {
 public:
  Forecaster(const ShippedEngine& engine, const Description& description,
             std::span<const Tensor> tensors, const Board& board, const Request& request);
  // Uses parts that several forecasters share; `hardware` must belong to `board`.
  Forecaster(const ShippedEngine& engine, std::shared_ptr<const RequestWork> work,
             const Board& board, std::shared_ptr<const EngineBoard> hardware);
  // `sms`: see EngineBoard.
  Forecast operator()(const PowerMode& mode, int sms = 0) const;
  const EngineRelease& release() const;
  // Time of a decode step with `context` tokens in the cache.
  double step_s(const PowerMode& mode, std::int64_t context) const;
  // Reasons, as text, why intervals are wider than for the points to which the engine was fitted.
  const std::vector<std::string>& widened_by() const { return widened_by_; }
  // The format in which most weights are multiplied: FP16, or a narrower one if engine and GPU
  // support it.
  Arithmetic arithmetic() const { return arithmetic_; }

 private:
  struct Bound;  // everything that does not depend on the mode
  std::shared_ptr<const Bound> bound_;
  std::vector<std::string> widened_by_;
  Arithmetic arithmetic_ = Arithmetic::kFp16;
};

}  // namespace ridgewatt::llm
