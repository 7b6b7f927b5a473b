#include "ridgewatt/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace ridgewatt {

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

namespace {

template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  text = trim(text);
  if (text.size() > 1 && text.front() == '+') text.remove_prefix(1);
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

// Length of the well-formed UTF-8 sequence at the start of `text`; 0 if there is none.
std::size_t utf8_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  std::size_t length = 0;
  if (lead < 0x80)
    length = 1;
  else if (lead >= 0xC2 && lead < 0xE0)
    length = 2;
  else if (lead >= 0xE0 && lead < 0xF0)
    length = 3;
  else if (lead >= 0xF0 && lead < 0xF5)
    length = 4;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return 0;
  }
  // Reject overlong forms, surrogates, and values above U+10FFFF (RFC 3629).
  const auto second = length > 2 ? static_cast<unsigned char>(text[1]) : 0x80;
  if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
      (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F)) {
    return 0;
  }
  return length;
}

// Returns the code point of the well-formed sequence of `length` bytes at the beginning of `text`.
std::uint32_t code_point(std::string_view text, std::size_t length) {
  const std::uint32_t lead = static_cast<unsigned char>(text[0]);
  if (length < 2) return lead;
  std::uint32_t code = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  return code;
}

// True for invisible characters that change the order or appearance of others: zero width,
// direction marks and overrides, line separators, interlinear marks and tags (Unicode categories
// Cf, Zl and Zp).
bool is_invisible(std::uint32_t code) {
  static constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 11> kRanges = {
      {{0xAD, 0xAD},
       {0x600, 0x605},
       {0x61C, 0x61C},
       {0x180E, 0x180E},
       {0x200B, 0x200F},
       {0x2028, 0x202E},
       {0x2060, 0x206F},
       {0xFEFF, 0xFEFF},
       {0xFFF9, 0xFFFB},
       {0x1D173, 0x1D17A},
       {0xE0000, 0xE007F}}};
  return std::any_of(kRanges.begin(), kRanges.end(),
                     [code](auto range) { return code >= range.first && code <= range.second; });
}

// True for control characters (C0, DEL and C1) and invisible characters.
bool is_hidden(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || is_invisible(code);
}

}  // namespace

std::optional<double> parse_double(std::string_view text) {
  return parse_number<double>(text);
}

std::optional<std::int64_t> parse_int(std::string_view text) {
  return parse_number<std::int64_t>(text);
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string upper_case(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return upper;
}

std::string capitalized(std::string_view text) {
  std::string result(text);
  return result.replace(0, 1, upper_case(text.substr(0, 1)));
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::size_t position = 0;
  while ((position = text.find_first_not_of(" \t\r\n", position)) != std::string_view::npos) {
    const auto end = std::min(text.find_first_of(" \t\r\n", position), text.size());
    words.emplace_back(text.substr(position, end - position));
    position = end;
  }
  return words;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = text.find(separator, begin);
    parts.emplace_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::string escape_terminal(std::string_view text) {
  const bool plain =
      std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
  if (plain) return std::string(text);
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0 || is_hidden(code_point(text, length))) {
      const std::size_t escaped = std::max<std::size_t>(length, 1);
      for (const char c : text.substr(0, escaped)) {
        out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
      }
      text.remove_prefix(escaped);
    } else {
      out += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return out;
}

std::string escape_json(std::string json) {
  const bool plain = std::all_of(json.begin(), json.end(),
                                 [](char c) { return static_cast<unsigned char>(c) < 0x7F; });
  if (plain) return json;
  std::string out;
  for (std::string_view rest = json; !rest.empty();) {
    const std::size_t length = std::max<std::size_t>(utf8_length(rest), 1);
    const std::uint32_t code = code_point(rest, length);
    if (code < 0x7F || !is_hidden(code)) {
      out += rest.substr(0, length);
    } else if (code < 0x10000) {
      out += fmt::format("\\u{:04x}", code);
    } else {  // a surrogate pair (RFC 8259, section 7)
      out += fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + ((code - 0x10000) >> 10),
                         0xDC00 + (code & 0x3FF));
    }
    rest.remove_prefix(length);
  }
  return out;
}

std::string escape_html(std::string_view text) {
  std::string out;
  for (const char c : escape_terminal(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string format_si(double value, std::string_view unit, int digits) {
  static constexpr std::array<const char*, 11> kPrefixes = {"p", "n", "µ", "m", "", "k",
                                                            "M", "G", "T", "P", "E"};
  if (!std::isfinite(value)) return fmt::format("{} {}", value, unit);
  int exponent = 0;
  double scaled = std::abs(value);
  // Rounding decides the prefix: 999.96 with three digits is 1.00 k.
  const double limit = 1000.0 - 0.5 * std::pow(10.0, 3 - digits);
  while (scaled >= limit && exponent < 6) scaled /= 1000, ++exponent;
  while (scaled != 0 && scaled < 1.0 && exponent <= 0 && exponent > -4) scaled *= 1000, --exponent;
  const int integer_digits = scaled >= 99.5 ? 3 : scaled >= 9.95 ? 2 : 1;
  const bool exact = exponent == 0 && scaled == std::floor(scaled);
  std::string text = fmt::format("{}{:.{}f} {}{}", value < 0 ? "-" : "", scaled,
                                 exact ? 0 : std::max(0, digits - integer_digits),
                                 kPrefixes[static_cast<std::size_t>(exponent + 4)], unit);
  if (text.back() == ' ') text.pop_back();
  return text;
}

std::string format_exact(double value) {
  return fmt::format("{}", value);
}

}  // namespace ridgewatt
