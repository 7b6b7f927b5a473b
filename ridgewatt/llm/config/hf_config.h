// Reads a Hugging Face config.json.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ridgewatt/io/json.h"
#include "ridgewatt/llm/description.h"
#include "ridgewatt/llm/recipe.h"

namespace ridgewatt::llm {

struct HfConfig {
  std::string architecture;  // model_type, of the nested text_config if there is one
  bool known = false;        // the family is known, so the numbers determine the weights
  bool has_vision = false;   // the model also processes images or sound
  Numbers numbers;
  std::optional<Recipe> quantization;  // from quantization_config
  std::string quantization_name;       // quant_method and bits; empty: none
};

// JSON of at most 4 MiB and 32 levels. Throws InputError with the name `file`.
Json parse_config_json(std::string_view text, const std::string& file);
Json read_config_json(const std::string& path);
// Throws InputError if the JSON is not a configuration of a language model. Missing numbers are
// reported later, by describe().
HfConfig parse_hf_config(const Json& json, const std::string& file);

}  // namespace ridgewatt::llm
