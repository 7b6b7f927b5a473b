#include "ridgewatt/llm/config/folder.h"

#include <fmt/format.h>

#include <filesystem>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/path.h"
#include "ridgewatt/llm/config/hf_config.h"
#include "ridgewatt/llm/family.h"
#include "ridgewatt/llm/safetensors/safetensors.h"
#include "ridgewatt/llm/tensor_names.h"

namespace ridgewatt::llm {
namespace {

namespace fs = std::filesystem;

// The name of the folder that contains the file of a model.
std::string name_of_folder(const std::string& source) {
  if (is_descriptor(source)) return source;
  const fs::path path = fs::path(absolute_path(folder_of(source))).lexically_normal();
  return (path.has_filename() ? path : fs::path(folder_of(path.string()))).filename().string();
}

bool present(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

std::vector<Tensor> tensors_in(const fs::path& folder) {
  const fs::path index = folder / "model.safetensors.index.json";
  const fs::path single = folder / "model.safetensors";
  if (present(index)) return read_safetensors_index(index.string());
  if (present(single)) return read_safetensors(single.string());
  return {};
}

// An integer of a GenAI configuration, or 0 if it is missing.
std::int64_t whole(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_integer()) return 0;
  if (found->is_number_unsigned() && found->get<std::uint64_t>() > std::uint64_t{1} << 62) return 0;
  return found->get<std::int64_t>();
}

const Json& genai_decoder(const Json& json, const std::string& source) {
  const auto model = json.find("model");
  if (model == json.end() || !model->is_object() || !model->contains("decoder") ||
      !(*model)["decoder"].is_object()) {
    throw InputError("is not a configuration of ONNX GenAI, because it lacks model.decoder",
                     source);
  }
  return (*model)["decoder"];
}

}  // namespace

LanguageModel model_of_config(const Json& json, std::vector<Tensor> tensors,
                              const std::string& source) {
  HfConfig config = parse_hf_config(json, source);
  LanguageModel model;
  model.format = tensors.empty() ? ModelFormat::kConfig : ModelFormat::kSafetensors;
  model.source = source;
  model.architecture = config.architecture;
  model.weights_known = config.known;
  model.tensors = std::move(tensors);
  model.stored_as = config.quantization_name;
  if (!config.known && model.tensors.empty()) {
    NameSet families;
    for (const FamilyRow& row : kFamilyRows) {
      for (const auto type : row.model_types) {
        if (!type.empty()) families.names.emplace_back(type);
      }
    }
    throw InputError("architecture '" + escape_terminal(config.architecture) +
                         "' is not known, and its folder has no tensors to derive the model from",
                     source, hint_for(config.architecture, families));
  }
  describe_with_tensors(config.numbers, source, model);
  if (model.tensors.empty() && config.quantization) {
    model.tensors = quantized(model.description, *config.quantization);
  } else if (model.tensors.empty() && !config.quantization_name.empty()) {
    model.remarks.push_back("quantization '" + config.quantization_name +
                            "' is not known; give --quantization");
  }
  if (config.has_vision) {
    model.remarks.emplace_back(
        "the vision and audio parts are counted only if their tensors are in the file; their "
        "buffers are not modelled");
  }
  model.name = config.numbers.name.empty() ? name_of_folder(source) : config.numbers.name;
  return model;
}

LanguageModel read_hf_folder(const std::string& folder) {
  const fs::path config = fs::path(folder) / "config.json";
  const Json json = read_config_json(config.string());
  return model_of_config(json, tensors_in(folder), config.string());
}

std::string genai_decoder_file(const Json& json, const std::string& source) {
  const Json& decoder = genai_decoder(json, source);
  const auto found = decoder.find("filename");
  if (found == decoder.end() || !found->is_string() ||
      !is_plain_file_name(found->get<std::string>())) {
    throw InputError(
        "model.decoder.filename does not name a file in the folder of the configuration", source);
  }
  return found->get<std::string>();
}

LanguageModel model_of_genai(const Json& json, double weight_bytes, const std::string& source) {
  const Json& decoder = genai_decoder(json, source);
  const Json& outer = json["model"];
  LanguageModel model;
  model.format = ModelFormat::kGenAi;
  model.source = source;
  model.name = name_of_folder(source);
  const auto type = outer.find("type");
  if (type != outer.end() && type->is_string()) model.architecture = type->get<std::string>();
  Numbers n;
  n.layers = whole(decoder, "num_hidden_layers");
  n.hidden = whole(decoder, "hidden_size");
  n.heads = whole(decoder, "num_attention_heads");
  n.kv_heads = whole(decoder, "num_key_value_heads");
  n.key_size = whole(decoder, "head_size");
  n.vocabulary = whole(outer, "vocab_size");
  n.context = whole(outer, "context_length");
  n.feed_forward = 1;  // not stated, and not needed for the cache
  model.description = describe(n, source);
  model.weights_known = false;
  model.stored_as = "onnx";
  Tensor all;
  all.name = "decoder";
  all.type = StoredType::kU8;
  all.bytes = weight_bytes;
  model.tensors.push_back(std::move(all));
  model.remarks.emplace_back(
      "the size of the weights is that of the decoder's ONNX file with its data; the cache is "
      "sized for the whole context");
  return model;
}

LanguageModel read_genai_folder(const std::string& folder) {
  const fs::path config = fs::path(folder) / "genai_config.json";
  const Json json = read_config_json(config.string());
  const fs::path decoder = fs::path(folder) / genai_decoder_file(json, config.string());
  std::error_code failed;
  const auto size = fs::file_size(decoder, failed);
  if (failed) throw_errno(failed.value(), "cannot read the file", decoder.string());
  double bytes = static_cast<double>(size);
  for (const char* ending : {".data", "_data"}) {
    const auto more = fs::file_size(decoder.string() + ending, failed);
    if (!failed) bytes += static_cast<double>(more);
  }
  return model_of_genai(json, bytes, config.string());
}

}  // namespace ridgewatt::llm
