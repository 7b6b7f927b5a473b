// Text helpers: strict parsing of numbers, splitting, and escaping of external text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ridgewatt {

// Returns the number if the whole text, apart from surrounding blanks, is one. "nan" and "inf" are
// numbers; callers that need a finite number must check with std::isfinite.
std::optional<double> parse_double(std::string_view text);
std::optional<std::int64_t> parse_int(std::string_view text);

std::string_view trim(std::string_view text);
// Changes the letters A to Z and no others.
std::string lower_case(std::string_view text);
std::string upper_case(std::string_view text);
// The text with its first letter in upper case.
std::string capitalized(std::string_view text);
std::vector<std::string> split(std::string_view text, char separator);
// Splits at runs of blanks; no word is empty.
std::vector<std::string> words_of(std::string_view text);

// Replaces control characters and malformed UTF-8 by \xNN, so that external text cannot control the
// terminal.
std::string escape_terminal(std::string_view text);
// Replaces the characters above 0x7E that escape_terminal() replaces by \uNNNN, in well-formed
// JSON. The values of the JSON remain the same.
std::string escape_json(std::string json);
// Replaces & < > " ' by entities, for text and attributes in HTML and SVG.
std::string escape_html(std::string_view text);

// Formats 1234567 as "1.23 M" and, with the unit "B", as "1.23 MB". For people, not for programs.
std::string format_si(double value, std::string_view unit = "", int digits = 3);
// Returns the shortest text that parses to the same double ("nan" for NaN).
std::string format_exact(double value);

}  // namespace ridgewatt
