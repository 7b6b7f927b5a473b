// Language models from folders: Hugging Face's and those of ONNX GenAI.
#pragma once

#include <string>

#include "ridgewatt/io/json.h"
#include "ridgewatt/llm/language_model.h"

namespace ridgewatt::llm {

// From a config.json and the tensors that were found in its folder (none: the configuration alone).
LanguageModel model_of_config(const Json& json, std::vector<Tensor> tensors,
                              const std::string& source);
// From a genai_config.json; `weight_bytes`: size of the decoder's file and its data.
LanguageModel model_of_genai(const Json& json, double weight_bytes, const std::string& source);
// The decoder's file name in a genai_config.json. InputError where it leaves the folder.
std::string genai_decoder_file(const Json& json, const std::string& source);

// A folder, or the file that stands for one.
LanguageModel read_hf_folder(const std::string& folder);
LanguageModel read_genai_folder(const std::string& folder);

}  // namespace ridgewatt::llm
