// What a language model costs on a board in a power mode, in an engine: time to the first token and
// of every further one, power of both phases, joules. Modelled; every figure has its 90 % interval.
//
//   const Forecaster forecaster(find_engine("tensorrt-llm"), description, tensors, board, request);
//   const Forecast forecast = forecaster(mode);
//   forecast.tpot_s.value;
//
// Whether the model fits the board is the question of fits.h. Method: docs/methods/llm_engines.md.
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

// A release of an engine as shipped: parameters that were fitted to public runs, and how far off
// they were.
struct EngineRelease {
  std::string title;     // "llama.cpp b5283"
  std::string works_as;  // whose traits it has: the name that cells give it
  Engine engine;
  EngineScales scales;                     // of deviations, from leaving out
  std::vector<std::string> boards;         // that it was fitted on; empty: drawn from others
  std::vector<std::string> quantizations;  // and in which
  std::string origin;                      // date and data of the fit
  bool gguf = false;                       // for files of GGUF, in an engine that prefers others
};

struct ShippedEngine {
  std::string name;                        // "llama.cpp"
  std::string title;                       // of its first release
  std::vector<std::string> boards;         // of all releases
  std::vector<std::string> quantizations;  // of all releases
  std::string origin;                      // of its first release
  std::vector<EngineRelease> releases;
  // The release that was fitted on this board, or the first (on a discrete GPU the first that does
  // not launch kernels one by one, as servers run them); of those for files of GGUF where weights
  // come from one and the engine has such releases.
  const EngineRelease& release_for(const Board& board, bool gguf) const;
};
// llama.cpp, mlc, pytorch, sglang, tensorrt-llm, vllm; of engines/language_models.toml.
std::span<const ShippedEngine> engines();
// By name, ignoring case. UsageError with the names.
const ShippedEngine& find_engine(std::string_view name);

// What is not known of a board that an engine was not fitted on, deviations of logarithms: rules of
// thumb, judged by `evaluate llm` on rows that nothing was fitted to.
inline constexpr double kOtherBoardStep = 0.15;
inline constexpr double kOtherBoardPrompt = 0.25;
inline constexpr double kOtherBoardPower = 0.2;

class EngineBoard;
// What a request asks for of a model as stored: the same on every board and in every engine.
struct RequestWork;
std::shared_ptr<const RequestWork> request_work(const Description& description,
                                                std::span<const Tensor> tensors,
                                                const Request& request);
// The prompt, and the mean step: operations, and bytes of weights and cache that no engine spares.
std::array<PhaseWork, 2> phases_of(const RequestWork& work);

// Bound to a model as stored, a board and a request, so that a mode costs microseconds. Safe to
// call from several threads. UsageError for a request below one token or sequence, or a board
// without a dense FP16 rate.
class Forecaster {
 public:
  Forecaster(const ShippedEngine& engine, const Description& description,
             std::span<const Tensor> tensors, const Board& board, const Request& request);
  // The same of parts that several share; `hardware` is of the board.
  Forecaster(const ShippedEngine& engine, std::shared_ptr<const RequestWork> work,
             const Board& board, std::shared_ptr<const EngineBoard> hardware);
  Forecast operator()(const PowerMode& mode) const;
  const EngineRelease& release() const;
  // Of the token that is decoded with `context` tokens in the cache.
  double step_s(const PowerMode& mode, std::int64_t context) const;
  // Why intervals are wider than where the engine was fitted, in words: "another board than ..".
  const std::vector<std::string>& widened_by() const { return widened_by_; }
  // In what most of the weights are multiplied: FP16, or INT8 or FP8 where engine and GPU can.
  Arithmetic arithmetic() const { return arithmetic_; }

 private:
  struct Bound;  // what does not depend on the mode
  std::shared_ptr<const Bound> bound_;
  std::vector<std::string> widened_by_;
  Arithmetic arithmetic_ = Arithmetic::kFp16;
};

}  // namespace ridgewatt::llm
