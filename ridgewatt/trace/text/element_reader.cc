#include "ridgewatt/trace/text/element_reader.h"

#include <fmt/format.h>

#include <cctype>
#include <limits>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt::trace {
namespace {

constexpr std::size_t kReadBytes = 64 * 1024;
constexpr int kMaxDepth = 64;  // chosen: real traces nest four deep
constexpr std::size_t kMostElementBytes = std::size_t{16} << 20;  // chosen: names take kilobytes
// Memory of a value in addition to its text.
constexpr std::size_t kValueBytes = 48;
constexpr std::size_t kLookAhead = 4096;

bool is_blank(int c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

void append_utf8(unsigned code, std::string& into) {
  if (code < 0x80) {
    into += static_cast<char>(code);
  } else if (code < 0x800) {
    into += static_cast<char>(0xC0 | (code >> 6));
    into += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    into += static_cast<char>(0xE0 | (code >> 12));
    into += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    into += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    into += static_cast<char>(0xF0 | (code >> 18));
    into += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    into += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    into += static_cast<char>(0x80 | (code & 0x3F));
  }
}

}  // namespace

int ElementReader::peek(std::size_t ahead) {
  while (at_ + ahead >= buffer_.size() && !ended_) {
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(at_));
    before_ += at_;
    at_ = 0;
    const std::size_t had = buffer_.size();
    buffer_.resize(had + kReadBytes);
    const std::size_t count = input_.read(buffer_.data() + had, kReadBytes);
    buffer_.resize(had + count);
    ended_ = count == 0;
  }
  return at_ + ahead < buffer_.size() ? static_cast<unsigned char>(buffer_[at_ + ahead]) : -1;
}

int ElementReader::take() {
  const int c = peek();
  if (c < 0) fail("is cut off");
  ++at_;
  return c;
}

int ElementReader::skip_blanks() {
  while (is_blank(peek())) ++at_;
  return peek();
}

std::size_t ElementReader::blanks_from(std::size_t ahead) {
  while (ahead < kLookAhead && is_blank(peek(ahead))) ++ahead;
  return ahead;
}

void ElementReader::fail(std::string_view what) const {
  throw InputError(what, fmt::format("{} byte {}", input_.name(), before_ + at_),
                   "check that the JSON file is complete");
}

void ElementReader::expect(char wanted) {
  if (skip_blanks() != wanted) fail(fmt::format("the character '{}' is missing", wanted));
  ++at_;
}

void ElementReader::spend(std::size_t bytes) {
  spent_ += bytes;
  if (spent_ > kMostElementBytes) fail("an element of the JSON text is larger than 16 MiB");
}

std::string_view ElementReader::begins_with(std::size_t count) {
  skip_blanks();
  if (count > 0) peek(count - 1);
  return {buffer_.data() + at_, std::min(count, buffer_.size() - at_)};
}

bool ElementReader::next_of(char end) {
  const int c = skip_blanks();
  if (c == end) return ++at_, false;
  if (c != ',')
    fail(c < 0 ? "is cut off" : fmt::format("the character ',' or '{}' is missing", end));
  ++at_;
  // Accepts a comma after the last element, which Chrome's own writer leaves.
  if (skip_blanks() == end) return ++at_, false;
  return true;
}

void ElementReader::elements(const std::function<void(const Json&)>& use) {
  expect('[');
  if (skip_blanks() == ']') {
    ++at_;
    return;
  }
  do {
    spent_ = 0;
    use(value(Within::kArray, 2));
  } while (next_of(']'));
}

bool ElementReader::for_each(std::string_view key, const std::function<void(const Json&)>& use) {
  const int first = skip_blanks();
  if (first == '[') {
    elements(use);
    return true;
  }
  if (first != '{') fail("is neither an object nor an array");
  ++at_;
  bool found = false;
  if (skip_blanks() == '}') return false;
  do {
    spent_ = 0;
    const std::string name = key_text();
    const bool array = skip_blanks() == '[';
    const bool wanted = array && name == key && !found;
    found = found || wanted;
    if (wanted) {
      elements(use);
    } else if (array) {
      elements([](const Json&) {});
    } else {
      value(Within::kObject, 1);
    }
  } while (next_of('}'));
  return found;
}

std::string ElementReader::key_text() {
  if (skip_blanks() != '"') fail("a key of an object is missing");
  std::string name = text(Within::kObject, true);
  expect(':');
  return name;
}

Json ElementReader::value(Within within, int depth) {
  if (depth > kMaxDepth) fail("is nested too deeply");
  spend(kValueBytes);
  switch (skip_blanks()) {
    case '{':
      return object(depth);
    case '[':
      return array(depth);
    case '"':
      return text(within, false);
    default:
      return number_or_word();
  }
}

