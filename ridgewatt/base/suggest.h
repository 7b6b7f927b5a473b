// Names of a closed set as people write them: case and separators do not matter, other words for a
// name are understood, and for a mistyped one the message suggests the closest.
//
//   const NameSet boards{{"agx-orin", "orin-nano-8gb"}, {{"orin-nano", "orin-nano-8gb"}}};
//   find_meant("Orin_Nano", boards);      // "orin-nano-8gb"
//   hint_for("agx-orrin", boards);        // "did you mean agx-orin? choose one of ..": both of few
//   hint_for("banana", boards);           // "choose one of agx-orin, orin-nano-8gb"
//
// Every place that reads a name of a closed set uses these functions: enums too, by find_word() and
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

// Whether two words are equal, apart from case and from the separators - _ . and blank.
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

// Another word for a name.
struct Synonym {
  std::string word;
  std::string name;
};

struct NameSet {
  std::vector<std::string> names;
  std::vector<Synonym> synonyms = {};
};

// Words that mean the same in every set that has the name ("half" is fp16, "trt" is tensorrt).
std::span<const Synonym> common_synonyms();

// The name that `text` means: itself, else the name or synonym that is the same word, else that of
// a common synonym; nothing where none is.
std::optional<std::string> find_meant(std::string_view text, const NameSet& set);
// What to do about an unknown name: "did you mean X?", "choose one of X, Y", or of few names both.
std::string hint_for(std::string_view text, const NameSet& set);
// The name that `text` means. Throws UsageError "unknown board: 'agx-orrin': did you mean ..?".
std::string require_name(const std::string& what, std::string_view text, const NameSet& set);

// Number of inserted, deleted, replaced or swapped neighboring characters between two words
// (optimal string alignment; Damerau, CACM 7(3), 1964), ignoring case and separators.
int edit_distance(std::string_view a, std::string_view b);

// The name closest to `text` by its own letters or by those of a synonym: within a third of the
// length (at least one edit), else the only one that begins or ends with `text`; empty when there
// is none.
std::string closest_name(std::string_view text, const NameSet& set);

// "did you mean X?" or, when nothing is close, `otherwise`.
std::string did_you_mean(std::string_view text, const NameSet& set,
                         const std::string& otherwise = "");

// The value of an enum that a word means.
template <typename E>
std::optional<E> find_word(std::string_view text) {
  if (const auto value = find_name<E>(text)) return value;  // at once: files have a row per point
  const auto name = find_meant(text, {names<E>()});
  return name ? find_name<E>(*name) : std::nullopt;
}
// The same; throws as require_name() does.
template <typename E>
E parse_word(std::string_view text, const std::string& what) {
  if (const auto value = find_name<E>(text)) return *value;
  return *find_name<E>(require_name(what, text, {names<E>()}));
}

}  // namespace ridgewatt
