#include "ridgewatt/llm/language_model.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/path.h"
#include "ridgewatt/llm/config/folder.h"
#include "ridgewatt/llm/config/hf_config.h"
#include "ridgewatt/llm/gguf/gguf_model.h"
#include "ridgewatt/llm/safetensors/safetensors.h"
#include "ridgewatt/llm/tensor_names.h"
#include "ridgewatt/workload/mapped_file.h"
#include "ridgewatt/workload/zoo.h"

namespace ridgewatt::llm {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kZooPrefix = "zoo:";

LanguageModel from_zoo(const std::string& text) {
  const NameSet names = language_zoo_names();
  const auto name = find_meant(text, names);
  if (!name) {
    const std::string closest = closest_name(text, names);
    throw NotFoundError("no language model '" + escape_terminal(text) + "' in the zoo", "",
                        closest.empty() ? "choose one of " + joined_names(names.names)
                                        : "did you mean zoo:" + closest + "?");
  }
  const ZooModel& entry = *find_zoo_model(*name);
  LanguageModel model;
  model.name = entry.name;
  model.source = entry.source;
  model.architecture = name_of(entry.numbers.family);
  model.description = describe(entry.numbers, "zoo:" + *name);
  return model;
}

std::string only_gguf_of(const fs::path& folder) {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const bool later_shard =
        name.find("-of-") != std::string::npos && name.find("-00001-of-") == std::string::npos;
    if (name.ends_with(".gguf") && !later_shard) found.push_back(entry.path().string());
  }
  if (found.size() == 1) return found.front();
  throw InputError(
      found.empty() ? "the folder has no language model" : "the folder has several GGUF files",
      folder.string(),
      found.empty() ? "it has no config.json, genai_config.json, model.safetensors or "
                      "GGUF file"
                    : "give the path of one of them");
}

LanguageModel from_tensors(std::vector<Tensor> tensors, const std::string& source) {
  LanguageModel model;
  model.format = ModelFormat::kSafetensors;
  model.source = source;
  model.name = is_descriptor(source) ? source : fs::path(source).filename().string();
  model.tensors = std::move(tensors);
  model.weights_known = false;
  describe_with_tensors({}, source, model);
  return model;
}

LanguageModel from_folder(const std::string& path) {
  const fs::path folder = path;
  if (fs::exists(folder / "genai_config.json")) return read_genai_folder(path);
  if (fs::exists(folder / "config.json")) return read_hf_folder(path);
  const fs::path index = folder / "model.safetensors.index.json";
  if (fs::exists(index)) return from_tensors(read_safetensors_index(index.string()), path);
  const fs::path single = folder / "model.safetensors";
  if (fs::exists(single)) return from_tensors(read_safetensors(single.string()), path);
  return read_gguf(only_gguf_of(folder));
}

LanguageModel from_json(std::string_view text, const std::string& path) {
  const std::string folder = folder_of(path);
  if (path.ends_with(".index.json")) {
    if (fs::exists(fs::path(folder) / "config.json")) return read_hf_folder(folder);
    return from_tensors(read_safetensors_index(path), path);
  }
  const Json json = parse_config_json(text, path);
  if (json.contains("model") && json["model"].is_object()) return read_genai_folder(folder);
  if (fs::path(path).filename() == "config.json") return read_hf_folder(folder);
  return model_of_config(json, {}, path);
}

// Whether the file is a shard in a folder with an index of all shards.
bool is_shard_of_folder(const std::string& path) {
  return fs::path(path).filename().string().find("-of-") != std::string::npos &&
         fs::exists(folder_of(path) + "/model.safetensors.index.json");
}

LanguageModel from_safetensors(std::string_view bytes, const std::string& path) {
  const std::string folder = folder_of(path);
  if (is_shard_of_folder(path)) return from_folder(folder);
  auto tensors = parse_safetensors(bytes, path);
  const std::string config = folder + "/config.json";
  if (!fs::exists(config)) return from_tensors(std::move(tensors), path);
  return model_of_config(read_config_json(config), std::move(tensors), config);
}

LanguageModel from_file(const std::string& path) {
  const workload::MappedFile mapped(path);
  const std::string_view start = mapped.bytes().substr(0, 64);
  if (start.starts_with("GGUF")) return read_gguf(path);
  const auto first = start.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && start[first] == '{') {
    return from_json(mapped.bytes(), path);
  }
  if (start.size() > 8 && start[8] == '{') return from_safetensors(mapped.bytes(), path);
  throw InputError("is not a language model", path,
                   "give a GGUF or safetensors file, config.json, genai_config.json or zoo:NAME");
}

}  // namespace

LanguageModel read_language_model(const std::string& path_or_zoo) {
  if (path_or_zoo.starts_with(kZooPrefix)) {
    return from_zoo(path_or_zoo.substr(kZooPrefix.size()));
  }
  workload::suggest_zoo_model(path_or_zoo, language_zoo_names());
  std::error_code ignored;
  return fs::is_directory(path_or_zoo, ignored) ? from_folder(path_or_zoo) : from_file(path_or_zoo);
}

}  // namespace ridgewatt::llm
