// Tests headers of safetensors files: valid headers are read, inconsistent ones are rejected.
#include "ridgewatt/llm/safetensors/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/llm/language_model.h"

namespace ridgewatt::llm {
namespace {

using ::testing::HasSubstr;

std::string safetensors_file(const std::string& json, std::size_t data_bytes) {
  const std::uint64_t size = json.size();
  std::string bytes(sizeof size, '\0');
  std::memcpy(bytes.data(), &size, sizeof size);
  return bytes + json + std::string(data_bytes, '\0');
}

std::string refused(const std::string& json, std::size_t data_bytes) {
  try {
    parse_safetensors(safetensors_file(json, data_bytes), "a.safetensors");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

constexpr const char* kTwo =
    R"({"__metadata__":{"format":"pt"},"a.weight":{"dtype":"F16","shape":[4,8],"data_offsets":[0,64]},)"
    R"("model.layers.3.mlp.up_proj.qweight":{"dtype":"I32","shape":[2,2],"data_offsets":[64,80]}})";

TEST(Safetensors, TensorsAreReadAsStored) {
  const auto tensors = parse_safetensors(safetensors_file(kTwo, 80), "a.safetensors");
  ASSERT_EQ(tensors.size(), 2U);
  EXPECT_EQ(tensors[0].name, "a.weight");
  EXPECT_EQ(tensors[0].shape, (std::vector<std::int64_t>{4, 8}));
  EXPECT_EQ(tensors[0].type, StoredType::kF16);
  EXPECT_DOUBLE_EQ(bytes_of(tensors), 80);
  EXPECT_EQ(tensors[1].layer, 3);
}

TEST(Safetensors, ScalarsAndEmptyTensorsAreAllowed) {
  EXPECT_EQ(refused(R"({"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]},)"
                    R"("b":{"dtype":"F32","shape":[0,7],"data_offsets":[4,4]}})",
                    4),
            "");
}

TEST(Safetensors, LiesAreRefused) {
  const auto one = [](const std::string& fields) { return "{\"a\":{" + fields + "}}"; };
  EXPECT_THAT(refused(kTwo, 79), HasSubstr("cut off"));
  EXPECT_THAT(refused(one(R"("dtype":"F16","shape":[4],"data_offsets":[0,9])"), 9),
              HasSubstr("needs 8 bytes, but its data offsets span 9"));
  EXPECT_THAT(refused(one(R"("dtype":"F99","shape":[4],"data_offsets":[0,8])"), 8),
              HasSubstr("unknown type 'F99'"));
  EXPECT_THAT(refused(one(R"("dtype":"F16","shape":[4],"data_offsets":[8,0])"), 8),
              HasSubstr("beyond the data"));
  EXPECT_THAT(refused(one(R"("dtype":"F16","data_offsets":[0,8])"), 8), HasSubstr("lacks"));
  EXPECT_THAT(refused(one(R"("dtype":"F16","shape":[-4],"data_offsets":[0,8])"), 8),
              HasSubstr("below zero"));
  EXPECT_THAT(
      refused(one(R"("dtype":"F16","shape":[4503599627370496,4096],"data_offsets":[0,8])"), 8),
      HasSubstr("impossible shape"));
  EXPECT_THAT(refused(R"({"a":{"dtype":"F16","shape":[4],"data_offsets":[0,8]},)"
                      R"("a":{"dtype":"F16","shape":[4],"data_offsets":[8,16]}})",
                      16),
              HasSubstr("a duplicate tensor"));
  EXPECT_THAT(refused(R"({"a":{"dtype":"F16","shape":[4],"data_offsets":[0,8]},)"
                      R"("b":{"dtype":"F16","shape":[4],"data_offsets":[6,14]}})",
                      16),
              HasSubstr("overlap"));
  EXPECT_THAT(refused("{\"a\":[[[[[[1]]]]]]}", 0), HasSubstr("nested too deep"));
  EXPECT_THAT(refused("{\"a\":", 0), HasSubstr("is not valid JSON"));
  EXPECT_THAT(refused("{\"a\":" + std::string(100000, '['), 0), HasSubstr("nested too deep"));
}

TEST(Safetensors, EveryPrefixIsRefused) {
  const std::string whole = safetensors_file(kTwo, 80);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THROW(parse_safetensors(whole.substr(0, size), "a"), InputError) << size;
  }
}

