// The parameters of an address: "model=zoo:resnet50&batch=1&batch=16", in their order.
//
//   for (const auto& [name, value] : parse_query(head.query())) ..
//
// Percent escapes are undone once. HttpError 400 for a broken escape, bytes that are not UTF-8,
// control characters, and a name that is not of a-z, 0-9 and '-'.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ridgewatt/serve/http/http_error.h"

namespace ridgewatt::serve {

inline constexpr std::size_t kParameterLimit = 64;  // chosen: twice the options of any command

using Parameters = std::vector<std::pair<std::string, std::string>>;

Parameters parse_query(std::string_view query);

// True for well-formed UTF-8 (RFC 3629) without control characters.
bool is_clean_text(std::string_view text);

// What is not UTF-8 becomes U+FFFD.
std::string as_utf8(std::string text);

}  // namespace ridgewatt::serve
