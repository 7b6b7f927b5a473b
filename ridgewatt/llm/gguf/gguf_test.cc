// Tests that written GGUF files are read back, and that damaged and malicious files are rejected.
#include "ridgewatt/llm/gguf/gguf.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <set>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/llm/config/folder.h"
#include "ridgewatt/llm/config/hf_config.h"
#include "ridgewatt/llm/footprint.h"
#include "ridgewatt/llm/gguf/gguf_writer.h"
#include "ridgewatt/llm/gguf/random_weights.h"
#include "ridgewatt/llm/language_model.h"

namespace ridgewatt::llm {
namespace {

using ::testing::HasSubstr;

constexpr std::uint32_t kF32Id = 0;

std::string refusal(const std::string& bytes) {
  try {
    parse_gguf(bytes, "a.gguf");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// A file of one tensor of 32 F32 values.
std::string small_file() {
  return GgufWriter().number("general.alignment", 32).tensor("t", {32}, kF32Id, 0).header() +
         std::string(128, '\0');
}

TEST(GgufWriter, ModelsOfTheZooAreReadBack) {
  const testing::TemporaryFolder folder;
  const std::string path = (folder.path() / "m.gguf").string();
  int written = 0;
  for (const ZooModel& zoo : language_zoo()) {
    try {
      write_language_model(zoo, find_recipe("q4_0"), path);
    } catch (const NotSupportedError&) {
      continue;
    }
    ++written;
    const LanguageModel model = read_language_model(path);
    const Description description = describe(zoo.numbers, std::string(zoo.name));
    EXPECT_TRUE(model.weights_known) << zoo.name;
    EXPECT_EQ(model.stored_as, "q4_0");
    EXPECT_EQ(parameters_of(model.description), parameters_of(description)) << zoo.name;
    EXPECT_DOUBLE_EQ(bytes_of(model.tensors),
                     bytes_of(quantized(description, find_recipe("q4_0"))));
  }
  EXPECT_GE(written, 24);  // all except those with short convolutions
  EXPECT_THROW(write_language_model(language_zoo().front(), find_recipe("awq"), path), UsageError);
  for (const Recipe& recipe : recipes()) {
    try {
      EXPECT_EQ(&find_gguf_recipe(recipe.name), &recipe);
      EXPECT_TRUE(recipe.gguf()) << recipe.name;
    } catch (const UsageError& error) {
      EXPECT_FALSE(recipe.gguf()) << recipe.name;
      const std::string text = error.what();
      EXPECT_NE(text.find("q4_k_m"), std::string::npos);
      EXPECT_EQ(text.find("gptq", text.find("choose")), std::string::npos);
    }
  }
  EXPECT_THROW(write_language_model(language_zoo().front(), find_recipe("q4_0"),
                                    (folder.path() / "none" / "m.gguf").string()),
               NotFoundError);
}
std::string random_bytes(StoredType type, bool vector, std::uint64_t bytes, std::uint64_t seed) {
  std::string all;
  RandomWeights weights(seed);
  weights.fill(type, vector, bytes, [&](std::string_view part) { all += part; });
  EXPECT_EQ(all.size(), bytes);
  return all;
}

template <typename T>
T number_at(const std::string& bytes, std::size_t at) {
  T value;
  std::memcpy(&value, &bytes[at], sizeof value);
  return value;
}

TEST(RandomWeights, AreAsLargeAsTrainedOnes) {
  // Q8_0: a half and 32 integers.
  const std::string blocks = random_bytes(StoredType::kQ80, false, 34 * 20000, 1);
  double squares = 0;
  for (std::size_t block = 0; block < blocks.size(); block += 34) {
    const auto half = number_at<std::uint16_t>(blocks, block);
    EXPECT_EQ(half, number_at<std::uint16_t>(blocks, 0));
    const double scale = std::ldexp(1024 + (half & 1023), (half >> 10) - 25);
    for (std::size_t i = 0; i < 32; ++i) {
      squares += std::pow(scale * static_cast<signed char>(blocks[block + 2 + i]), 2);
    }
  }
  EXPECT_NEAR(std::sqrt(squares / (32 * 20000)), 0.02, 0.0002);
  const std::string floats = random_bytes(StoredType::kF32, false, 40000, 1);
  double sum = 0;
  for (std::size_t at = 0; at < floats.size(); at += 4) {
    const double value = number_at<float>(floats, at);
    EXPECT_GE(std::abs(value), 1 / 64.0);
    EXPECT_LT(std::abs(value), 1 / 32.0);
    sum += value;
  }
  EXPECT_NEAR(sum / 10000, 0, 0.001);
  const std::string norms = random_bytes(StoredType::kF32, true, 4000, 1);
  for (std::size_t at = 0; at < norms.size(); at += 4) {
    EXPECT_GE(number_at<float>(norms, at), 0.5F);
    EXPECT_LT(number_at<float>(norms, at), 1.0F);
  }
  EXPECT_EQ(blocks, random_bytes(StoredType::kQ80, false, 34 * 20000, 1));
  EXPECT_NE(blocks, random_bytes(StoredType::kQ80, false, 34 * 20000, 2));
}

TEST(RandomWeights, EveryRecipeOfGguf) {
  const testing::TemporaryFolder folder;
  const std::string path = (folder.path() / "m.gguf").string();
  const Description description = read_language_model("zoo:qwen3-30b-a3b").description;
  std::set<StoredType> types;
  for (const Recipe& recipe : recipes()) {
    if (!recipe.gguf()) continue;
    for (const Tensor& tensor : quantized(description, recipe)) types.insert(tensor.type);
  }
  EXPECT_GE(types.size(), 16u);
  for (const StoredType type : types) EXPECT_NO_THROW(random_bytes(type, false, 1000, 1));
  EXPECT_THROW(random_bytes(StoredType::kI64, false, 8, 1), NotSupportedError);
  const ZooModel& small = *find_zoo_model("smollm2-135m");
  write_language_model(small, find_recipe("q4_k_m"), path);
  const auto zeros = std::filesystem::file_size(path);
  write_language_model(small, find_recipe("q4_k_m"), path, 1);
  EXPECT_EQ(std::filesystem::file_size(path), zeros);
  const LanguageModel model = read_language_model(path);
  EXPECT_TRUE(model.weights_known);
  EXPECT_EQ(model.stored_as, "q4_k_m");
}

class ZooAsGguf : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(ZooAsGguf, IsReadBack) {
  const testing::TemporaryFolder folder;
  const auto [name, architecture] = GetParam();
  const LanguageModel zoo = read_language_model(std::string("zoo:") + name);
  const auto tensors = quantized(zoo.description, find_recipe("q4_k_m"));
  const auto path = gguf_of(zoo.description, architecture)
                        .number("general.file_type", 15)
                        .texts("tokenizer.ggml.tokens", {"<s>", "a", "b"})
                        .tensors(tensors)
                        .write(folder.path() / "model.gguf");
  const LanguageModel model = read_language_model(path);
  EXPECT_TRUE(model.weights_known) << ::testing::PrintToString(model.remarks);
  EXPECT_THAT(model.remarks, ::testing::IsEmpty());
  EXPECT_EQ(model.stored_as, "q4_k_m");
  EXPECT_EQ(model.description.family, zoo.description.family);
  EXPECT_EQ(model.description.context, zoo.description.context);
  EXPECT_EQ(parameters_of(model.description), parameters_of(zoo.description));
  EXPECT_DOUBLE_EQ(bytes_of(model.tensors), bytes_of(tensors));
  EXPECT_DOUBLE_EQ(kv_bytes(model.description, StoredType::kF16, 4096),
                   kv_bytes(zoo.description, StoredType::kF16, 4096));
  ASSERT_EQ(model.tensors.size(), tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    EXPECT_EQ(model.tensors[i].name, tensors[i].name);
    EXPECT_EQ(model.tensors[i].shape, tensors[i].shape);
    EXPECT_EQ(model.tensors[i].type, tensors[i].type);
    EXPECT_EQ(model.tensors[i].role, tensors[i].role) << tensors[i].name;
    EXPECT_EQ(model.tensors[i].layer, tensors[i].layer);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Gguf, ZooAsGguf,
    ::testing::Values(std::pair("llama-3.2-1b", "llama"), std::pair("llama-3.1-8b", "llama"),
                      std::pair("mixtral-8x7b", "llama"), std::pair("qwen2.5-0.5b", "qwen2"),
                      std::pair("qwen3-4b", "qwen3"), std::pair("gemma3-1b", "gemma3")));

std::vector<std::int64_t> windows_of(const LanguageModel& model) {
  std::vector<std::int64_t> windows;
  for (const Layer& layer : model.description.layers) windows.push_back(layer.attention.window);
  return windows;
}

// A model of any family must have the same cache as config.json and as GGUF. 12 layers: two periods
// of Gemma 3.
TEST(Gguf, AWindowMeansTheSameAsInAConfiguration) {
  const testing::TemporaryFolder folder;
  for (const FamilyRow& family : kFamilyRows) {
    for (const char* experts : {"", R"(, "num_experts": 4, "num_experts_per_tok": 2,
                                       "moe_intermediate_size": 32)"}) {
      SCOPED_TRACE(std::string(family.name) + experts);
      const std::string json = fmt::format(
          R"({{"model_type": "{}", "hidden_size": 64, "num_hidden_layers": 12,
               "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16,
               "intermediate_size": 128, "vocab_size": 100, "max_position_embeddings": 8192,
               "sliding_window": 512, "use_sliding_window": true{}}})",
          family.model_types[0], experts);
      const LanguageModel config =
          model_of_config(parse_config_json(json, "config.json"), {}, "config.json");
      const auto path =
          gguf_of(config.description, std::string(family.gguf.empty() ? "llama" : family.gguf))
              .tensors(quantized(config.description, find_recipe("q8_0")))
              .write(folder.path() / "model.gguf");
      const LanguageModel gguf = read_language_model(path);
      EXPECT_EQ(windows_of(gguf), windows_of(config));
      EXPECT_THAT(windows_of(config), ::testing::Contains(512));
      EXPECT_DOUBLE_EQ(kv_bytes(gguf.description, StoredType::kF16, 4096),
                       kv_bytes(config.description, StoredType::kF16, 4096));
    }
  }
}

TEST(Gguf, EachVersionIsRead) {
  for (const std::uint32_t version : {1U, 2U, 3U}) {
    const auto header = parse_gguf(GgufWriter(version)
                                           .text("general.name", "small")
                                           .numbers("a.counts", {1, 2, 3})
                                           .tensor("t", {4, 8}, kF32Id, 0)
                                           .header() +
                                       std::string(128, '\0'),
                                   "a.gguf");
    EXPECT_EQ(header.version, version);
    EXPECT_EQ(header.text("general.name"), "small");
    EXPECT_EQ(header.integers("a.counts"), (std::vector<std::int64_t>{1, 2, 3}));
    ASSERT_EQ(header.tensors.size(), 1U);
    EXPECT_EQ(header.tensors[0].shape, (std::vector<std::int64_t>{4, 8}));
    EXPECT_DOUBLE_EQ(header.tensors[0].bytes, 128);
  }
}

TEST(Gguf, EachTypeOfValueIsRead) {
  const auto bytes = [](auto value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof value);
  };
  GgufWriter writer;
  writer.value("u8", 0, bytes(std::uint8_t{200}))
      .value("i8", 1, bytes(std::int8_t{-5}))
      .value("u16", 2, bytes(std::uint16_t{65000}))
      .value("i16", 3, bytes(std::int16_t{-300}))
      .value("u32", 4, bytes(std::uint32_t{4000000000}))
      .value("i32", 5, bytes(std::int32_t{-70000}))
      .value("f32", 6, bytes(0.5F))
      .value("bool", 7, bytes(std::uint8_t{1}))
      .value("u64", 10, bytes(std::uint64_t{1} << 40))
      .value("i64", 11, bytes(-(std::int64_t{1} << 40)))
      .value("f64", 12, bytes(0.25))
      // An array that holds an array of two U8 values.
      .value("nested", 9,
             bytes(std::uint32_t{9}) + bytes(std::uint64_t{1}) + bytes(std::uint32_t{0}) +
                 bytes(std::uint64_t{2}) + "ab")
      .number("last", 7);
  const auto header = parse_gguf(writer.header(), "a.gguf");
  EXPECT_EQ(header.integer("u8"), 200);
  EXPECT_EQ(header.integer("i8"), -5);
  EXPECT_EQ(header.integer("u16"), 65000);
  EXPECT_EQ(header.integer("i16"), -300);
  EXPECT_EQ(header.integer("u32"), 4000000000);
  EXPECT_EQ(header.integer("i32"), -70000);
  EXPECT_DOUBLE_EQ(std::get<double>(header.values.at("f32")), 0.5);
  EXPECT_EQ(header.integer("bool"), 1);
  EXPECT_EQ(header.integer("u64"), std::int64_t{1} << 40);
  EXPECT_EQ(header.integer("i64"), -(std::int64_t{1} << 40));
  EXPECT_DOUBLE_EQ(std::get<double>(header.values.at("f64")), 0.25);
  EXPECT_EQ(header.integer("last"), 7);
}

TEST(Gguf, EveryTypeOfTensorHasItsBlocks) {
  for (const auto& facts : stored_types()) {
    if (facts.gguf_id < 0) continue;
    const auto writer = GgufWriter().tensor("t", {2, 2 * facts.elements},
                                            static_cast<std::uint32_t>(facts.gguf_id), 0);
    const auto data = static_cast<std::size_t>(4) * static_cast<std::size_t>(facts.bytes);
    const auto header = parse_gguf(writer.header() + std::string(data, '\0'), "a.gguf");
    EXPECT_DOUBLE_EQ(header.tensors.at(0).bytes, static_cast<double>(data)) << facts.name;
  }
}

// label: slow
TEST(Gguf, ShardsAreReadTogether) {
  const testing::TemporaryFolder folder;
  const LanguageModel zoo = read_language_model("zoo:smollm2-135m");
  const auto all = quantized(zoo.description, find_recipe("q8_0"));
  const auto half = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  const std::string first = gguf_of(zoo.description, "llama")
                                .number("split.count", 2)
                                .tensors({all.begin(), half})
                                .write(folder.path() / "m-00001-of-00002.gguf");
  const std::string second = GgufWriter()
                                 .number("split.count", 2)
                                 .tensors({half, all.end()})
                                 .write(folder.path() / "m-00002-of-00002.gguf");
  for (const std::string& path : {first, second, folder.path().string()}) {
    const LanguageModel model = read_language_model(path);
    EXPECT_TRUE(model.weights_known);
    EXPECT_DOUBLE_EQ(bytes_of(model.tensors), bytes_of(all)) << path;
  }
  const auto alone = folder.path() / "alone.gguf";
  std::filesystem::copy(first, alone);
  EXPECT_THROW(read_language_model(alone.string()), InputError);
  std::filesystem::remove(second);
  EXPECT_THROW(read_language_model(first), NotFoundError);
}

TEST(Gguf, UnknownArchitecturesAreReadByTheirTensors) {
  const testing::TemporaryFolder folder;
  const LanguageModel zoo = read_language_model("zoo:smollm2-135m");
  const auto tensors = quantized(zoo.description, find_recipe("q8_0"));
  const LanguageModel model = read_language_model(
      gguf_of(zoo.description, "novel").tensors(tensors).write(folder.path() / "m.gguf"));
  EXPECT_FALSE(model.weights_known);
  EXPECT_DOUBLE_EQ(kv_bytes_per_token(model.description, StoredType::kF16),
                   kv_bytes_per_token(zoo.description, StoredType::kF16));
  ASSERT_EQ(model.remarks.size(), 1U);
  EXPECT_THAT(model.remarks[0], HasSubstr("'novel' is not known"));
  // Without any keys, the description follows from the shapes of the weight matrices.
  const LanguageModel bare =
      read_language_model(GgufWriter().tensors(tensors).write(folder.path() / "bare.gguf"));
  EXPECT_FALSE(bare.weights_known);
  EXPECT_DOUBLE_EQ(kv_bytes_per_token(bare.description, StoredType::kF16),
                   kv_bytes_per_token(zoo.description, StoredType::kF16));
}

TEST(Gguf, NumbersWhoseProductIsNoneAreNotBelieved) {
  const testing::TemporaryFolder folder;
  const LanguageModel zoo = read_language_model("zoo:smollm2-135m");
  const std::string huge("\0\0\0\0\0\0\0\x40", 8);  // 2^62 as U64
  const LanguageModel model =
      read_language_model(gguf_of(zoo.description, "qwen2moe")
                              .value("qwen2moe.expert_shared_count", 10, huge)
                              .value("qwen2moe.expert_feed_forward_length", 10, huge)
                              .tensors(quantized(zoo.description, find_recipe("q8_0")))
                              .write(folder.path() / "m.gguf"));
  EXPECT_FALSE(model.weights_known);
  EXPECT_DOUBLE_EQ(kv_bytes_per_token(model.description, StoredType::kF16),
                   kv_bytes_per_token(zoo.description, StoredType::kF16));
}

TEST(Gguf, EveryPrefixIsRefusedAsCutOff) {
  const std::string whole = small_file();
  EXPECT_NO_THROW(parse_gguf(whole, "a.gguf"));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(refusal(whole.substr(0, size)), "") << size;
  }
}

