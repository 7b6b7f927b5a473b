// llama.cpp's mixtures: which weight gets another type than most.
#pragma once

#include "ridgewatt/llm/description.h"
#include "ridgewatt/llm/recipe.h"

namespace ridgewatt::llm {

// Of one model. Ask for the weights in their order, each once: what counts its kind of weight so
// far goes on counting.
class Mixture {
 public:
  Mixture(const Description& description, const Recipe& recipe);
  StoredType type_of(const Weight& weight);

 private:
  StoredType chosen(const Weight& weight);
  StoredType of_values(StoredType type);
  StoredType of_down(StoredType type, int layer) const;
  StoredType of_output(StoredType type) const;

  const Description& model_;
  const Recipe& recipe_;
  std::string_view name_;
  int layers_ = 0;
  int value_layers_ = 0;
  int values_seen_ = 0;
  bool many_queries_ = false;  // four or more query heads share one of keys and values
  bool eight_experts_ = false;
  bool seventy_ = false;  // Llama's model of 80 layers
};

}  // namespace ridgewatt::llm
