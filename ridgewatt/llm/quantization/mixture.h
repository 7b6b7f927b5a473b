// llama.cpp's mixtures: which weight gets another type than most.
#pragma once

#include <array>
#include <optional>

#include "ridgewatt/llm/description.h"
#include "ridgewatt/llm/recipe.h"

namespace ridgewatt::llm {

// What becomes of a weight: the first change whose weights it is among counts.
struct MixtureChange {
  enum class Where {
    kAll,
    kFirst,        // the first `count` layers that have such a weight
    kEdges,        // the first and the last eighth of the layers, and every third between
    kShare,        // the first layers, one of `count` of all
    kManyQueries,  // four or more query heads share one of keys and values
  };
  StoredType type;
  Where where = Where::kAll;
  int count = 0;
};

struct MixtureRules {
  std::array<std::optional<MixtureChange>, 2> values = {};  // and what holds values among others
  std::array<std::optional<MixtureChange>, 2> down = {};    // the second product of feed-forward
  std::optional<StoredType> output = {};                    // of attention
  bool more_for_eight = false;  // output in Q5_K where there are eight experts
};

// Of one model. Ask for the weights in their order, each once: what counts its kind of weight so
// far goes on counting.
class Mixture {
 public:
  Mixture(const Description& description, const Recipe& recipe);
  StoredType type_of(const Weight& weight);

 private:
  StoredType chosen(const Weight& weight);
  StoredType of_values(StoredType type);
  StoredType of_output(StoredType type) const;
  // `at` is the place among `all` layers with such a weight.
  StoredType changed(StoredType type, std::span<const std::optional<MixtureChange>> changes, int at,
                     int all) const;

  const Description& model_;
  const Recipe& recipe_;
  const MixtureRules& rules_;
  int layers_ = 0;
  int value_layers_ = 0;
  int values_seen_ = 0;
  bool many_queries_ = false;  // four or more query heads share one of keys and values
  bool eight_experts_ = false;
  bool wide_values_ = false;
};

}  // namespace ridgewatt::llm
