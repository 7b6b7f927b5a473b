// Reads a language model from GGUF files.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/llm/gguf/gguf.h"
#include "ridgewatt/llm/language_model.h"

namespace ridgewatt::llm {

// `headers`: of all shards; the first shard's keys describe the model. `source`: its name.
LanguageModel model_of_gguf(const std::vector<GgufHeader>& headers, const std::string& source);
// Reads a file, or all shards if the name is like NAME-00001-of-00003.gguf, with any shard number.
LanguageModel read_gguf(const std::string& path);

}  // namespace ridgewatt::llm
