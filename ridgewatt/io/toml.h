// TOML files (boards, studies): the only place that includes toml++.
#pragma once

#include <string>
#include <string_view>
#define TOML_ENABLE_FORMATTERS 0
#define TOML_HEADER_ONLY 0  // toml.cc compiles it, once
#include <toml++/toml.h>

namespace ridgewatt {

// Throws InputError that names `source` and the line. Stricter than TOML in one point: outside of
// lines of comment a file is ASCII, because the library's tests for other white space have
// undefined behavior on some characters.
toml::table parse_toml(std::string_view text, const std::string& source);

}  // namespace ridgewatt
