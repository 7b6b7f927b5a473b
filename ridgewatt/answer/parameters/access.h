// Creates the functions of Access for a member of a question: one sets it, the other returns its
// default as text.
//
//   {.name = "batch", .help = "Minibatch sizes", .access = access<&EstimateQuestion::batches>, ..}
//   access<&EstimateQuestion::run, &twin::RunOptions::loader_workers>  // a nested member
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "ridgewatt/answer/parameter.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt::answer {

using Extents = std::map<std::string, std::int64_t>;

// Returns the noun for a parameter in messages: "kv type" for "kv-type".
std::string noun_of(const Parameter& row);

template <class Question, class Member>
Question question_of(Member Question::*);

template <auto kFirst, auto... kRest>
auto& member_at(auto& object) {
  if constexpr (sizeof...(kRest) == 0) {
    return object.*kFirst;
  } else {
    return member_at<kRest...>(object.*kFirst);
  }
}

// The type of a value: the member's own type, or the element of an optional or a list.
template <class T>
T plain_of(const T&);
template <class T>
T plain_of(const std::optional<T>&);
template <class T>
T plain_of(const std::vector<T>&);
template <class Member>
using Plain = decltype(plain_of(std::declval<const Member&>()));

template <class Member>
inline constexpr bool kIsList = std::is_same_v<Member, std::vector<Plain<Member>>>;
template <class Member>
inline constexpr bool kIsOptional = std::is_same_v<Member, std::optional<Plain<Member>>>;

template <class T>
T value_of(const Parameter& row, const Given& given, std::size_t at) {
  if constexpr (std::is_enum_v<T>) {
    return parse_word<T>(given.words.at(at), noun_of(row));
  } else if constexpr (std::is_same_v<T, std::string>) {
    return given.words.at(at);
  } else {
    return static_cast<T>(given.numbers.at(at));
  }
}

template <class T>
std::string text_of(const Parameter& row, const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return std::string(name_of(value));
  } else if constexpr (std::is_same_v<T, std::string>) {
    return value;
  } else {
    const double shown = row.quantity.from_si(static_cast<double>(value));
    const bool none =
        shown > row.quantity.most || (row.quantity.open && shown <= row.quantity.least);
    return none ? "" : format_exact(shown);  // beyond the range: no limit
  }
}

template <class Member>
void set_member(Member& member, const Parameter& row, const Given& given) {
  if constexpr (std::is_same_v<Member, bool>) {
    member = true;
  } else if constexpr (std::is_same_v<Member, Extents>) {
    for (const auto& [name, extent] : given.pairs) {
      member[name] = static_cast<std::int64_t>(extent);
    }
  } else if constexpr (kIsList<Member>) {
    using T = Plain<Member>;
    member.clear();
    for (std::size_t i = 0; i < given.numbers.size() + given.words.size(); ++i) {
      member.push_back(value_of<T>(row, given, i));
    }
  } else {
    member = value_of<Plain<Member>>(row, given, 0);
  }
}

template <class Member>
std::string shown_default(const Member& member, const Parameter& row) {
  if constexpr (std::is_same_v<Member, bool> || std::is_same_v<Member, Extents>) {
    return "";
  } else if constexpr (kIsList<Member>) {
    std::string text;
    for (const auto& one : member) text += (text.empty() ? "" : ",") + text_of(row, one);
    return text;
  } else if constexpr (kIsOptional<Member>) {
    return member ? text_of(row, *member) : "";
  } else {
    return text_of(row, member);
  }
}

template <class Member>
constexpr Input input_of() {
  using T = Plain<Member>;
  if (std::is_same_v<T, bool>) return Input::kFlag;
  if (std::is_same_v<T, Extents>) return Input::kPair;
  return std::is_arithmetic_v<T> ? Input::kNumber : Input::kWord;
}

template <auto kFirst, auto... kRest>
constexpr Access make_access() {
  using Question = decltype(question_of(kFirst));
  using Member =
      std::remove_cvref_t<decltype(member_at<kFirst, kRest...>(std::declval<Question&>()))>;
  using T = Plain<Member>;
  Access access;
  access.input = input_of<Member>();
  access.repeated = kIsList<Member> || std::is_same_v<T, Extents>;
  access.set = [](void* part, const Parameter& row, const Given& given) {
    set_member(member_at<kFirst, kRest...>(*static_cast<Question*>(part)), row, given);
  };
  access.get = [](const void* part, const Parameter& row) {
    return shown_default(member_at<kFirst, kRest...>(*static_cast<const Question*>(part)), row);
  };
  if constexpr (std::is_enum_v<T>) access.choices = &names<T>;
  return access;
}

template <auto kFirst, auto... kRest>
inline constexpr Access access = make_access<kFirst, kRest...>();

// Like access<>, for another kind of input, such as the name of a board or a file.
template <auto kFirst, auto... kRest>
constexpr Access access_as(Input input) {
  Access made = make_access<kFirst, kRest...>();
  made.input = input;
  return made;
}

// Like access<>, for a string that must be one of the names of `kNames()`.
template <auto kNames, auto kFirst, auto... kRest>
constexpr Access access_named() {
  using Question = decltype(question_of(kFirst));
  Access made = make_access<kFirst, kRest...>();
  made.set = [](void* part, const Parameter& row, const Given& given) {
    member_at<kFirst, kRest...>(*static_cast<Question*>(part)) =
        require_name(noun_of(row), given.words.front(), {kNames()});
  };
  made.choices = kNames;
  return made;
}

// Like access_as(), with the names of `kNames()` as suggestions.
template <auto kNames, auto kFirst, auto... kRest>
constexpr Access access_suggesting(Input input) {
  Access made = access_as<kFirst, kRest...>(input);
  made.choices = kNames;
  made.open = true;
  return made;
}

// Functions for Part::of. whole() returns the question itself, the other one a member of it.
inline void* whole(void* question) {
  return question;
}
template <auto kMember>
void* member_part(void* question) {
  return &(static_cast<decltype(question_of(kMember))*>(question)->*kMember);
}

template <class Question>
ParameterTable table_of(std::string_view command, std::vector<Part> parts,
                        std::string_view description = {}, std::string_view example = {},
                        std::string_view path = {}, std::string_view unless = {}) {
  const auto make = []() -> std::shared_ptr<void> { return std::make_shared<Question>(); };
  return {command, std::move(parts), make, description, example, path, unless};
}

}  // namespace ridgewatt::answer
