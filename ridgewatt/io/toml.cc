#define TOML_IMPLEMENTATION
#include "ridgewatt/io/toml.h"

#include <algorithm>

#include "ridgewatt/base/error.h"

namespace ridgewatt {
namespace {

// Index of the first character that is not ASCII and does not stand in a line of comment.
std::size_t find_foreign(std::string_view text) {
  bool comment = false;
  bool blank = true;  // nothing but white space in this line so far
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') {
      comment = false;
      blank = true;
    } else if (blank && c != ' ' && c != '\t') {
      comment = c == '#';
      blank = false;
    }
    if (!comment && static_cast<unsigned char>(c) >= 0x80) return i;
  }
  return std::string_view::npos;
}

std::string at_line(const std::string& source, std::ptrdiff_t line) {
  return source + " line " + std::to_string(line);
}

}  // namespace

toml::table parse_toml(std::string_view text, const std::string& source) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // byte order mark
  if (const std::size_t foreign = find_foreign(text); foreign != std::string_view::npos) {
    const auto line =
        1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(foreign), '\n');
    throw InputError("is not valid TOML: a character that is not ASCII outside of comment lines",
                     at_line(source, line));
  }
  try {
    return toml::parse(text, source);
  } catch (const toml::parse_error& error) {
    throw InputError("is not valid TOML, " + std::string(error.description()),
                     at_line(source, error.source().begin.line));
  }
}

}  // namespace ridgewatt
