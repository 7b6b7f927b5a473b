// Reads TOML files (boards, engines, studies) without exposing the library that parses them.
//
//   const TomlTable table = parse_toml(text, "board.toml");
//   const std::string* name = table["name"].as<std::string>();  // null: absent, or not a text
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace ridgewatt {

class TomlNode;
using TomlArray = std::vector<TomlNode>;

// A table with its keys in alphabetical order.
class TomlTable {
 public:
  using Entries = std::vector<std::pair<std::string, TomlNode>>;

  TomlTable() = default;
  // `entries` may have any order but must not repeat a key.
  explicit TomlTable(Entries entries);

  const TomlNode* get(std::string_view key) const;  // null if there is no such key
  bool contains(std::string_view key) const { return get(key) != nullptr; }
  // A node without a value if there is no such key.
  const TomlNode& operator[](std::string_view key) const;

  Entries::const_iterator begin() const { return entries_.begin(); }
  Entries::const_iterator end() const { return entries_.end(); }

 private:
  Entries entries_;
};

class TomlNode {
 public:
  // Dates and times have no value (monostate), since no file of this project contains one.
  using Value =
      std::variant<std::monostate, bool, std::int64_t, double, std::string, TomlArray, TomlTable>;

  TomlNode() = default;
  explicit TomlNode(Value value) : value_(std::move(value)) {}

  // Null if the value has another type.
  template <class T>
  const T* as() const {
    return std::get_if<T>(&value_);
  }
  // The value of an integer or floating-point number.
  std::optional<double> number() const {
    if (const auto* whole = as<std::int64_t>()) return static_cast<double>(*whole);
    const auto* real = as<double>();
    return real == nullptr ? std::nullopt : std::optional(*real);
  }
  // The tables in an array of tables; empty for any other value.
  std::vector<const TomlTable*> tables() const;

 private:
  Value value_;
};

// Throws InputError with `source` and the line. Stricter than TOML in two respects: a file is ASCII
// except in comment lines, and values are nested at most 100 levels deep.
TomlTable parse_toml(std::string_view text, const std::string& source);

}  // namespace ridgewatt
