#include "ridgewatt/llm/processor.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ridgewatt/llm/engine.h"
#include "ridgewatt/llm/footprint.h"

namespace ridgewatt::llm {
namespace {

using C = twin::CpuParam;

// The rates of products with a stored type: parameters of a fitted type, and factors on them.
// Factors other than 1 were measured with Qwen3-0.6B on an x86-64 processor with AVX-512
// (docs/methods/cpu_twin.md).
struct TypeRates {
  StoredType type;
  C dot, few, each, prompt;
  double dot_factor = 1, prompt_factor = 1;
};
constexpr std::array kTypeRates = {
    TypeRates{StoredType::kF16, C::kDotF16, C::kFewF16, C::kEachF16, C::kPromptF16},
    TypeRates{StoredType::kQ80, C::kDotQ80, C::kFewQ80, C::kEachQ80, C::kPromptQ80},
    TypeRates{StoredType::kQ40, C::kDotQ40, C::kFewQ40, C::kEachQ40, C::kPromptQ40},
    TypeRates{StoredType::kQ4K, C::kDotQ4K, C::kFewQ4K, C::kEachQ4K, C::kPromptQ4K},
    TypeRates{StoredType::kQ6K, C::kDotQ6K, C::kFewQ6K, C::kEachQ6K, C::kPromptQ6K},
    TypeRates{StoredType::kBf16, C::kDotF16, C::kFewF16, C::kEachF16, C::kPromptF16, 1.45, 1.73},
    TypeRates{StoredType::kQ50, C::kDotQ80, C::kFewQ80, C::kEachQ80, C::kPromptQ80, 1.97, 0.713},
    TypeRates{StoredType::kQ51, C::kDotQ80, C::kFewQ80, C::kEachQ80, C::kPromptQ80, 1.79, 0.349},
    TypeRates{StoredType::kQ41, C::kDotQ80, C::kFewQ80, C::kEachQ80, C::kPromptQ80, 1.62, 0.417},
    TypeRates{StoredType::kIq4Nl, C::kDotQ40, C::kFewQ40, C::kEachQ40, C::kPromptQ40, 1.11, 0.946},
    TypeRates{StoredType::kIq4Xs, C::kDotQ4K, C::kFewQ4K, C::kEachQ4K, C::kPromptQ4K, 2.46, 1.03},
    TypeRates{StoredType::kQ5K, C::kDotQ4K, C::kFewQ4K, C::kEachQ4K, C::kPromptQ4K, 1.67, 0.303},
    TypeRates{StoredType::kQ3K, C::kDotQ6K, C::kFewQ6K, C::kEachQ6K, C::kPromptQ6K, 1.19, 0.733},
    TypeRates{StoredType::kQ2K, C::kDotQ4K, C::kFewQ4K, C::kEachQ4K, C::kPromptQ4K, 1.38, 0.85},
};
// For types that were not measured.
constexpr TypeRates kOtherType = {StoredType::kF32, C::kDotQ80, C::kFewQ80, C::kEachQ80,
                                  C::kPromptQ80,    2,          0.4};

constexpr bool is_fitted(const TypeRates& rates) {
  return rates.dot_factor == 1 && rates.prompt_factor == 1;
}

const TypeRates& rates_of(StoredType type) {
  const auto found = std::find_if(kTypeRates.begin(), kTypeRates.end(),
                                  [&](const TypeRates& one) { return one.type == type; });
  return found == kTypeRates.end() ? kOtherType : *found;
}

// Tokens that llama.cpp processes together (--ubatch-size).
constexpr double kProcessorChunk = 512;

// Operations at the peak per weight. llama.cpp has separate code for one sequence and for several;
// with many, each further sequence costs as much as a token of a prompt.
double step_flop_per_weight(const twin::CpuTwin& twin, const TypeRates& type, double sequences) {
  constexpr double kMany = 16;
  if (sequences <= 1) return twin[type.dot] * type.dot_factor;
  const double few = std::min(sequences, kMany);
  return (twin[type.few] + few * twin[type.each]) * type.dot_factor +
         2 * (sequences - few) / (twin[type.prompt] * type.prompt_factor);
}

// Seconds of a step, by what limits it.
struct Parts {
  double weights = 0, products = 0, scores = 0, layers = 0;
  double sum() const { return std::hypot(weights, products) + scores + layers; }
};

Parts step_parts(const twin::CpuTwin& twin, const ProcessorWork& work, double context,
                 int threads) {
  const twin::CpuRates& rates = twin.at(threads);
  Parts parts;
  for (const auto& stored : work.stored) {
    const TypeRates& type = rates_of(stored.type);
    parts.weights += stored.step_bytes / (twin[C::kLlamaWeights] * rates.memory_bytes_per_s);
    parts.products +=
        stored.step_elements * step_flop_per_weight(twin, type, work.sequences) / rates.flop_per_s;
  }
  for (const auto& scores : work.scores) {
    const double tokens =
        work.sequences * (scores.window > 0 ? std::min(context, scores.window) : context);
    parts.scores += tokens * (scores.flop / (twin[C::kLlamaScores] * rates.flop_per_s) +
                              scores.bytes / (twin[C::kLlamaCache] * rates.memory_bytes_per_s));
  }
  parts.layers = work.layers * twin[C::kLlamaLayer];
  return parts;
}

}  // namespace

ProcessorWork processor_work(const Description& description, std::span<const Tensor> tensors,
                             const Request& request, const EngineWork& prompt) {
  ProcessorWork work;
  work.layers = static_cast<double>(description.layers.size());
  work.sequences = static_cast<double>(request.concurrency);
  work.prompt_tokens = static_cast<double>(request.prompt_tokens);
  const auto share_at = [&](const Tensor& tensor, std::int64_t tokens) {
    const auto layer = static_cast<std::size_t>(std::max(0, tensor.layer));
    if (tensor.role != Role::kExpert || layer >= description.layers.size()) return 1.0;
    return expert_share(description.layers[layer].feed_forward, tokens);
  };
  for (const Tensor& tensor : tensors) {
    const bool head =
        tensor.role == Role::kHead || (tensor.role == Role::kTokenEmbedding && description.tied);
    if (!head && tensor.role != Role::kMatrix && tensor.role != Role::kExpert) continue;
    auto stored = std::find_if(work.stored.begin(), work.stored.end(),
                               [&](const auto& one) { return one.type == tensor.type; });
    if (stored == work.stored.end()) {
      stored = work.stored.insert(work.stored.end(), {.type = tensor.type});
    }
    const auto elements = static_cast<double>(tensor.elements());
    const double read = share_at(tensor, request.concurrency);
    stored->step_elements += read * elements;
    stored->step_bytes += read * tensor.bytes;
    (head ? stored->head_elements : stored->prompt_elements) += share_at(tensor, 1) * elements;
  }
  for (const Layer& layer : description.layers) {
    const Attention& a = layer.attention;
    if (a.kind == AttentionKind::kNone) continue;
    const auto window = static_cast<double>(a.window);
    const bool latent = a.kind == AttentionKind::kLatent;
    const std::int64_t width = latent ? 2 * a.kv_rank + a.rope_size : a.key_size + a.value_size;
    auto scores = std::find_if(work.scores.begin(), work.scores.end(),
                               [&](const auto& one) { return one.window == window; });
    if (scores == work.scores.end()) {
      scores = work.scores.insert(work.scores.end(), {.window = window});
    }
    scores->flop += 2 * static_cast<double>(a.heads * width);
    Attention cached = a;
    cached.shares_cache = false;  // a layer reads a cache even if it shares it
    scores->bytes +=
        static_cast<double>(cached.cached_elements()) * facts_of(request.kv_type).bits() / 8;
  }
  work.prompt_score_flop = prompt.attention_flop;
  return work;
}

double processor_step_s(const twin::CpuTwin& twin, const ProcessorWork& work, double context,
                        int threads) {
  return step_parts(twin, work, context, threads).sum();
}

double processor_prompt_s(const twin::CpuTwin& twin, const ProcessorWork& work, int threads) {
  const double peak = twin.at(threads).flop_per_s;
  const double tokens = work.sequences * work.prompt_tokens;
  double seconds = work.prompt_score_flop / (twin[C::kLlamaPromptScores] * peak) +
                   std::ceil(tokens / kProcessorChunk) * work.layers * twin[C::kLlamaLayer];
  for (const auto& stored : work.stored) {
    const TypeRates& type = rates_of(stored.type);
    seconds +=
        2 * tokens * stored.prompt_elements / (twin[type.prompt] * type.prompt_factor * peak);
    seconds += work.sequences * stored.head_elements * twin[type.dot] * type.dot_factor / peak;
  }
  return seconds;
}

std::string processor_limit(const twin::CpuTwin& twin, const ProcessorWork& work, double context,
                            int threads) {
  const Parts parts = step_parts(twin, work, context, threads);
  const std::array<std::pair<double, const char*>, 4> named = {{{parts.weights, "weights"},
                                                                {parts.products, "products"},
                                                                {parts.scores, "cache"},
                                                                {parts.layers, "layers"}}};
  return std::max_element(named.begin(), named.end())->second;
}

double derived_share(const ProcessorWork& work) {
  double all = 0, derived = 0;
  for (const auto& stored : work.stored) {
    all += stored.step_elements;
    const TypeRates& type = rates_of(stored.type);
    if (type.type != stored.type || !is_fitted(type)) derived += stored.step_elements;
  }
  return all > 0 ? derived / all : 0;
}

}  // namespace ridgewatt::llm
