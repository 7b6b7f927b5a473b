// A language model from GGUF files.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/llm/gguf/gguf.h"
#include "ridgewatt/llm/language_model.h"

namespace ridgewatt::llm {

// `headers`: of all shards, the first one's keys describe the model. `source` names it.
LanguageModel model_of_gguf(const std::vector<GgufHeader>& headers, const std::string& source);
// The file, or all shards where its name ends in -00001-of-00003.gguf (whichever of them is named).
LanguageModel read_gguf(const std::string& path);

}  // namespace ridgewatt::llm