TEST(Gguf, ChangedBytesEndInAHeaderOrARefusal) {
  const LanguageModel zoo = read_language_model("zoo:smollm2-135m");
  const std::string whole =
      gguf_of(zoo.description, "llama").tensor("token_embd.weight", {4, 8}, kF32Id, 0).header() +
      std::string(128, '\0');
  Random random(7);
  for (int i = 0; i < 20000; ++i) {
    std::string changed = whole;
    for (int k = 0; k < 3; ++k) {
      changed[random.below(changed.size())] = static_cast<char>(random.below(256));
    }
    try {
      parse_gguf(changed, "a.gguf");
    } catch (const InputError&) {
    }
  }
}

TEST(Gguf, LiesAreRefusedByName) {
  const std::string data(128, '\0');
  const auto with = [&](const GgufWriter& writer) { return refusal(writer.header() + data); };
  const auto counts = [](std::uint64_t tensors, std::uint64_t keys) {
    std::string bytes = "GGUF";
    const std::uint32_t version = 3;
    bytes.append(reinterpret_cast<const char*>(&version), 4);
    bytes.append(reinterpret_cast<const char*>(&tensors), 8);
    bytes.append(reinterpret_cast<const char*>(&keys), 8);
    return bytes + std::string(64, '\0');
  };
  constexpr std::uint64_t kHuge = ~std::uint64_t{0};
  EXPECT_THAT(refusal(counts(kHuge, 0)), HasSubstr("tensors"));
  EXPECT_THAT(refusal(counts(0, kHuge)), HasSubstr("keys"));
  EXPECT_THAT(with(GgufWriter(4)), HasSubstr("version 4"));
  EXPECT_THAT(with(GgufWriter(3U << 24)), HasSubstr("little-endian"));
  EXPECT_THAT(with(GgufWriter().number("a", 1).number("a", 2)), HasSubstr("the same key twice"));
  EXPECT_THAT(with(GgufWriter().value("a", 13, "")), HasSubstr("unknown type 13"));
  EXPECT_THAT(with(GgufWriter().number("general.alignment", 3)),
              HasSubstr("general.alignment is 3"));
  EXPECT_THAT(with(GgufWriter().tensor("t", {}, kF32Id, 0)), HasSubstr("dimensions"));
  EXPECT_THAT(with(GgufWriter().tensor("t", {1, 1, 1, 1, 1}, kF32Id, 0)),
              HasSubstr("5 dimensions"));
  EXPECT_THAT(with(GgufWriter().tensor("t", {0}, kF32Id, 0)), HasSubstr("impossible size"));
  EXPECT_THAT(with(GgufWriter().tensor("t", {1LL << 40, 1LL << 40}, kF32Id, 0)),
              HasSubstr("impossible size"));
  EXPECT_THAT(with(GgufWriter().tensor("t", {32}, 4, 0)), HasSubstr("obsolete type 4"));
  EXPECT_THAT(with(GgufWriter().tensor("t", {32}, 12, 0)), HasSubstr("not a whole number of"));
  EXPECT_THAT(with(GgufWriter().tensor("t", {32}, kF32Id, 1)), HasSubstr("not aligned"));
  EXPECT_THAT(with(GgufWriter().tensor("t", {64}, kF32Id, 0)), HasSubstr("cut off"));
  EXPECT_THAT(with(GgufWriter().tensor("t", {8}, kF32Id, 0).tensor("t", {8}, kF32Id, 32)),
              HasSubstr("same tensor twice"));
  EXPECT_THAT(with(GgufWriter().tensor("a", {16}, kF32Id, 0).tensor("b", {8}, kF32Id, 32)),
              HasSubstr("overlaps"));
  EXPECT_THAT(with(GgufWriter().tensor("\x1b[31m", {8}, kF32Id, 1)),
              ::testing::Not(HasSubstr("\x1b")));
  std::string deep;
  for (int i = 0; i < 64; ++i) deep += std::string("\x09\0\0\0\x01\0\0\0\0\0\0\0", 12);
  EXPECT_THAT(with(GgufWriter().value("a", 9, deep)), HasSubstr("nested too deep"));
}

}  // namespace
}  // namespace ridgewatt::llm
