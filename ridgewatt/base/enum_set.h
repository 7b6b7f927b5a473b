// A set of values of an enum that starts at 0 and has names (enum_names.h).
//
//   EnumSet<PointFlag> flags;
//   flags.add(PointFlag::kThrottled);
//   flags.text();  // "throttled"
#pragma once

#include <bitset>
#include <sstream>
#include <string>

#include "ridgewatt/base/enum_names.h"

#pragma GCC visibility push(default)

namespace ridgewatt {

template <typename E>
class EnumSet {
 public:
  void add(E value, bool holds = true) {
    if (holds) values_.set(static_cast<std::size_t>(value));
  }
  void add(const EnumSet& other) { values_ |= other.values_; }
  bool has(E value) const { return values_.test(static_cast<std::size_t>(value)); }
  bool empty() const { return values_.none(); }
  bool operator==(const EnumSet&) const = default;

  // Returns the names, in the order of the enum, separated by blanks.
  std::string text() const {
    std::string text;
    for (const auto& [value, name] : kEnumNames<E>) {
      if (has(value)) text.append(text.empty() ? "" : " ").append(name);
    }
    return text;
  }
  // Parses names separated by blanks. Returns nullopt if a word is not a name.
  static std::optional<EnumSet> read(const std::string& text) {
    EnumSet set;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
      const auto value = find_name<E>(word);
      if (!value) return std::nullopt;
      set.add(*value);
    }
    return set;
  }

 private:
  std::bitset<count_of<E>()> values_;
};

}  // namespace ridgewatt

#pragma GCC visibility pop
