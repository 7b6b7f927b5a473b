#include "ridgewatt/base/suggest.h"

#include <algorithm>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt {
namespace {

constexpr std::size_t kMostListed = 12;   // chosen: fits in a line with a suggestion
constexpr std::size_t kLongestWord = 64;  // chosen: longer text is not a typing error

// Letters and digits in lower case, without separators.
std::string squeezed(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view("-_. ").find(c) == std::string_view::npos) result += c;
  }
  return lower_case(result);
}

// All words of the set with the names that they mean. Of equal words, the first one counts.
std::vector<Synonym> all_words(const NameSet& set) {
  std::vector<Synonym> words;
  for (const auto& name : set.names) words.push_back({name, name});
  words.insert(words.end(), set.synonyms.begin(), set.synonyms.end());
  for (const auto& common : common_synonyms()) {
    if (contains(set.names, common.name)) {
      words.push_back(common);
    }
  }
  return words;
}

int distance_between(const std::string& a, const std::string& b) {
  std::vector<std::vector<int>> cost(a.size() + 1, std::vector<int>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = static_cast<int>(i);
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replaced = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

// The name if only one name begins or ends with `part`; else empty.
std::string only_name_with(const std::string& part, const std::vector<Synonym>& words) {
  if (part.size() < 3) return "";  // chosen: two letters are too ambiguous
  std::string only;
  for (const auto& [word, name] : words) {
    const std::string whole = squeezed(word);
    if (name.empty() || (!whole.starts_with(part) && !whole.ends_with(part))) continue;
    if (!only.empty() && only != name) return "";
    only = name;
  }
  return only;
}

}  // namespace

std::span<const Synonym> common_synonyms() {
  static const std::vector<Synonym> kWords = {
      {"bfloat16", "bf16"},   {"i8", "int8"},       {"float8", "fp8"},
      {"f8", "fp8"},          {"e4m3", "fp8"},      {"e2m1", "fp4"},
      {"fp32", "f32"},        {"float32", "f32"},   {"fp16", "f16"},
      {"float16", "f16"},     {"half", "f16"},      {"train", "training"},
      {"infer", "inference"}, {"xgboost", "trees"}, {"gaussian-process", "gp"},
      {"ssd", "nvme"},        {"sd-card", "sd"},    {"ram", "memory"},
  };
  return kWords;
}

std::optional<std::string> find_meant(std::string_view text, const NameSet& set) {
  if (contains(set.names, text)) {
    return std::string(text);
  }
  for (const auto& [word, name] : all_words(set)) {
    if (same_word(word, text)) return name;
  }
  return std::nullopt;
}

int edit_distance(std::string_view a, std::string_view b) {
  return distance_between(squeezed(a), squeezed(b));
}

std::string closest_name(std::string_view text, const NameSet& set) {
  const std::string asked = squeezed(text);
  if (text.size() > kLongestWord || asked.empty()) return "";
  const auto words = all_words(set);
  int least = std::max(1, static_cast<int>(asked.size()) / 3) + 1;
  std::string best;
  for (const auto& [word, name] : words) {
    if (word.size() > kLongestWord) continue;
    const int distance = distance_between(asked, squeezed(word));
    if (distance >= least) continue;
    if (name.empty()) {  // a known word that means none of the names
      if (distance == 0) return "";
      continue;
    }
    least = distance;
    best = name;
  }
  return best.empty() ? only_name_with(asked, words) : best;
}

std::string did_you_mean(std::string_view text, const NameSet& set, const std::string& otherwise) {
  const std::string closest = closest_name(text, set);
  return closest.empty() ? otherwise : "did you mean " + closest + "?";
}

std::string hint_for(std::string_view text, const NameSet& set) {
  const std::string closest = did_you_mean(text, set),
                    all = "choose one of " + joined_names(set.names);
  if (closest.empty()) return all;
  return set.names.size() > kMostListed ? closest : closest + " " + all;
}

std::string require_name(const std::string& what, std::string_view text, const NameSet& set) {
  if (auto name = find_meant(text, set)) return *name;
  throw UsageError("unknown " + what, "'" + escape_terminal(text) + "'", hint_for(text, set));
}

}  // namespace ridgewatt