TEST(Safetensors, ChangedBytesEndInTensorsOrARefusal) {
  const std::string whole = safetensors_file(kTwo, 80);
  Random random(7);
  for (int i = 0; i < 20000; ++i) {
    std::string changed = whole;
    for (int k = 0; k < 3; ++k) {
      changed[random.below(changed.size())] = static_cast<char>(random.below(256));
    }
    try {
      parse_safetensors(changed, "a");
    } catch (const InputError&) {
    }
  }
}

TEST(Safetensors, AnIndexNamesFilesOfItsFolderAlone) {
  EXPECT_EQ(parse_safetensors_index(R"({"weight_map":{"a":"x","b":"x","c":"y"}})", "i").size(), 2U);
  for (const char* text :
       {R"({"weight_map":{"a":"../x"}})", R"({"weight_map":{"a":"/etc/passwd"}})",
        R"({"weight_map":{"a":".."}})", R"({"weight_map":{"a":7}})", R"({"weight_map":{}})",
        R"({"weight_map":[]})", "{}", "[", ""}) {
    EXPECT_THROW(parse_safetensors_index(text, "i"), InputError) << text;
  }
}

// A folder in the layout of Hugging Face: AWQ in two shards with an index and a configuration.
TEST(Safetensors, AFolderOfShardsIsReadAsStored) {
  const testing::TemporaryFolder folder;
  const auto zoo = read_language_model("zoo:smollm2-135m").description;
  const auto all = quantized(zoo, find_recipe("awq"));
  Json index = {{"weight_map", Json::object()}};
  const std::size_t half = all.size() / 2;
  for (const int shard : {0, 1}) {
    const std::string name = "model-0000" + std::to_string(shard + 1) + "-of-00002.safetensors";
    Json header = Json::object();
    std::uint64_t end = 0;
    for (std::size_t i = shard == 0 ? 0 : half; i < (shard == 0 ? half : all.size()); ++i) {
      const auto begin = end;
      end += static_cast<std::uint64_t>(all[i].bytes);
      header[all[i].name] = {{"dtype", facts_of(all[i].type).safetensors},
                             {"shape", all[i].shape},
                             {"data_offsets", {begin, end}}};
      index["weight_map"][all[i].name] = name;
    }
    const std::string file = safetensors_file(header.dump(), 0);
    folder.write(name, file);
    std::filesystem::resize_file(folder.path() / name, file.size() + end);
  }
  folder.write("model.safetensors.index.json", index.dump());
  folder.write("config.json", R"({"model_type": "llama", "hidden_size": 576,
    "num_hidden_layers": 30, "num_attention_heads": 9, "num_key_value_heads": 3,
    "intermediate_size": 1536, "vocab_size": 49152, "tie_word_embeddings": true,
    "max_position_embeddings": 8192,
    "quantization_config": {"quant_method": "awq", "bits": 4, "group_size": 128}})");
  for (const char* name :
       {"", "config.json", "model.safetensors.index.json", "model-00002-of-00002.safetensors"}) {
    const auto model = read_language_model((folder.path() / name).string());
    EXPECT_DOUBLE_EQ(bytes_of(model.tensors), bytes_of(all)) << name;
    EXPECT_TRUE(model.weights_known) << name;
    EXPECT_EQ(model.stored_as, "awq, 4 bits");
    EXPECT_EQ(parameters_of(model.description), parameters_of(zoo));
  }
}

}  // namespace
}  // namespace ridgewatt::llm
