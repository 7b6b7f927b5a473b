#include "ridgewatt/serve/http/query.h"

#include <algorithm>

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
      if (high < 0 || low < 0) throw HttpError(400, "the address holds a broken % escape");
      plain += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return plain;
}

// Bytes of the character that begins there, 0 where none is well formed.
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return 0;
  }
  const unsigned second = byte(1);
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
      (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f)) {
    return 0;  // too long, a surrogate, or beyond Unicode
  }
  if (first == 0xc2 && second < 0xa0) return 0;  // control characters of Latin-1
  return bytes;
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
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

Parameters parse_query(std::string_view query) {
  Parameters parameters;
  while (!query.empty()) {
    const auto end = std::min(query.find('&'), query.size());
    const auto part = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (part.empty()) continue;
    const auto equals = std::min(part.find('='), part.size());
    const std::string name = unescaped(part.substr(0, equals));
    const std::string value = unescaped(part.substr(std::min(equals + 1, part.size())));
    if (!is_parameter_name(name)) throw HttpError(400, "a parameter's name is not of a-z, 0-9, -");
    if (!is_clean_text(value)) {
      throw HttpError(400, name + ": the value is not clean UTF-8 text");
    }
    if (parameters.size() >= kParameterLimit) throw HttpError(400, "there are too many parameters");
    parameters.emplace_back(name, value);
  }
  return parameters;
}

}  // namespace ridgewatt::serve
