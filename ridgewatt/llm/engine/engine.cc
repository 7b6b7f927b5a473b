#include "ridgewatt/llm/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "ridgewatt/base/statistics.h"
#include "ridgewatt/numerics/soft_maximum.h"

namespace ridgewatt::llm {
namespace {

constexpr int kOverlap = 6;  // order of the soft maximum of times that overlap
constexpr int kUnpackOverlap = 3;

// Without fused attention, products of queries and keys are written to memory and read twice, by
// the softmax and by the product with values. Small products run far below the peak. Seen in
// llama.cpp b5283.
constexpr double kUnfusedCache = 2.6;

// Every operator reads and writes its activations in F32.
constexpr double kUnfusedActivations = 6;

// Cost of launches from Python relative to those of a captured graph, and to those of a C++
// program.
constexpr double kPythonLaunches = 10, kPythonPrompt = 3;

constexpr std::array<EngineTerm, kStepTerms> kStepSpecs = {{
    {"host_layer", "CPU cycles", 2e5, 1.0, 1.0, "of a captured graph; from Python ten times that"},
    {"host_packed", "CPU cycles", 2e4, 1.5, 1.2, "a further launch or two for a packed matrix"},
    {"host_vocabulary", "CPU cycles", 10, 1.0, 0.7, "a pass over the scores"},
    {"gpu_layer", "GPU cycles", 5e4, 1.0, 0.7,
     "ten kernels that start and drain, 5000 cycles each"},
    {"weights", "1", 1.12, 0.05, 0.06, "STREAM's triad reaches 0.86 to 0.92 of the peak"},
    {"cache", "1", 1.05, 0.1, 0.15, "as weights, in longer or shorter pieces"},
    {"unpack", "SM cycles", 0.01, 1.0, 0.7, "an instruction or two for each number of 128 lanes"},
}};
constexpr std::array<EngineTerm, kPromptTerms> kPromptSpecs = {{
    {"host_layer", "CPU cycles", 1.5e6, 1.0, 1.0, "launches that are not captured in a graph"},
    {"weights", "1", 1.12, 0.05, 0.06, "as in a step"},
    {"products", "1", 1.3, 0.3, 0.4, "0.38 to 0.85 of the dense FP16 peak"},
    {"packed", "1", 0.1, 1.0, 1.5, "more of it where weights must be unpacked"},
    {"attention", "1", 2.5, 0.5, 0.7, "softmax between two products"},
    {"scores", "1", 5, 0.5, 0.5, "written, scaled, masked and read for the softmax and after it"},
    {"activations", "1", 0.5, 0.5, 0.5, "half of them stay on chip or are fused"},
    {"unpack", "SM cycles", 0.01, 1.0, 1.0, "as in a step, once per prompt"},
}};
constexpr std::array<EngineTerm, kDrawTerms> kDrawSpecs = {{
    {"idle", "1", 0.85, 0.1, 0.05, "rails without the input's losses"},
    {"gpu", "1", 1.5, 0.7, 0.5, "a GPU that streams, in units of the twin's"},
    {"bytes", "1", 0.8, 0.3, 0.2, "energy per byte of the twin"},
    {"unpack", "1", 12, 0.7, 0.5,
     "some ten instructions of a few pJ; in energies per flop of the twin"},
    {"host", "1", 1.5, 0.5, 0.5, "a core or two that launch"},
}};
constexpr std::array<EngineTerm, kPromptDrawTerms> kPromptDrawSpecs = {{
    {"idle", "1", 0.85, 0.1, 0.05, "rails without the input's losses"},
    {"gpu", "1", 2, 0.7, 0.5, "a GPU that computes, in units of the twin's"},
    {"bytes", "1", 0.8, 0.3, 0.2, "energy per byte of the twin"},
    {"flop", "1", 0.2, 0.7, 0.7, "tensor cores, 0.4 to 1 pJ; in energies per flop of the twin"},
}};

// Seconds of a step, by what limits it.
struct StepParts {
  double layers = 0, weights = 0, unpack = 0, cache = 0, products = 0, host = 0;
  double gpu() const {
    return layers + cache +
           soft_maximum(soft_maximum(weights, unpack, kUnpackOverlap), products, kOverlap);
  }
};

// Clock of a Cortex-A78AE that does the work of the engine as fast as this CPU.
double cpu_hz_for(const Engine& engine, const EngineRates& h) {
  return h.cpu_hz * (h.host ? engine.traits.host_work : 1);
}

StepParts step_parts(const Engine& engine, const EngineWork& work, const EngineRates& h) {
  const auto& b = engine.step.value;
  const double flop = work.linear_flop + work.attention_flop;
  StepParts parts;
  parts.layers = b[kStepGpuLayer] * work.layers / h.gpu_hz;
  parts.weights = b[kStepWeights] * work.weight_bytes / h.bytes_per_s;
  parts.unpack = b[kStepUnpack] * work.unpacked / h.unpack_hz;
  parts.cache = b[kStepCache] * work.cache_bytes / h.bytes_per_s;
  parts.products = engine.prompt.value[kPromptProducts] * flop / h.flop_per_s;
  const double sampled = engine.traits.host_sampling ? work.sequences : 1;
  parts.host = (b[kStepHostLayer] * work.layers + b[kStepHostPacked] * work.packed_matrices +
                b[kStepHostVocabulary] * work.vocabulary * sampled) /
               cpu_hz_for(engine, h);
  return parts;
}

double step_of(const Engine& engine, const StepParts& parts) {
  return engine.traits.launches_ahead ? soft_maximum(parts.gpu(), parts.host, kOverlap)
                                      : parts.gpu() + parts.host;
}

struct PromptParts {
  double host = 0, weights = 0, products = 0, attention = 0, activations = 0, unpack = 0;
  double gpu() const {
    return soft_maximum(weights, products + attention + activations + unpack, 3);
  }
};

// Work that is multiplied in fewer than 16 bits, if the engine can do that and the GPU has units
// for it.
struct NarrowFlop {
  double all = 0;
  double as_fp16 = 0;  // the FP16 work that takes the same time
};
NarrowFlop narrow_flop(const Engine& engine, const EngineWork& work, const EngineRates& h,
                       const PerNarrow& speedup) {
  NarrowFlop sum;
  if (!engine.traits.narrow_products) return sum;
  for (std::size_t i = 0; i < work.narrow_flop.size(); ++i) {
    if (!(h.narrow_speedup[i] > 1)) continue;
    sum.all += work.narrow_flop[i];
    sum.as_fp16 += work.narrow_flop[i] / speedup[i];
  }
  return sum;
}

PromptParts prompt_parts(const Engine& engine, const EngineWork& work, const EngineRates& h) {
  const auto& b = engine.prompt.value;
  const bool fused = engine.traits.fused_attention;
  const NarrowFlop narrow = narrow_flop(engine, work, h, h.narrow_speedup);
  PromptParts parts;
  parts.host = b[kPromptHostLayer] * work.layers / cpu_hz_for(engine, h);
  parts.weights = b[kPromptWeights] * work.weight_bytes / h.bytes_per_s;
  parts.products = (b[kPromptProducts] * (work.linear_flop - narrow.all + narrow.as_fp16) +
                    b[kPromptPacked] * (work.packed_flop - narrow.all)) /
                   h.flop_per_s;
  parts.attention = fused ? b[kPromptAttention] * work.attention_flop / h.flop_per_s
                          : b[kPromptScores] * work.score_bytes / h.bytes_per_s;
  parts.activations = b[kPromptActivations] * work.activation_bytes / h.bytes_per_s;
  parts.unpack = b[kPromptUnpack] * work.unpacked / h.unpack_hz;
  return parts;
}

double prompt_of(const PromptParts& parts) {
  return soft_maximum(parts.gpu(), parts.host, 3);
}

template <std::size_t N>
EnginePart<N> prior_part(const std::array<EngineTerm, N>& specs) {
  EnginePart<N> part;
  for (std::size_t i = 0; i < N; ++i) {
    part.value[i] = specs[i].prior;
    part.log_sd[i] = std::hypot(specs[i].prior_sd, specs[i].engine_sd);
  }
  return part;
}

// Watts of each term. `rest` is the power of terms of another part.
template <std::size_t N>
struct DrawParts {
  std::array<double, N> of_term = {};
  double rest = 0;
};

DrawParts<kDrawTerms> draw_parts(const Engine& engine, const EngineWork& work,
                                 const EngineHardware& h) {
  const StepParts parts = step_parts(engine, work, h);
  const double seconds = step_of(engine, parts);
  const double top_s = std::min(seconds, step_parts(engine, work, h.top).gpu());
  const auto& b = engine.draw.value;
  DrawParts<kDrawTerms> watts;
  watts.of_term[kDrawIdle] = b[kDrawIdle] * h.idle_w;
  watts.of_term[kDrawGpu] = b[kDrawGpu] * h.gpu_w * top_s / seconds;
  watts.of_term[kDrawBytes] =
      b[kDrawBytes] * h.byte_j * (work.weight_bytes + work.cache_bytes) / seconds;
  watts.of_term[kDrawUnpack] = b[kDrawUnpack] * h.flop_j * work.unpacked / seconds;
  watts.of_term[kDrawHost] = b[kDrawHost] * h.core_w * std::min(1.0, parts.host / seconds);
  watts.rest = engine.prompt_draw.value[kPromptDrawFlop] * h.flop_j *
               (work.linear_flop + work.attention_flop) / seconds;
  return watts;
}

DrawParts<kPromptDrawTerms> prompt_draw_parts(const Engine& engine, const EngineWork& work,
                                              const EngineHardware& h) {
  const PromptParts parts = prompt_parts(engine, work, h);
  const double seconds = prompt_of(parts);
  const double top_s = std::min(seconds, prompt_parts(engine, work, h.top).gpu());
  const auto& b = engine.prompt_draw.value;
  const double scores = engine.traits.fused_attention ? 0 : work.score_bytes;
  const double bytes = work.weight_bytes + work.activation_bytes + scores;
  DrawParts<kPromptDrawTerms> watts;
  watts.of_term[kPromptDrawIdle] = b[kPromptDrawIdle] * h.idle_w;
  watts.of_term[kPromptDrawGpu] = b[kPromptDrawGpu] * h.gpu_w * top_s / seconds;
  watts.of_term[kPromptDrawBytes] = b[kPromptDrawBytes] * h.byte_j * bytes / seconds;
  watts.of_term[kPromptDrawFlop] =
      b[kPromptDrawFlop] * h.flop_j * (work.linear_flop + work.attention_flop) / seconds;
  return watts;
}

// Standard deviation of the logarithm of a sum, from the deviations of its terms.
template <std::size_t N>
double log_sd_of(const DrawParts<N>& parts, const std::array<double, N>& log_sd) {
  const double sum = std::accumulate(parts.of_term.begin(), parts.of_term.end(), parts.rest);
  double variance = kCellSd * kCellSd;
  for (std::size_t i = 0; i < N; ++i) {
    const double change = std::log1p(parts.of_term[i] / sum * std::expm1(log_sd[i]));
    variance += change * change;
  }
  return std::sqrt(variance);
}

// How much the logarithm of a figure changes if each coefficient of `part` changes by its
// deviation.
template <std::size_t N>
std::array<double, N> changes_of(const Engine& engine, EnginePart<N> Engine::*part,
                                 double (Engine::*figure)(const EngineWork&, const EngineHardware&)
                                     const,
                                 const EngineWork& work, const EngineHardware& hardware) {
  const double at = (engine.*figure)(work, hardware);
  Engine moved = engine;
  std::array<double, N> changes{};
  for (std::size_t i = 0; i < N; ++i) {
    const double value = (engine.*part).value[i];
    (moved.*part).value[i] = value * std::exp((engine.*part).log_sd[i]);
    changes[i] = std::log((moved.*figure)(work, hardware) / at);
    (moved.*part).value[i] = value;
  }
  return changes;
}

// The coefficient that changes the figure most.
template <std::size_t N>
std::string least_known(const std::array<double, N>& changes, const EnginePart<N>& part,
                        const std::array<EngineTerm, N>& specs) {
  const auto at =
      static_cast<std::size_t>(std::max_element(changes.begin(), changes.end()) - changes.begin());
  return fmt::format("{}, within a factor of {:.2g}", specs[at].key,
                     std::exp(kNormal95 * part.log_sd[at]));
}

// Standard deviation of the logarithm of the figure.
template <std::size_t N>
double log_sd_of(const std::array<double, N>& changes) {
  double variance = kCellSd * kCellSd;
  for (const double change : changes) variance += change * change;
  return std::sqrt(variance);
}

}  // namespace

std::span<const EngineTerm> step_terms() {
  return kStepSpecs;
}
std::span<const EngineTerm> prompt_terms() {
  return kPromptSpecs;
}
std::span<const EngineTerm> draw_terms() {
  return kDrawSpecs;
}
std::span<const EngineTerm> prompt_draw_terms() {
  return kPromptDrawSpecs;
}

Engine prior_engine(const EngineTraits& traits) {
  Engine engine;
  engine.traits = traits;
  engine.step = prior_part(kStepSpecs);
  engine.prompt = prior_part(kPromptSpecs);
  engine.draw = prior_part(kDrawSpecs);
  engine.prompt_draw = prior_part(kPromptDrawSpecs);
  if (!traits.fused_attention) engine.step.value[kStepCache] *= kUnfusedCache;
  if (!traits.fused_layers) engine.prompt.value[kPromptActivations] *= kUnfusedActivations;
  if (traits.launches_ahead) {
    engine.step.value[kStepHostLayer] *= kPythonLaunches;
    // A product with packed weights is one kernel in vLLM and SGLang, but several in bitsandbytes.
    if (!traits.fused_layers) engine.step.value[kStepHostPacked] *= kPythonLaunches;
    engine.prompt.value[kPromptHostLayer] *= kPythonPrompt;
  }
  return engine;
}

double Engine::step_s(const EngineWork& work, const EngineHardware& hardware) const {
  return step_of(*this, step_parts(*this, work, hardware));
}

double Engine::least_s(const EngineWork& work, const EngineHardware& h) const {
  const NarrowFlop narrow = narrow_flop(*this, work, h, h.peaks.narrow_ratio);
  const double flop = work.linear_flop + work.attention_flop - narrow.all + narrow.as_fp16;
  const double bytes = work.weight_bytes + work.cache_bytes;
  return std::max(flop / h.peaks.flop_per_s, bytes / h.peaks.bytes_per_s);
}

double Engine::prompt_s(const EngineWork& work, const EngineHardware& hardware) const {
  return prompt_of(prompt_parts(*this, work, hardware));
}

double Engine::decode_power_w(const EngineWork& work, const EngineHardware& h) const {
  const DrawParts<kDrawTerms> parts = draw_parts(*this, work, h);
  return std::accumulate(parts.of_term.begin(), parts.of_term.end(), parts.rest);
}
double Engine::prefill_power_w(const EngineWork& work, const EngineHardware& h) const {
  const DrawParts<kPromptDrawTerms> parts = prompt_draw_parts(*this, work, h);
  return std::accumulate(parts.of_term.begin(), parts.of_term.end(), parts.rest);
}

double Engine::decode_idle_w(const EngineHardware& hardware) const {
  return draw.value[kDrawIdle] * hardware.idle_w;
}
double Engine::prefill_idle_w(const EngineHardware& hardware) const {
  return prompt_draw.value[kPromptDrawIdle] * hardware.idle_w;
}

double Engine::step_log_sd(const EngineWork& work, const EngineHardware& hardware) const {
  return log_sd_of(changes_of(*this, &Engine::step, &Engine::step_s, work, hardware));
}
double Engine::prompt_log_sd(const EngineWork& work, const EngineHardware& hardware) const {
  return log_sd_of(changes_of(*this, &Engine::prompt, &Engine::prompt_s, work, hardware));
}
std::string Engine::step_least_known(const EngineWork& work, const EngineHardware& hardware) const {
  return least_known(changes_of(*this, &Engine::step, &Engine::step_s, work, hardware), step,
                     kStepSpecs);
}
std::string Engine::prompt_least_known(const EngineWork& work,
                                       const EngineHardware& hardware) const {
  return least_known(changes_of(*this, &Engine::prompt, &Engine::prompt_s, work, hardware), prompt,
                     kPromptSpecs);
}
double Engine::decode_power_log_sd(const EngineWork& work, const EngineHardware& hardware) const {
  return log_sd_of(draw_parts(*this, work, hardware), draw.log_sd);
}
double Engine::prefill_power_log_sd(const EngineWork& work, const EngineHardware& hardware) const {
  return log_sd_of(prompt_draw_parts(*this, work, hardware), prompt_draw.log_sd);
}

double Engine::host_share(const EngineWork& work, const EngineHardware& hardware) const {
  const StepParts parts = step_parts(*this, work, hardware);
  return std::min(1.0, parts.host / step_of(*this, parts));
}

std::string Engine::step_limited_by(const EngineWork& work, const EngineHardware& hardware) const {
  const StepParts parts = step_parts(*this, work, hardware);
  const std::array<std::pair<double, const char*>, 5> causes = {{
      {parts.layers + parts.host, "launches"},
      {parts.weights, "weights"},
      {parts.cache, "cache"},
      {parts.unpack, "unpacking"},
      {parts.products, "products"},
  }};
  return std::max_element(causes.begin(), causes.end(),
                          [](const auto& a, const auto& b) { return a.first < b.first; })
      ->second;
}

}  // namespace ridgewatt::llm
