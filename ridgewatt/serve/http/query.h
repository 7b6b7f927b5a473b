// Parses the query parameters of a URL: "model=zoo:resnet50&batch=1&batch=16", in order.
//
//   for (const auto& [name, value] : parse_query(head.query())) ..
//
// Percent escapes are decoded once. Throws HttpError 400 for an invalid escape, invalid UTF-8,
// control characters, names with characters other than a-z, 0-9 and '-', and too many parameters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ridgewatt/serve/http/http_error.h"

namespace ridgewatt::serve {

// Chosen: twice the number of options of any command.
inline constexpr std::size_t kParameterLimit = 64;

using Parameters = std::vector<std::pair<std::string, std::string>>;

Parameters parse_query(std::string_view query);

// True for well-formed UTF-8 (RFC 3629) without control characters.
bool is_clean_text(std::string_view text);

// Replaces invalid UTF-8 by U+FFFD.
std::string as_utf8(std::string text);

}  // namespace ridgewatt::serve
