// llama.cpp's mixtures: rules by which some weights have another type than most weights.
#pragma once

#include <array>
#include <optional>

#include "ridgewatt/llm/description.h"
#include "ridgewatt/llm/recipe.h"

namespace ridgewatt::llm {

// A rule that changes the type of some weights. The first rule that applies to a weight is used.
struct MixtureChange {
  enum class Where {
    kAll,
    kFirst,        // in the first `count` layers with such a weight
    kEdges,        // in the first and last eighth of the layers, and every third between
    kShare,        // in the first 1 / `count` of the layers
    kManyQueries,  // if four or more query heads share a head of keys and values
  };
  StoredType type;
  Where where = Where::kAll;
  int count = 0;
};

struct MixtureRules {
  // Changes of the value weights, even if these are fused with other weights.
  std::array<std::optional<MixtureChange>, 2> values = {};
  std::array<std::optional<MixtureChange>, 2> down = {};  // of the second matrix of feed-forward
  std::optional<StoredType> output = {};                  // of the output matrix of attention
  bool more_for_eight = false;  // with eight experts, the output matrix of attention has Q5_K
};

// The types of the weights of one model. Call type_of() once per weight, in the order of
// weights_of(), since it counts the layers with value weights.
class Mixture {
 public:
  Mixture(const Description& description, const Recipe& recipe);
  StoredType type_of(const Weight& weight);

 private:
  StoredType chosen(const Weight& weight);
  StoredType of_values(StoredType type);
  StoredType of_output(StoredType type) const;
  // `at` is the index of the layer among the `all` layers with such a weight.
  StoredType changed(StoredType type, std::span<const std::optional<MixtureChange>> changes, int at,
                     int all) const;

  const Description& model_;
  const Recipe& recipe_;
  const MixtureRules& rules_;
  int layers_ = 0;
  int value_layers_ = 0;
  int values_seen_ = 0;
  bool many_queries_ = false;  // four or more query heads share a head of keys and values
  bool eight_experts_ = false;
  bool wide_values_ = false;
};

}  // namespace ridgewatt::llm
