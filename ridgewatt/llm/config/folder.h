// Reads language models from folders of Hugging Face and of ONNX GenAI.
#pragma once

#include <string>

#include "ridgewatt/io/json.h"
#include "ridgewatt/llm/language_model.h"

namespace ridgewatt::llm {

// Returns the model of a config.json and the tensors in its folder. With empty `tensors`, the model
// has no weights.
LanguageModel model_of_config(const Json& json, std::vector<Tensor> tensors,
                              const std::string& source);
// Returns the model of a genai_config.json. `weight_bytes` is the size of the decoder's file with
// its data.
LanguageModel model_of_genai(const Json& json, double weight_bytes, const std::string& source);
// The decoder's file name in a genai_config.json. Throws InputError if it is outside the folder.
std::string genai_decoder_file(const Json& json, const std::string& source);

// `folder` contains the config.json or genai_config.json.
LanguageModel read_hf_folder(const std::string& folder);
LanguageModel read_genai_folder(const std::string& folder);

}  // namespace ridgewatt::llm
