// How fast engines of language models are on a board in a power mode, and what a board draws for
// it: coefficients of what a step waits for, with how sure they are.
//
//   const EngineBoard board(load_board("agx-orin"));
//   engine.step_s(work, board(mode));                // time of one token
//   engine.decode_power_w(work, board(mode));        // while it decodes
//
//   gpu    = g layers / f_gpu + max(c weights / B + e unpacked / G, products / P) + d cache / B
//   host   = (h layers + k packed matrices + v vocabulary) / f_cpu
//   step   = gpu + host, or the longer of both where an engine launches ahead of the GPU
//   prompt = the longer of host, and of weights, products, attention, activations and unpacking
// B: what the GPU can ask of the DRAM, P: dense FP16 peak, G: clock times multiprocessors, f:
// clocks. So each term knows which clock it follows. Power is that of the board's twin: what it
// draws idle, a busy GPU, a busy core, bytes, work.
// Fit: engine_fit.h. Methods and scores: docs/methods/llm_engines.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ridgewatt/device/board.h"
#include "ridgewatt/llm/description.h"
#include "ridgewatt/llm/recipe.h"
#include "ridgewatt/llm/stored_type.h"
#include "ridgewatt/twin/twin.h"

namespace ridgewatt::llm {

// Formats of fewer than 16 bits in which some engines multiply weights as they are stored.
inline constexpr std::array kNarrowArithmetics = {Arithmetic::kInt8, Arithmetic::kFp8,
                                                  Arithmetic::kFp4};
using PerNarrow = std::array<double, kNarrowArithmetics.size()>;  // a number for each of them

// Rates of a board in a mode.
struct EngineRates {
  double cpu_hz = 0;  // of a Cortex-A78AE that does as much
  double gpu_hz = 0;
  double unpack_hz = 0;    // clock times multiprocessors
  double bytes_per_s = 0;  // of the DRAM, or what the GPU can ask for at its clock
  double flop_per_s = 0;   // FP16
  // Of products in fewer bits over FP16: what engines gain of the ratio of peaks; 1 where the GPU
  // has no units for them, and widens the numbers.
  PerNarrow narrow_speedup = {1, 1, 1};
};
// What the hardware allows at the same clocks.
struct EnginePeaks {
  double bytes_per_s = 0;  // of the DRAM
  double flop_per_s = 0;   // FP16
  PerNarrow narrow_ratio = {1, 1, 1};
};

// What the peaks of a board are in a mode, and what its parts draw there.
struct EngineHardware : EngineRates {
  EngineRates top;  // at the highest clocks
  EnginePeaks peaks;
  double limit_w = std::numeric_limits<double>::infinity();  // of the module
  double idle_w = 0;
  double leak_w = 0;  // of it that GPU and cores leak
  // Of a GPU that does in a second what it does at its highest clocks, at this mode's voltage: work
  // takes energy by voltage, however long it takes.
  double gpu_w = 0;
  double core_w = 0;  // of a core that runs
  double byte_j = 0;
  double flop_j = 0;  // follows the square of the voltage
};

// A board and its twin's power, bound once: a mode costs below a microsecond. UsageError where the
// board does not say its dense FP16 rate.
class EngineBoard {
 public:
  explicit EngineBoard(const Board& board);
  // Absent knobs count as the highest. `sms` 0: what the preset with this mode leaves on, else all.
  EngineHardware operator()(const PowerMode& mode, int sms = 0) const;

 private:
  EngineRates rates(const PowerMode& mode, double sms) const;

