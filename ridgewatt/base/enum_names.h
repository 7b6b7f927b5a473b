// Names of the values of an enum. One table next to the enum serves printing, parsing, help and
// error messages.
//
//   enum class Sharing { kManaged, kNative };
//   constexpr auto enum_names(Sharing) {
//     return named<Sharing>({{Sharing::kManaged, "managed"}, {Sharing::kNative, "native"}});
//   }
//   name_of(Sharing::kNative);           // "native"
//   parse<Sharing>("native", "sharing")  // Sharing::kNative; or UsageError that lists the names
//   names<Sharing>();                    // {"managed", "native"}, for CLI::IsMember
//
// enum_names() is found by argument-dependent lookup, so it must be in the namespace of the enum or
// a friend of the class that contains the enum. Duplicate names are compile errors. If the values
// of the enum start at 0, enumerators without a name are compile errors, too.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace ridgewatt {

template <typename E>
struct EnumName {
  E value;
  std::string_view name;
};

// Returns the table. It is a compile error if a value or a name is a duplicate.
template <typename E, std::size_t N>
consteval std::array<EnumName<E>, N> named(const EnumName<E> (&entries)[N]) {
  for (std::size_t i = 0; i < N; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (entries[i].value == entries[j].value || entries[i].name == entries[j].name) {
        throw "a value or a name of an enum is a duplicate";
      }
    }
  }
  return std::to_array(entries);
}

template <typename E>
inline constexpr auto kEnumNames = enum_names(E{});

// Returns the value with this name; absent if there is none.
template <typename E>
constexpr std::optional<E> find_name(std::string_view name) {
  for (const auto& entry : kEnumNames<E>) {
    if (entry.name == name) return entry.value;
  }
  return std::nullopt;
}

// Returns whether the value has an enumerator. For a value without one, GCC and Clang print a cast
// such as "(Sharing)7".
template <auto kValue>
consteval bool is_enumerator() {
  std::string_view text = __PRETTY_FUNCTION__;
  text.remove_suffix(1);  // ]
  const auto last = text.find_last_not_of("0123456789");
  return last + 1 == text.size() || text[last] != ')';
}

// Returns the number of values. It is a compile error if an enumerator has no name.
template <typename E>
consteval std::size_t count_of() {
  constexpr std::size_t kSize = kEnumNames<E>.size();
  static_assert(
      []<std::size_t... kAt>(std::index_sequence<kAt...>) {
        std::size_t enumerators = 0;
        ((enumerators += is_enumerator<static_cast<E>(kAt)>() ? 1U : 0U), ...);
        return enumerators <= kSize;
      }(std::make_index_sequence<kSize + 1>()),
      "an enumerator has no name");
  return kSize;
}

// Returns the name of the value; empty if it has none.
template <typename E>
constexpr std::string_view name_of(E value) {
  static_assert(count_of<E>() > 0);
  for (const auto& entry : kEnumNames<E>) {
    if (entry.value == value) return entry.name;
  }
  return "";
}

// Returns all names, in the order of the table.
template <typename E>
std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& entry : kEnumNames<E>) all.emplace_back(entry.name);
  return all;
}

// Returns "managed, priority, native".
std::string joined_names(const std::vector<std::string>& names);
// Returns the names of the enum in this form, for help and messages.
template <typename E>
std::string joined_names() {
  return joined_names(names<E>());
}

// Throws UsageError: "unknown WHAT: 'text': one of managed, priority, native".
[[noreturn]] void throw_unknown_name(const std::string& what, std::string_view text,
                                     const std::vector<std::string>& names);

// Returns the value with this name. Throws the error of throw_unknown_name() if there is none.
// `what`: description for the message, such as "way of sharing".
template <typename E>
E parse(std::string_view text, const std::string& what) {
  if (const auto value = find_name<E>(text)) return *value;
  throw_unknown_name(what, text, names<E>());
}

}  // namespace ridgewatt

#pragma GCC visibility pop
