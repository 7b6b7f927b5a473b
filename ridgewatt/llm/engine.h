// Models the speed of language-model engines on a board in a power mode, and the power of the
// board: coefficients for the parts of a decode step and of a prompt, with their uncertainty.
//
//   const EngineBoard board(load_board("agx-orin"));
//   engine.step_s(work, board(mode));                // time of one token
//   engine.decode_power_w(work, board(mode));        // power during decoding
//
//   gpu    = g layers / f_gpu + max(c weights / B, e unpacked / G, products / P) + d cache / B
//   host   = (h layers + k packed matrices + v vocabulary) / f_cpu
//   step   = gpu + host, or the longer of both if the engine launches ahead of the GPU
//   prompt = the longer of host and gpu, where gpu is the longer of reading the weights and the sum
//            of products, attention, activations and unpacking
// c, d, e, g, h, k and v are fitted coefficients. Maxima are soft. B: the DRAM bandwidth that the
// GPU can request, P: dense FP16 peak, G: clock times multiprocessors, f: clocks. Each term thus
// scales with its clock. Power is the sum of terms of the board's twin: idle, a busy GPU, a busy
// core, energy per byte and per operation. Fit: engine_fit.h. Methods and scores:
// docs/methods/llm_engines.md.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ridgewatt/device/board.h"
#include "ridgewatt/llm/description.h"
#include "ridgewatt/llm/recipe.h"
#include "ridgewatt/llm/stored_type.h"
#include "ridgewatt/twin/cpu_twin.h"
#include "ridgewatt/twin/twin.h"

namespace ridgewatt::llm {

// Formats below 16 bits in which some engines multiply weights without widening them.
inline constexpr auto kNarrowArithmetics = [] {
  constexpr auto narrow = [](Arithmetic format) { return kArithmeticRows[format].bits < 16; };
  std::array<Arithmetic, std::count_if(kArithmetics.begin(), kArithmetics.end(), narrow)> found{};
  std::copy_if(kArithmetics.begin(), kArithmetics.end(), found.begin(), narrow);
  return found;
}();
// One number for each format in kNarrowArithmetics.
using PerNarrow = std::array<double, kNarrowArithmetics.size()>;
inline constexpr PerNarrow kEqualRates = [] {
  PerNarrow ones{};
  ones.fill(1);
  return ones;
}();

// Speeds of a board in a mode.
struct EngineRates {
  double cpu_hz = 0;  // CPU clock, scaled to a Cortex-A78AE with the same speed
  bool host = false;  // the CPU is the host of a discrete GPU; its speed is unknown
  double gpu_hz = 0;
  double unpack_hz = 0;    // GPU clock times multiprocessors
  double bytes_per_s = 0;  // of the DRAM; at most what the GPU can request at its clock
  double flop_per_s = 0;   // FP16
  // Achieved speed of products in a narrow format relative to FP16. 1 if the GPU has no units for
  // the format, so that the numbers are widened.
  PerNarrow narrow_speedup = kEqualRates;
};
// Hardware peaks at the same clocks.
struct EnginePeaks {
  double bytes_per_s = 0;                // of the DRAM
  double flop_per_s = 0;                 // FP16
  PerNarrow narrow_ratio = kEqualRates;  // peak of a narrow format relative to FP16
};

// Speeds and peaks of a board in a mode, and the power of its parts in this mode.
struct EngineHardware : EngineRates {
  EngineRates top;  // at the highest clocks
  EnginePeaks peaks;
  // Power limit of the module or, if it is lower, of the mode of a discrete GPU.
  double limit_w = std::numeric_limits<double>::infinity();
  double idle_w = 0;
  double leak_w = 0;  // part of idle_w: leakage of GPU and cores
  // Power of a busy GPU at the highest clocks, but at the voltage of this mode. The energy of work
  // depends on the voltage and not on the duration of the work.
  double gpu_w = 0;
  double core_w = 0;  // of a busy core
  double byte_j = 0;
  double flop_j = 0;  // proportional to the square of the voltage
};

// A board with its twin's power terms, precomputed so that a mode costs less than a microsecond.
// The constructor throws UsageError if the board does not state its dense FP16 rate and, for a
// board without a GPU, the errors of twin::read_cpu_twin().
class EngineBoard {
 public:
  explicit EngineBoard(const Board& board);
  // Null if the board has a GPU. A board without a GPU has no EngineHardware.
  const twin::CpuTwin* processor() const { return processor_.get(); }
  // Absent knobs have their highest values. `sms`: number of active multiprocessors; 0: the number
  // of the preset with this mode, or all. Throws NotSupportedError for a governor of a discrete
  // GPU.
  EngineHardware operator()(const PowerMode& mode, int sms = 0) const;
  // Lowest clock of a discrete GPU that holds its power limit. 0 for a Jetson: the model does not
  // lower its clocks.
  double least_gpu_hz() const { return least_gpu_hz_; }
  double limit_w() const { return limit_w_; }  // limit of the module, in every mode

