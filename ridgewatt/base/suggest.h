// Finds names of a closed set as people write them. Case and separators do not matter and synonyms
// are accepted. For a mistyped name the message suggests the closest one.
//
//   const NameSet boards{{"agx-orin", "orin-nano-8gb"}, {{"orin-nano", "orin-nano-8gb"}}};
//   find_meant("Orin_Nano", boards);      // "orin-nano-8gb"
//   hint_for("agx-orrin", boards);        // "did you mean agx-orin? choose one of .."
//   hint_for("banana", boards);           // "choose one of agx-orin, orin-nano-8gb"
//
// All code that parses a name of a closed set uses these functions. For enums, use find_word() and
// parse_word().
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/base/enum_names.h"

namespace ridgewatt {

// Returns whether two words are equal apart from case and the separators '-', '_', '.' and ' '.
constexpr bool same_word(std::string_view a, std::string_view b) {
  const auto next = [](std::string_view text, std::size_t& at) {
    while (at < text.size() && std::string_view("-_. ").find(text[at]) != std::string_view::npos)
      ++at;
    if (at == text.size()) return '\0';
    const char c = text[at++];
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  std::size_t i = 0, j = 0;
  while (true) {
    const char x = next(a, i), y = next(b, j);
    if (x != y) return false;
    if (x == '\0') return i == a.size() && j == b.size();
  }
}

// A word that stands for a name.
struct Synonym {
  std::string word;
  std::string name;
};

// A closed set of names.
struct NameSet {
  std::vector<std::string> names;
  std::vector<Synonym> synonyms = {};
};

// Words that have the same meaning in every set that contains the name ("half" is f16).
std::span<const Synonym> common_synonyms();

// Returns the name that `text` means: the name itself, a name or synonym of the set that
// same_word() finds equal, or the name of a common synonym. Absent if there is none.
std::optional<std::string> find_meant(std::string_view text, const NameSet& set);
// Returns what to do about an unknown name: "did you mean X?", "choose one of X, Y", or both if
// there are few names.
std::string hint_for(std::string_view text, const NameSet& set);
// Returns the name that `text` means. Throws UsageError, such as "unknown board: 'agx-orrin': did
// you mean ..?".
std::string require_name(const std::string& what, std::string_view text, const NameSet& set);

// Returns the number of characters to insert, delete, replace or swap with a neighbor between two
// words (optimal string alignment; Damerau, CACM 7(3), 1964). Ignores case and separators.
int edit_distance(std::string_view a, std::string_view b);

// Returns the name that is closest to `text`, or whose synonym is closest. The edit distance must
// be at most a third of the length (at least 1). If no name is so close, returns the only name that
// begins or ends with `text`. Empty if there is none.
std::string closest_name(std::string_view text, const NameSet& set);

// Returns "did you mean X?", or `otherwise` if no name is close.
std::string did_you_mean(std::string_view text, const NameSet& set,
                         const std::string& otherwise = "");

// Returns the names of an enum. Synonyms are the `words` of its rows if the enum has enum_words().
template <typename E>
NameSet name_set() {
  NameSet set{names<E>()};
  if constexpr (requires { enum_words(E{}); }) {
    for (const auto& row : enum_words(E{})) {
      for (const std::string_view word : row.words) {
        if (!word.empty()) set.synonyms.push_back({std::string(word), std::string(row.name)});
      }
    }
  }
  return set;
}

// Returns the value of an enum that a word means; absent if there is none.
template <typename E>
std::optional<E> find_word(std::string_view text) {
  if (const auto value = find_name<E>(text)) return value;  // fast path: files have a row per point
  const auto name = find_meant(text, name_set<E>());
  return name ? find_name<E>(*name) : std::nullopt;
}
// Returns the value of an enum that a word means. Throws like require_name().
template <typename E>
E parse_word(std::string_view text, const std::string& what) {
  if (const auto value = find_name<E>(text)) return *value;
  return *find_name<E>(require_name(what, text, name_set<E>()));
}

}  // namespace ridgewatt
