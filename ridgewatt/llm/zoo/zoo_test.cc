// Compares the parameters of the zoo with public counts: `safetensors.total` on each model's page
// on Hugging Face, which counts the head of a tied model once.
#include <gtest/gtest.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/llm/language_model.h"

namespace ridgewatt::llm {
namespace {

struct PublicCount {
  const char* name;
  std::int64_t parameters;
};
constexpr PublicCount kCounts[] = {
    {"llama-3.2-1b", 1'235'814'400},  {"llama-3.2-3b", 3'212'749'824},
    {"llama-3.1-8b", 8'030'261'248},  {"llama-3.3-70b", 70'553'706'496},
    {"mixtral-8x7b", 46'702'792'704},  // also in keras-hub, mixtral_presets.py
    {"qwen2.5-0.5b", 494'032'768},    {"qwen3-0.6b", 596'049'920},
    {"qwen3-4b", 4'022'468'096},      {"qwen3-8b", 8'190'735'360},
    {"gemma3-1b", 999'885'952},  // also in keras-hub, gemma3_presets.py
    {"smollm2-135m", 134'515'008},    {"smollm2-360m", 361'821'120},
    {"lfm2.5-1.2b", 1'170'340'608},   {"lfm2.5-350m", 354'483'968},
    {"llama-2-7b", 6'738'415'616},    {"llama-3-8b", 8'030'261'248},
    {"qwen2.5-1.5b", 1'543'714'304},  {"qwen2.5-3b", 3'085'938'688},
    {"qwen2.5-7b", 7'615'616'512},    {"qwen3-1.7b", 1'720'574'976},
    {"qwen3-32b", 32'762'123'264},    {"qwen3-30b-a3b", 30'532'122'624},
    {"gemma-2-2b", 2'614'341'888},    {"gemma-2-9b", 9'241'705'984},
    {"phi-3.5-mini", 3'821'079'552},  {"smollm2-1.7b", 1'711'376'384},
};

TEST(LanguageZoo, ParametersAreThePublicCounts) {
  for (const PublicCount& count : kCounts) {
    const auto model = read_language_model(std::string("zoo:") + count.name);
    EXPECT_EQ(parameters_of(model.description), count.parameters) << count.name;
  }
  EXPECT_EQ(language_zoo().size(), std::size(kCounts));
}

// Mistral AI states that a token uses 12.9 of 46.7 billion parameters.
TEST(LanguageZoo, TwoOfEightExpertsAreActive) {
  const auto model = read_language_model("zoo:mixtral-8x7b");
  EXPECT_EQ(active_parameters_of(model.description), 12'879'925'248);
  const auto dense = read_language_model("zoo:qwen3-8b").description;
  EXPECT_EQ(active_parameters_of(dense), parameters_of(dense));
}

TEST(LanguageZoo, UnknownNamesGetAHint) {
  try {
    read_language_model("zoo:llama-3.2-1");
    FAIL();
  } catch (const NotFoundError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean zoo:llama-3.2-1b"), std::string::npos);
  }
}

TEST(Description, NumbersThatOverflowAreRefused) {
  Numbers n;
  n.layers = 2;
  n.hidden = 64;
  n.heads = 4;
  n.feed_forward = 128;
  n.vocabulary = 1000;
  EXPECT_GT(parameters_of(describe(n, "test")), 0);
  const auto refused = [&](auto change) {
    Numbers broken = n;
    change(broken);
    EXPECT_THROW(describe(broken, "test"), InputError);
  };
  refused([](Numbers& b) { b.layers = 0; });
  refused([](Numbers& b) { b.layers = 1 << 20; });
  refused([](Numbers& b) { b.hidden = -1; });
  refused([](Numbers& b) { b.heads = 0; });
  refused([](Numbers& b) { b.kv_heads = 5; });
  refused([](Numbers& b) { b.key_size = std::int64_t{1} << 40; });
  refused([](Numbers& b) { b.vocabulary = std::int64_t{1} << 40; });
  refused([](Numbers& b) { b.experts = 4; });  // but none is active
  refused([](Numbers& b) { b.experts = std::int64_t{1} << 50; });
  refused([](Numbers& b) { b.sliding = {true}; });
  refused([](Numbers& b) { b.layer_kv_heads = {4, 4, 4}; });
  refused([](Numbers& b) { b.kv_rank = 64; });  // but no rotated part
}

}  // namespace
}  // namespace ridgewatt::llm