 private:
  EngineRates rates(const PowerMode& mode, double sms) const;

  std::shared_ptr<const twin::CpuTwin> processor_;
  double cpu_per_hz_ = 1;
  double flop_per_hz_ = 0;
  PerNarrow narrow_ratio_ = kEqualRates;  // peaks relative to FP16
  double limit_w_ = 0, least_gpu_hz_ = 0;
  double bytes_per_hz_ = 0;
  double request_per_hz_ = 0;
  double sms_ = 0;
  std::vector<std::pair<PowerMode, int>> preset_sms_;  // presets that switch multiprocessors off
  PowerMode top_;
  // Terms of the twin at its highest clocks.
  PowerMode twin_top_;
  double base_w_ = 0, memory_w_ = 0, core_leakage_w_ = 0, gpu_leakage_w_ = 0;
  double gpu_w_ = 0, core_w_ = 0, byte_j_ = 0, flop_j_ = 0;
  double gpu_rise_ = 0, gpu_knee_ = 0, cpu_rise_ = 0, cpu_knee_ = 0;
};

// The work of one decode step or of a prompt.
struct EngineWork {
  double layers = 0;
  double vocabulary = 0;  // size of the vocabulary
  double sequences = 1;
  double weight_bytes = 0;
  double cache_bytes = 0;
  double unpacked = 0;         // weights stored in fewer than 16 bits
  double packed_matrices = 0;  // matrices stored in fewer than 16 bits
  double linear_flop = 0;
  double packed_flop = 0;      // part of linear_flop on weights of fewer than 16 bits
  PerNarrow narrow_flop = {};  // part of linear_flop on weights in the narrow formats
  double attention_flop = 0;
  double score_bytes = 0;       // products of queries and keys, if they are written to memory
  double activation_bytes = 0;  // activations read and written between the matrices
};
// A decode step of `batch` sequences, each with `context` tokens in its cache.
EngineWork decode_work(const Description& description, std::span<const Tensor> tensors,
                       double context, StoredType kv_type = StoredType::kF16,
                       std::int64_t batch = 1);
// The prompts of `batch` sequences, each of `tokens` tokens. Attention is causal and within
// windows. The output head is computed once per sequence.
EngineWork prompt_work(const Description& description, std::span<const Tensor> tensors,
                       double tokens, std::int64_t batch = 1);

// Scatter of measurements around a model with exact coefficients, as standard deviation of the
// logarithm.
inline constexpr double kCellSd = 0.06;

// A coefficient and its prior distribution.
struct EngineTerm {
  std::string_view key;  // key in engines/language_models.toml
  std::string_view unit;
  double prior = 0;
  double prior_sd = 0;   // of the logarithm, for the mean of all engines
  double engine_sd = 0;  // of the logarithm, for an engine around that mean
  std::string_view why;
};

enum StepTerm : std::size_t {
  kStepHostLayer,
  kStepHostPacked,
  kStepHostVocabulary,
  kStepGpuLayer,
  kStepWeights,
  kStepCache,
  kStepUnpack,
  kStepTerms
};
enum PromptTerm : std::size_t {
  kPromptHostLayer,
  kPromptWeights,
  kPromptProducts,
  kPromptPacked,
  kPromptAttention,
  kPromptScores,
  kPromptActivations,
  kPromptUnpack,
  kPromptTerms
};
enum DrawTerm : std::size_t { kDrawIdle, kDrawGpu, kDrawBytes, kDrawUnpack, kDrawHost, kDrawTerms };
enum PromptDrawTerm : std::size_t {
  kPromptDrawIdle,
  kPromptDrawGpu,
  kPromptDrawBytes,
  kPromptDrawFlop,
  kPromptDrawTerms
};
std::span<const EngineTerm> step_terms();
std::span<const EngineTerm> prompt_terms();
std::span<const EngineTerm> draw_terms();
std::span<const EngineTerm> prompt_draw_terms();

// Known properties of an engine, which are not fitted.
struct EngineTraits {
  bool launches_ahead = false;  // Python launches kernels one by one while the GPU works
  bool fused_attention = true;  // products of queries and keys stay on chip
  bool fused_layers = true;  // norms, activations and sums are fused and do not pass through memory
  bool narrow_products = false;  // multiplies INT8, FP8 and FP4 weights without widening them
  bool host_sampling = false;    // the CPU chooses the token of each sequence
  // Work per cycle of the host of a discrete GPU (3 GHz in the board files), relative to a
  // Cortex-A78AE. Fitted for llama.cpp only (docs/results/discrete_gpus.md).
  double host_work = 1;
};
// Traits of an engine or of a variant of it ("vllm (gguf)"), from engines/engines.toml. An unknown
// name gets the defaults.
EngineTraits engine_traits(std::string_view engine);

// Coefficients of one part of the model, and the standard deviations of their logarithms.
template <std::size_t N>
struct EnginePart {
  std::array<double, N> value = {};
  std::array<double, N> log_sd = {};
  std::size_t rows = 0;  // rows in the fit; 0: from other engines or priors
};

struct Engine {
  EngineTraits traits;
  EnginePart<kStepTerms> step;
  EnginePart<kPromptTerms> prompt;
  EnginePart<kDrawTerms> draw;
  EnginePart<kPromptDrawTerms> prompt_draw;

