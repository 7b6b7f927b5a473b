// JSON whose keys keep the order in which they were added.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "ridgewatt/base/text.h"

namespace ridgewatt {

using Json = nlohmann::ordered_json;

// Formats JSON with an indent of two. Malformed UTF-8 is replaced instead of throwing. Characters
// that would change the order or appearance of others on a terminal are written as \uNNNN.
inline std::string dump_json(const Json& json) {
  return escape_json(json.dump(2, ' ', false, Json::error_handler_t::replace));
}

}  // namespace ridgewatt
