// JSON whose keys keep the order in which they were added.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "ridgewatt/base/text.h"

namespace ridgewatt {

using Json = nlohmann::ordered_json;

// Formats JSON with an indent of two. Malformed UTF-8 is replaced instead of throwing. Characters
// that would change the order or appearance of others on a terminal are written as \uNNNN.
inline std::string dump_json(const Json& json) {
  return escape_json(json.dump(2, ' ', false, Json::error_handler_t::replace));
}

// A value of json_object(). It refers to its argument, so no temporary values are created and
// destroyed. This takes half the machine code of nlohmann's initializer lists, which also may take
// an array of pairs for an object. The constructors are implicit (NOLINT).
class JsonView {
 public:
  JsonView(std::nullptr_t) : kind_(kNull), as_{.null = nullptr} {}         // NOLINT
  JsonView(bool value) : kind_(kTruth), as_{.truth = value} {}             // NOLINT
  JsonView(double value) : kind_(kNumber), as_{.number = value} {}         // NOLINT
  JsonView(const char* text) : kind_(kLiteral), as_{.literal = text} {}    // NOLINT
  JsonView(const std::string& text) : JsonView(std::string_view(text)) {}  // NOLINT
  JsonView(std::string_view text) : kind_(kText), as_{.text = text} {}     // NOLINT
  JsonView(Json&& json) : kind_(kMoved), as_{.moved = &json} {}            // NOLINT
  template <std::signed_integral Count>
  JsonView(Count value) : kind_(kInteger), as_{.integer = value} {}  // NOLINT
  template <std::unsigned_integral Count>
  JsonView(Count value) : kind_(kCount), as_{.count = value} {}  // NOLINT
  // Any other type that converts to Json.
  template <class Other>
  requires(!std::integral<Other>) JsonView(const Other& value)  // NOLINT
      : kind_(kOther), as_{.other = {&value, [](const void* at) -> Json {
                                       return *static_cast<const Other*>(at);
                                     }}} {}
  Json json() const;  // call it once: it moves from a temporary

 private:
  enum Kind { kNull, kTruth, kNumber, kLiteral, kText, kMoved, kInteger, kCount, kOther } kind_;
  struct Convertible {
    const void* at;
    Json (*convert)(const void* at);
  };
  union {
    std::nullptr_t null;
    bool truth;
    double number;
    const char* literal;
    std::string_view text;
    Json* moved;
    std::int64_t integer;
    std::uint64_t count;
    Convertible other;
  } as_;
};
struct JsonMember {
  const char* key;
  JsonView value;
};

// json_object({{"time_ms", 4.2}, {"notes", notes}}). Of equal keys, the first counts.
Json json_object(std::initializer_list<JsonMember> members);
// json_array({1, 2.5, "text"}).
Json json_array(std::initializer_list<JsonView> values);
// Adds members that `json` lacks, and replaces the values of others.
void set_members(Json& json, std::initializer_list<JsonMember> members);

}  // namespace ridgewatt