  double step_s(const EngineWork& work, const EngineHardware& hardware) const;
  // Lower bound on the time: bytes and products at the hardware peaks.
  double least_s(const EngineWork& work, const EngineHardware& hardware) const;
  double prompt_s(const EngineWork& work, const EngineHardware& hardware) const;
  double decode_power_w(const EngineWork& work, const EngineHardware& hardware) const;
  double prefill_power_w(const EngineWork& work, const EngineHardware& hardware) const;
  // Idle power, in each phase, on the rails that the engine's measurements include.
  double decode_idle_w(const EngineHardware& hardware) const;
  double prefill_idle_w(const EngineHardware& hardware) const;
  // Standard deviations of the logarithms of these figures. They combine kCellSd with the
  // deviations of the coefficients, which are treated as independent.
  double step_log_sd(const EngineWork& work, const EngineHardware& hardware) const;
  double prompt_log_sd(const EngineWork& work, const EngineHardware& hardware) const;
  double decode_power_log_sd(const EngineWork& work, const EngineHardware& hardware) const;
  double prefill_power_log_sd(const EngineWork& work, const EngineHardware& hardware) const;
  // The coefficient with the largest contribution to the deviation of a step or prompt:
  // "host_layer, within a factor of 4".
  std::string step_least_known(const EngineWork& work, const EngineHardware& hardware) const;
  std::string prompt_least_known(const EngineWork& work, const EngineHardware& hardware) const;
  // Share of a step in which the host is busy; 1: the host alone determines the time.
  double host_share(const EngineWork& work, const EngineHardware& hardware) const;
  // What takes most of a step: "launches", "weights", "cache", "unpacking" or "products".
  std::string step_limited_by(const EngineWork& work, const EngineHardware& hardware) const;
};
// An engine without measurements: the priors for these traits.
Engine prior_engine(const EngineTraits& traits);

}  // namespace ridgewatt::llm
