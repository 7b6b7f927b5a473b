// Reads a language model from GGUF files.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/llm/gguf/gguf.h"
#include "ridgewatt/llm/language_model.h"

namespace ridgewatt::llm {

// `headers` of all shards; the keys of the first one describe the model. `source` is its name.
LanguageModel model_of_gguf(const std::vector<GgufHeader>& headers, const std::string& source);
// Reads a file, or all shards if the name is like NAME-00001-of-00003.gguf, with any shard number.
LanguageModel read_gguf(const std::string& path);

}  // namespace ridgewatt::llm
