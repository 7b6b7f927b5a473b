// A table with one row per member of an enum. Each row has all facts about its member that belong
// to the layer of the enum. A higher layer that knows more facts has its own table.
//
//   struct SharingRow { Sharing id; std::string_view name; bool managed; };
//   inline constexpr auto kSharingRows = enum_rows<SharingRow>(
//       {{Sharing::kManaged, "managed", true}, {Sharing::kNative, "native", false}});
//   constexpr auto enum_names(Sharing) { return names_of(kSharingRows); }
//   kSharingRows[Sharing::kNative].managed;
//
// Compile errors: a member without a row, rows in another order than the members (which start at
// 0), two equal names, or a row whose member function complete() returns false.
#pragma once

#include <array>
#include <cstddef>

#include "ridgewatt/base/enum_names.h"

#pragma GCC visibility push(default)

namespace ridgewatt {

template <typename Row, std::size_t N>
struct EnumRows {
  using Enum = decltype(Row::id);
  std::array<Row, N> rows;

  constexpr const Row& operator[](Enum id) const { return rows[static_cast<std::size_t>(id)]; }
  static constexpr std::size_t size() { return N; }
  constexpr const Row* begin() const { return rows.data(); }
  constexpr const Row* end() const { return rows.data() + N; }
};

template <typename Row, std::size_t N>
consteval EnumRows<Row, N> enum_rows(const Row (&rows)[N]) {
  using E = typename EnumRows<Row, N>::Enum;
  static_assert(!is_enumerator<static_cast<E>(N)>(), "a member of the enum has no row");
  for (std::size_t i = 0; i < N; ++i) {
    if (static_cast<std::size_t>(rows[i].id) != i) throw "rows are not in the order of the members";
    if constexpr (requires { rows[i].complete(); }) {
      if (!rows[i].complete()) throw "a row leaves something out";
    }
  }
  return {std::to_array(rows)};
}

// Returns the names of the rows, for enum_names().
template <typename Row, std::size_t N>
consteval auto names_of(const EnumRows<Row, N>& table) {
  std::array<EnumName<typename EnumRows<Row, N>::Enum>, N> names{};
  for (std::size_t i = 0; i < N; ++i) {
    names[i] = {table.rows[i].id, table.rows[i].name};
    for (std::size_t j = 0; j < i; ++j) {
      if (names[j].name == names[i].name) throw "two members have the same name";
    }
  }
  return names;
}

// Returns the members, in their order.
template <typename Row, std::size_t N>
consteval auto members_of(const EnumRows<Row, N>& table) {
  std::array<typename EnumRows<Row, N>::Enum, N> members{};
  for (std::size_t i = 0; i < N; ++i) members[i] = table.rows[i].id;
  return members;
}

}  // namespace ridgewatt

#pragma GCC visibility pop
