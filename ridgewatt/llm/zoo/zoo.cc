// The numbers of language models with public configurations. zoo_test.cc compares the sums of
// parameters with public counts.
#include <algorithm>
#include <vector>

#include "ridgewatt/base/suggest.h"
#include "ridgewatt/llm/language_model.h"

namespace ridgewatt::llm {
namespace {

constexpr std::string_view kMeta = "Meta's configuration, huggingface.co/meta-llama";
constexpr std::string_view kQwen = "Alibaba's configuration, huggingface.co/Qwen";
constexpr std::string_view kSmol = "huggingface.co/HuggingFaceTB";
constexpr std::int64_t kLlamaWords = 128256;
constexpr std::int64_t kQwenWords = 151936;
constexpr std::int64_t kSmolWords = 49152;

// A model with grouped attention and a gated feed-forward in every layer.
Numbers decoder(Family family, std::int64_t hidden, std::int64_t layers, std::int64_t heads,
                std::int64_t kv_heads, std::int64_t head, std::int64_t feed_forward,
                std::int64_t vocabulary, bool tied, std::int64_t context) {
  Numbers n;
  n.family = family;
  n.hidden = hidden;
  n.layers = layers;
  n.heads = heads;
  n.kv_heads = kv_heads;
  n.key_size = head;
  n.feed_forward = feed_forward;
  n.vocabulary = vocabulary;
  n.tied = tied;
  n.context = context;
  n.query_key_value_bias = family_row(family).bias == Bias::kQueryKeyValue;
  return n;
}

Numbers mixtral() {
  Numbers n = decoder(Family::kMixtral, 4096, 32, 32, 8, 128, 14336, 32000, false, 32768);
  n.experts = 8;
  n.experts_used = 2;
  return n;
}

Numbers qwen3_moe() {
  Numbers n = decoder(Family::kQwen3Moe, 2048, 48, 32, 4, 128, 6144, kQwenWords, false, 40960);
  n.experts = 128;
  n.experts_used = 8;
  n.expert_width = 768;
  return n;
}

// Every second layer attends to the last 4096 tokens only.
Numbers gemma2(std::int64_t hidden, std::int64_t layers, std::int64_t heads, std::int64_t kv_heads,
               std::int64_t feed_forward) {
  Numbers n = decoder(Family::kGemma2, hidden, layers, heads, kv_heads, 256, feed_forward, 256000,
                      true, 8192);
  n.window = 4096;
  for (std::int64_t i = 0; i < layers; ++i) n.sliding.push_back(i % 2 == 0);
  return n;
}

// Five of six layers attend to the last 512 tokens only.
Numbers gemma3() {
  Numbers n = decoder(Family::kGemma3, 1152, 26, 4, 1, 256, 6912, 262144, true, 32768);
  n.window = 512;
  for (int i = 0; i < 26; ++i) n.sliding.push_back((i + 1) % 6 != 0);
  return n;
}

// Ten layers are short convolutions. The configurations state 12,288 and 6,656 for the
// feed-forward. The code uses two thirds of it, rounded up to a multiple of 256 (transformers,
// modeling_lfm2.py).
Numbers lfm2(std::int64_t hidden, std::int64_t heads, std::int64_t feed_forward) {
  Numbers n = decoder(Family::kLfm2, hidden, 16, heads, 8, 64, feed_forward, 65536, true, 128000);
  n.convolution_kernel = 3;
  for (int i = 0; i < 16; ++i) {
    n.convolution.push_back(i != 2 && i != 5 && i != 8 && i != 10 && i != 12 && i != 14);
  }
  return n;
}

std::vector<ZooModel> all_models() {
  using enum Family;
  return {
      {"llama-3.2-1b", decoder(kLlama, 2048, 16, 32, 8, 64, 8192, kLlamaWords, true, 131072),
       kMeta},
      {"llama-3.2-3b", decoder(kLlama, 3072, 28, 24, 8, 128, 8192, kLlamaWords, true, 131072),
       kMeta},
      {"llama-2-7b", decoder(kLlama, 4096, 32, 32, 32, 128, 11008, 32000, false, 4096), kMeta},
      {"llama-3-8b", decoder(kLlama, 4096, 32, 32, 8, 128, 14336, kLlamaWords, false, 8192), kMeta},
      {"llama-3.1-8b", decoder(kLlama, 4096, 32, 32, 8, 128, 14336, kLlamaWords, false, 131072),
       kMeta},
      {"llama-3.3-70b", decoder(kLlama, 8192, 80, 64, 8, 128, 28672, kLlamaWords, false, 131072),
       kMeta},
      {"mixtral-8x7b", mixtral(), "Mistral AI's configuration, huggingface.co/mistralai"},
      {"qwen2.5-0.5b", decoder(kQwen2, 896, 24, 14, 2, 64, 4864, kQwenWords, true, 32768), kQwen},
      {"qwen2.5-1.5b", decoder(kQwen2, 1536, 28, 12, 2, 128, 8960, kQwenWords, true, 32768), kQwen},
      {"qwen2.5-3b", decoder(kQwen2, 2048, 36, 16, 2, 128, 11008, kQwenWords, true, 32768), kQwen},
      {"qwen2.5-7b", decoder(kQwen2, 3584, 28, 28, 4, 128, 18944, 152064, false, 32768), kQwen},
      {"qwen3-0.6b", decoder(kQwen3, 1024, 28, 16, 8, 128, 3072, kQwenWords, true, 40960), kQwen},
      {"qwen3-1.7b", decoder(kQwen3, 2048, 28, 16, 8, 128, 6144, kQwenWords, true, 40960), kQwen},
      {"qwen3-4b", decoder(kQwen3, 2560, 36, 32, 8, 128, 9728, kQwenWords, true, 40960), kQwen},
      {"qwen3-8b", decoder(kQwen3, 4096, 36, 32, 8, 128, 12288, kQwenWords, false, 40960), kQwen},
      {"qwen3-32b", decoder(kQwen3, 5120, 64, 64, 8, 128, 25600, kQwenWords, false, 40960), kQwen},
      {"qwen3-30b-a3b", qwen3_moe(), kQwen},
      {"gemma-2-2b", gemma2(2304, 26, 8, 4, 9216),
       "Google's configuration, huggingface.co/google/gemma-2-2b"},
      {"gemma-2-9b", gemma2(3584, 42, 16, 8, 14336),
       "Google's configuration, huggingface.co/google/gemma-2-9b"},
      {"phi-3.5-mini", decoder(kPhi3, 3072, 32, 32, 32, 96, 8192, 32064, false, 131072),
       "Microsoft's configuration, huggingface.co/microsoft/Phi-3.5-mini-instruct"},
      {"gemma3-1b", gemma3(), "Google's configuration, huggingface.co/google/gemma-3-1b-it"},
      {"smollm2-135m", decoder(kLlama, 576, 30, 9, 3, 64, 1536, kSmolWords, true, 8192), kSmol},
      {"smollm2-360m", decoder(kLlama, 960, 32, 15, 5, 64, 2560, kSmolWords, true, 8192), kSmol},
      {"smollm2-1.7b", decoder(kLlama, 2048, 24, 32, 32, 64, 8192, kSmolWords, true, 8192), kSmol},
      {"lfm2.5-350m", lfm2(1024, 16, 4608), "Liquid AI's configuration, huggingface.co/LiquidAI"},
      {"lfm2.5-1.2b", lfm2(2048, 32, 8192), "Liquid AI's configuration, huggingface.co/LiquidAI"},
  };
}

}  // namespace

std::span<const ZooModel> language_zoo() {
  static const std::vector<ZooModel> kModels = all_models();
  return kModels;
}

const ZooModel* find_zoo_model(std::string_view name) {
  const auto zoo = language_zoo();
  const auto found = std::find_if(zoo.begin(), zoo.end(),
                                  [&](const ZooModel& model) { return model.name == name; });
  return found == zoo.end() ? nullptr : &*found;
}

NameSet language_zoo_names() {
  NameSet set;
  for (const ZooModel& model : language_zoo()) set.names.emplace_back(model.name);
  return set;
}

}  // namespace ridgewatt::llm
