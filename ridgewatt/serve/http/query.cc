#include "ridgewatt/serve/http/query.h"

#include <algorithm>

#include "ridgewatt/base/text.h"

namespace ridgewatt::serve {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string unescaped(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      plain += ' ';
    } else if (text[i] != '%') {
      plain += text[i];
    } else {
      const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
      if (high < 0 || low < 0) throw HttpError(400, "the address contains an invalid % escape");
      plain += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return plain;
}

// Length in bytes of the first character; 0 if it is not well-formed (RFC 3629).
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return 0;
  }
  const unsigned second = byte(1);
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
      (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f)) {
    return 0;  // overlong, a surrogate, or beyond Unicode
  }
  return bytes;
}

// True for control characters of ASCII and Latin-1.
bool is_control_character(std::string_view character) {
  const auto last = static_cast<unsigned char>(character.back());
  if (character.size() == 1) return last < 0x20 || last == 0x7f;
  return character.front() == '\xc2' && last < 0xa0;
}

bool is_parameter_name(std::string_view name) {
  return !name.empty() && name.size() <= 40 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

}  // namespace

bool is_clean_text(std::string_view text) {
  while (!text.empty()) {
    const auto bytes = character_bytes(text);
    if (bytes == 0 || is_control_character(text.substr(0, bytes))) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

std::string as_utf8(std::string text) {
  static constexpr std::string_view kReplacement = "\xef\xbf\xbd";
  std::string_view rest = text;
  while (!rest.empty() && character_bytes(rest) > 0) rest.remove_prefix(character_bytes(rest));
  if (rest.empty()) return text;
  std::string good = text.substr(0, text.size() - rest.size());
  while (!rest.empty()) {
    const auto bytes = character_bytes(rest);
    good += bytes == 0 ? kReplacement : rest.substr(0, bytes);
    rest.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return good;
}

Parameters parse_query(std::string_view query) {
  Parameters parameters;
  for (const std::string& part : split(query, '&')) {
    if (part.empty()) continue;
    const auto equals = std::min(part.find('='), part.size());
    const std::string name = unescaped(part.substr(0, equals));
    const std::string value = unescaped(part.substr(std::min(equals + 1, part.size())));
    if (!is_parameter_name(name))
      throw HttpError(400, "the name of a parameter may contain only a-z, 0-9 and -");
    if (!is_clean_text(value)) {
      throw HttpError(400, name + ": the value must be UTF-8 text without control characters");
    }
    if (parameters.size() >= kParameterLimit) throw HttpError(400, "there are too many parameters");
    parameters.emplace_back(name, value);
  }
  return parameters;
}

}  // namespace ridgewatt::serve
