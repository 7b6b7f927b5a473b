#include "ridgewatt/base/toml.h"

#include <algorithm>

#include "ridgewatt/base/error.h"

namespace ridgewatt {
namespace {

// Index of the first character that is not ASCII and stands outside of strings and comments.
std::size_t find_foreign(std::string_view text) {
  std::string_view quote;  // that closes the string that we are in
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (!quote.empty()) {
      if (c == '\\' && quote.front() == '"') {
        ++i;
      } else if (text.substr(i).starts_with(quote)) {
        i += quote.size() - 1;
        quote = {};
      } else if (c == '\n' && quote.size() == 1) {
        quote = {};  // never closed: the parser will say so
      }
    } else if (c == '#') {
      i = std::min(text.find('\n', i), text.size());
    } else if (c == '"' || c == '\'') {
      const std::string_view triple = c == '"' ? R"(""")" : "'''";
      const bool multiline = text.substr(i).starts_with(triple);
      quote = multiline ? triple : triple.substr(0, 1);
      i += quote.size() - 1;
    } else if (static_cast<unsigned char>(c) >= 0x80) {
      return i;
    }
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
    throw InputError(
        "not valid TOML: a character that is not ASCII outside of strings and comments",
        at_line(source, line));
  }
  try {
    return toml::parse(text, source);
  } catch (const toml::parse_error& error) {
    throw InputError("not valid TOML, " + std::string(error.description()),
                     at_line(source, error.source().begin.line));
  }
}

}  // namespace ridgewatt
