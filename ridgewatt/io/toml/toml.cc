#include "ridgewatt/io/toml.h"

#include <algorithm>
#include <limits>
#include <sstream>
#include <toml.hpp>

#include "ridgewatt/base/error.h"

namespace ridgewatt {
namespace {

constexpr int kDeepest = 100;

// Scans TOML only to distinguish strings, comments and nesting.
class Scan {
 public:
  explicit Scan(std::string_view text) : text_(text) {}

  // Returns the index of the first character that is not ASCII, outside of comment lines.
  std::size_t find_foreign() {
    const auto foreign = [](char c) { return static_cast<unsigned char>(c) >= 0x80; };
    bool comment = false;
    bool blank = true;  // the line has only white space so far
    for (std::size_t i = 0; i < text_.size(); ++i) {
      const char c = text_[i];
      if (c == '\n') {
        comment = false;
        blank = true;
      } else if (blank && c != ' ' && c != '\t') {
        comment = c == '#';
        blank = false;
      }
      if (!comment && foreign(c)) return i;
    }
    return std::string_view::npos;
  }

  // Returns the index of the first bracket, or dot in a key, that exceeds the nesting limit.
  std::size_t find_too_deep() {
    int brackets = 0, dots = 0;
    for (std::size_t i = 0; i < text_.size(); ++i) {
      switch (text_[i]) {
        case '#':
          i = std::min(text_.find('\n', i), text_.size());
          dots = 0;
          break;
        case '"':
        case '\'':
          i = end_of_text(i);
          break;
        case '[':
        case '{':
          ++brackets;
          dots = 0;
          break;
        case ']':
        case '}':
          brackets = std::max(brackets - 1, 0);
          break;
        case '.':
          ++dots;
          break;
        case ',':
        case '=':
        case '\n':
          dots = 0;
          break;
        default:
          break;
      }
      if (std::max(brackets, dots) > kDeepest) return i;
    }
    return std::string_view::npos;
  }

 private:
  // Returns the index of the last quote of the string that begins with the quote at `begin`.
  std::size_t end_of_text(std::size_t begin) const {
    const char quote = text_[begin];
    const std::size_t quotes = text_.substr(begin, 3) == std::string(3, quote) ? 3 : 1;
    for (std::size_t i = begin + quotes; i < text_.size(); ++i) {
      if (quote == '"' && text_[i] == '\\')
        ++i;
      else if (text_[i] == '\n' && quotes == 1)
        return i - 1;  // never closed
      else if (text_.substr(i, quotes) == std::string(quotes, quote))
        return i + quotes - 1;
    }
    return text_.size();
  }

  std::string_view text_;
};

TomlNode node_of(const toml::value& value);

// The library reads an integer that is out of range as the largest or smallest integer.
std::int64_t integer_of(const toml::value& value) {
  using Limits = std::numeric_limits<std::int64_t>;
  const std::int64_t whole = value.as_integer();
  if (whole == Limits::max() || whole == Limits::min()) {
    throw toml::type_error("an integer does not fit in 64 bits", value.location());
  }
  return whole;
}

TomlTable table_of(const toml::table& table) {
  TomlTable::Entries entries;
  for (const auto& [key, value] : table) entries.emplace_back(key, node_of(value));
  return TomlTable(std::move(entries));
}

TomlNode node_of(const toml::value& value) {
  switch (value.type()) {
    case toml::value_t::boolean:
      return TomlNode(value.as_boolean());
    case toml::value_t::integer:
      return TomlNode(integer_of(value));
    case toml::value_t::floating:
      return TomlNode(value.as_floating());
    case toml::value_t::string:
      return TomlNode(value.as_string().str);
    case toml::value_t::table:
      return TomlNode(table_of(value.as_table()));
    case toml::value_t::array: {
      TomlArray array;
      for (const auto& element : value.as_array()) array.push_back(node_of(element));
      return TomlNode(std::move(array));
    }
    default:
      return {};
  }
}

// Converts "[error] toml::parse_array: missing array separator\n --> ..." to "missing array
// separator".
std::string first_line(std::string_view what) {
  what = what.substr(0, what.find('\n'));
  if (const auto colon = what.find(": ");
      what.starts_with("[error] toml::") && colon != std::string_view::npos) {
    what.remove_prefix(colon + 2);
  }
  return std::string(what);
}

}  // namespace

TomlTable::TomlTable(Entries entries) : entries_(std::move(entries)) {
  std::sort(entries_.begin(), entries_.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
}

const TomlNode* TomlTable::get(std::string_view key) const {
  const auto found =
      std::lower_bound(entries_.begin(), entries_.end(), key,
                       [](const auto& entry, std::string_view k) { return entry.first < k; });
  return found == entries_.end() || found->first != key ? nullptr : &found->second;
}

const TomlNode& TomlTable::operator[](std::string_view key) const {
  static const TomlNode kAbsent;
  const TomlNode* node = get(key);
  return node == nullptr ? kAbsent : *node;
}

std::vector<const TomlTable*> TomlNode::tables() const {
  const auto* array = as<TomlArray>();
  if (array == nullptr) return {};
  std::vector<const TomlTable*> all;
  for (const auto& element : *array) all.push_back(element.as<TomlTable>());
  return std::count(all.begin(), all.end(), nullptr) == 0 ? all : std::vector<const TomlTable*>();
}

TomlTable parse_toml(std::string_view text, const std::string& source) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // byte order mark
  const auto refuse = [&](std::ptrdiff_t line, const std::string& why) {
    throw InputError("is not valid TOML" + why, source + " line " + std::to_string(line));
  };
  const auto refuse_at = [&](std::size_t at, const std::string& why) {
    if (at == std::string_view::npos) return;
    refuse(1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'), why);
  };
  Scan scan(text);
  refuse_at(scan.find_foreign(), ": a character that is not ASCII outside of comment lines");
  refuse_at(scan.find_too_deep(), ": nested deeper than 100 levels");
  std::istringstream in{std::string(text)};
  try {
    return table_of(toml::parse(in, source).as_table());
  } catch (const toml::exception& error) {
    refuse(static_cast<std::ptrdiff_t>(error.location().line()), ", " + first_line(error.what()));
  } catch (const std::exception& error) {
    throw InputError("is not valid TOML, " + first_line(error.what()), source);
  }
  return {};
}

}  // namespace ridgewatt