  double cpu_per_hz_ = 1;
  double flop_per_hz_ = 0;
  PerNarrow narrow_ratio_ = {1, 1, 1};  // of peaks, to FP16
  double limit_w_ = 0;
  double bytes_per_hz_ = 0;
  double request_per_hz_ = 0;
  double sms_ = 0;
  std::vector<std::pair<PowerMode, int>> preset_sms_;  // of presets that switch some off
  PowerMode top_;
  // Of the twin, at its highest clocks.
  PowerMode twin_top_;
  double base_w_ = 0, memory_w_ = 0, core_leakage_w_ = 0, gpu_leakage_w_ = 0;
  double gpu_w_ = 0, core_w_ = 0, byte_j_ = 0, flop_j_ = 0;
  double gpu_rise_ = 0, gpu_knee_ = 0, cpu_rise_ = 0, cpu_knee_ = 0;
};

// What one step of decoding, or a prompt, asks for.
struct EngineWork {
  double layers = 0;
  double vocabulary = 0;  // words to choose among, of all sequences
  double weight_bytes = 0;
  double cache_bytes = 0;
  double unpacked = 0;         // weights that are read in less than 16 bits
  double packed_matrices = 0;  // matrices that are stored so
  double linear_flop = 0;
  double packed_flop = 0;      // of them on weights of less than 16 bits
  PerNarrow narrow_flop = {};  // of them on weights that engines multiply as they are
  double attention_flop = 0;
  double score_bytes = 0;       // of products of queries and keys, where they are written
  double activation_bytes = 0;  // read and written between the matrices
};
// A step of `batch` sequences, each with `context` tokens in its cache.
EngineWork decode_work(const Description& description, std::span<const Tensor> tensors,
                       double context, StoredType kv_type = StoredType::kF16,
                       std::int64_t batch = 1);
// Prompts of `tokens` of `batch` sequences: pairs are causal and within windows; the head works
// once for each.
EngineWork prompt_work(const Description& description, std::span<const Tensor> tensors,
                       double tokens, std::int64_t batch = 1);

// How far cells lie from the form where coefficients are right, of the logarithm.
inline constexpr double kCellSd = 0.06;

// A coefficient: what it is, and what is believed of it before any row.
struct EngineTerm {
  std::string_view key;  // in engines/language_models.toml
  std::string_view unit;
  double prior = 0;
  double prior_sd = 0;   // of ln, of the mean of engines
  double engine_sd = 0;  // of ln, of an engine around that mean
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

// What is known of how an engine works, not fitted.
struct EngineTraits {
  bool launches_ahead = false;   // Python launches kernels one by one while the GPU works
  bool fused_attention = true;   // products of queries and keys stay on chip
  bool fused_layers = true;      // norms, activations and sums do not pass through memory each
  bool narrow_products = false;  // multiplies INT8, FP8 and FP4 weights as they are
};
// Of an engine, or of a variant of it ("vllm (gguf)"): engines/engines.toml. The usual ones where
// there is none.
EngineTraits engine_traits(std::string_view engine);

// Coefficients of a part, and the deviations of their logarithms.
template <std::size_t N>
struct EnginePart {
  std::array<double, N> value = {};
  std::array<double, N> log_sd = {};
  std::size_t rows = 0;  // that it was fitted to; 0: from other engines, or a guess
};

struct Engine {
  EngineTraits traits;
  EnginePart<kStepTerms> step;
  EnginePart<kPromptTerms> prompt;
  EnginePart<kDrawTerms> draw;
  EnginePart<kPromptDrawTerms> prompt_draw;

  double step_s(const EngineWork& work, const EngineHardware& hardware) const;
  // What neither a step nor a prompt is faster than: its bytes and products at the peaks.
  double least_s(const EngineWork& work, const EngineHardware& hardware) const;
  double prompt_s(const EngineWork& work, const EngineHardware& hardware) const;
  double decode_power_w(const EngineWork& work, const EngineHardware& hardware) const;
  double prefill_power_w(const EngineWork& work, const EngineHardware& hardware) const;
  // Of either, what is drawn without work.
  double decode_idle_w(const EngineHardware& hardware) const;
  double prefill_idle_w(const EngineHardware& hardware) const;
  // Deviations of the logarithms of these, by those of the coefficients as if independent and by
  // what cells lie off the form.
  double step_log_sd(const EngineWork& work, const EngineHardware& hardware) const;
  double prompt_log_sd(const EngineWork& work, const EngineHardware& hardware) const;
  double decode_power_log_sd(const EngineWork& work, const EngineHardware& hardware) const;
  double prefill_power_log_sd(const EngineWork& work, const EngineHardware& hardware) const;
  // The coefficient that adds most to the deviation of a step, or of a prompt: "host_layer, within
  // a factor of 4".
  std::string step_least_known(const EngineWork& work, const EngineHardware& hardware) const;
  std::string prompt_least_known(const EngineWork& work, const EngineHardware& hardware) const;
  // Share of a step in which the host is busy; 1: it decides, whatever the GPU does.
  double host_share(const EngineWork& work, const EngineHardware& hardware) const;
  // What most of a step waits for: "launches", "weights", "cache", "unpacking" or "products".
  std::string step_limited_by(const EngineWork& work, const EngineHardware& hardware) const;
};
// Of no rows: the priors of an engine with these traits.
Engine prior_engine(const EngineTraits& traits);

}  // namespace ridgewatt::llm
