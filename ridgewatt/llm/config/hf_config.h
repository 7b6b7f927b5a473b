// Hugging Face's config.json as the numbers of a model.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ridgewatt/io/json.h"
#include "ridgewatt/llm/description.h"
#include "ridgewatt/llm/recipe.h"

namespace ridgewatt::llm {

struct HfConfig {
  std::string architecture;  // model_type; of the nested text_config where there is one
  bool known = false;        // a family whose weights follow from its numbers
  bool has_vision = false;   // or sound: more than text
  Numbers numbers;
  std::optional<Recipe> quantization;  // of quantization_config
  std::string quantization_name;       // quant_method and bits; empty: none
};

// JSON of at most 4 MiB and 32 levels. InputError; `file` names it.
Json parse_config_json(std::string_view text, const std::string& file);
Json read_config_json(const std::string& path);
// InputError where it is no configuration of a language model. What is missing shows when its
// numbers are described.
HfConfig parse_hf_config(const Json& json, const std::string& file);

}  // namespace ridgewatt::llm
