// Small text helpers: strict number parsing, splitting, and making text from outside harmless.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ridgewatt {

// The whole of `text` as a number (surrounding blanks allowed), or nothing. "nan" and "inf" parse;
// callers that want finite numbers ask std::isfinite.
std::optional<double> parse_double(std::string_view text);
std::optional<std::int64_t> parse_int(std::string_view text);

std::string_view trim(std::string_view text);
std::vector<std::string> split(std::string_view text, char separator);
// Split at runs of blanks; no word is empty.
std::vector<std::string> words_of(std::string_view text);

// Control characters and malformed UTF-8 become \xNN, so that text from outside cannot drive the
// terminal.
std::string escape_terminal(std::string_view text);
// & < > " ' become entities, for HTML and SVG text and attributes.
std::string escape_html(std::string_view text);

// 1234567 -> "1.23 M"; for people, not for programs. `unit` is appended: "1.23 MB".
std::string format_si(double value, std::string_view unit = "", int digits = 3);
// Shortest text that reads back as the same double ("nan" for NaN).
std::string format_exact(double value);

}  // namespace ridgewatt
