#include "ridgewatt/io/json.h"

#include <utility>

namespace ridgewatt {

Json JsonView::json() const {
  switch (kind_) {
    case kNull:
      return nullptr;
    case kTruth:
      return as_.truth;
    case kNumber:
      return as_.number;
    case kLiteral:
      return as_.literal;
    case kText:
      return as_.text;
    case kMoved:
      return std::move(*as_.moved);
    case kInteger:
      return as_.integer;
    case kCount:
      return as_.count;
    case kOther:
      break;
  }
  return as_.other.convert(as_.other.at);
}

Json json_object(std::initializer_list<JsonMember> members) {
  Json object = Json::object();
  for (const auto& [key, value] : members) object.emplace(key, value.json());
  return object;
}

Json json_array(std::initializer_list<JsonView> values) {
  Json array = Json::array();
  for (const JsonView& value : values) array.push_back(value.json());
  return array;
}

void set_members(Json& json, std::initializer_list<JsonMember> members) {
  for (const auto& [key, value] : members) json[key] = value.json();
}

}  // namespace ridgewatt