Json ElementReader::object(int depth) {
  expect('{');
  Json object = Json::object();
  if (skip_blanks() == '}') return ++at_, object;
  do {
    std::string name = key_text();
    // Does not search for duplicate names, because that would take quadratic time.
    object.get_ref<Json::object_t&>().emplace_back(std::move(name),
                                                   value(Within::kObject, depth + 1));
  } while (next_of('}'));
  return object;
}

Json ElementReader::array(int depth) {
  expect('[');
  Json array = Json::array();
  if (skip_blanks() == ']') return ++at_, array;
  do {
    array.push_back(value(Within::kArray, depth + 1));
  } while (next_of(']'));
  return array;
}

Json ElementReader::number_or_word() {
  constexpr std::size_t kLongest = 64;
  std::string word;
  for (int c = peek(); std::isalnum(c) != 0 || c == '+' || c == '-' || c == '.'; c = peek()) {
    word += static_cast<char>(take());
    if (word.size() > kLongest) fail("a number is too long");
  }
  if (word == "true" || word == "false") return word == "true";
  if (word == "null") return nullptr;
  if (const auto whole = parse_int(word)) return *whole;
  if (const auto number = parse_double(word)) return *number;
  if (word == "-nan") return std::numeric_limits<double>::quiet_NaN();
  if (word.empty() && peek() < 0) fail("is cut off");
  fail("is not a JSON value");
}

// Whether the quote that is `quote` bytes ahead closes the text.
bool ElementReader::ends_text(std::size_t quote, Within within, bool key) {
  std::size_t at = blanks_from(quote + 1);
  if (key) return peek(at) == ':';
  const int c = peek(at);
  if (c < 0) return true;
  if (c == (within == Within::kObject ? '}' : ']')) {
    const int then = peek(blanks_from(at + 1));
    return then < 0 || then == ',' || then == '}' || then == ']';
  }
  if (c != ',') return false;
  at = blanks_from(at + 1);
  if (within == Within::kArray) {
    const int then = peek(at);
    return then == '"' || then == '{' || then == '[' || then == '-' || then == ']' ||
           std::isalnum(then) != 0;
  }
  if (peek(at) != '"') return false;
  for (++at; at < kLookAhead && peek(at) >= 0 && peek(at) != '"'; ++at) {
  }
  return peek(at) == '"' && peek(blanks_from(at + 1)) == ':';
}

std::string ElementReader::text(Within within, bool key) {
  take();  // the quote
  std::string text;
  const auto ends = [&](std::size_t quote) {
    return quotes_ == Quotes::kEscaped || ends_text(quote, within, key);
  };
  while (true) {
    const int c = peek();
    if (c == '"' && ends(0)) break;
    if (c == '\\') {
      if (quotes_ == Quotes::kRaw && peek(1) == '"' && ends(1)) {
        text += static_cast<char>(take());  // a text that ends in a backslash
      } else {
        escape(text);
      }
    } else {
      text += static_cast<char>(take());
    }
    if (text.size() + spent_ > kMostElementBytes)
      fail("an element of the JSON text is larger than 16 MiB");
  }
  ++at_;
  spend(text.size());
  return text;
}

void ElementReader::escape(std::string& into) {
  constexpr std::string_view kNames = "\"\\/bfnrt";
  constexpr std::string_view kStandFor = "\"\\/\b\f\n\r\t";
  take();
  const int c = peek();
  const auto found = c < 0 ? std::string_view::npos : kNames.find(static_cast<char>(c));
  if (found != std::string_view::npos) {
    take();
    into += kStandFor[found];
  } else if (c == 'u') {
    unicode(into);
  } else if (quotes_ == Quotes::kRaw) {
    into += '\\';
  } else {
    fail("an escape sequence is not valid JSON");
  }
}

void ElementReader::unicode(std::string& into) {
  const auto four_digits = [&](std::size_t from) -> std::optional<unsigned> {
    unsigned code = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const int c = peek(from + i);
      if (c < 0 || std::isxdigit(c) == 0) return std::nullopt;
      code = code * 16 + static_cast<unsigned>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return code;
  };
  auto code = four_digits(1);
  if (!code) {
    if (quotes_ == Quotes::kEscaped) fail("an escape sequence is not valid JSON");
    into += '\\';
    return;
  }
  at_ += 5;
  if (*code >= 0xD800 && *code < 0xDC00 && peek() == '\\' && peek(1) == 'u') {
    const auto low = four_digits(2);
    if (low && *low >= 0xDC00 && *low < 0xE000) {
      at_ += 6;
      code = 0x10000 + ((*code - 0xD800) << 10) + (*low - 0xDC00);
    }
  }
  append_utf8(*code >= 0xD800 && *code < 0xE000 ? 0xFFFD : *code, into);
}

}  // namespace ridgewatt::trace
