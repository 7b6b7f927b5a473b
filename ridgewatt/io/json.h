// JSON with keys in the order in which they were written.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace ridgewatt {

using Json = nlohmann::ordered_json;

// `text`, indented by two; malformed UTF-8 is replaced, not an exception.
inline std::string dump_json(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace ridgewatt
