#include "ridgewatt/platform/tegrastats.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt {
namespace {

// No clock (MHz), power (mW), memory or temperature of a board is beyond this.
constexpr double kMaxNumber = 1e9;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Reads one word from its front; a reader that fails leaves the word as it was.
class Word {
 public:
  explicit Word(std::string_view text) : text_(text) {}

  bool done() const { return text_.empty(); }
  std::string_view rest() const { return text_; }

  bool take(std::string_view expected) {
    if (text_.substr(0, expected.size()) != expected) return false;
    text_.remove_prefix(expected.size());
    return true;
  }

  // digits [ "." digits ], with a leading "-" when `sign` is allowed.
  std::optional<double> number(bool sign = false, bool fraction = false) {
    std::size_t end = sign && !text_.empty() && text_[0] == '-' ? 1 : 0;
    const std::size_t digits = end;
    while (end < text_.size() && is_digit(text_[end])) ++end;
    if (end == digits) return std::nullopt;
    if (fraction && end + 1 < text_.size() && text_[end] == '.' && is_digit(text_[end + 1])) {
      ++end;
      while (end < text_.size() && is_digit(text_[end])) ++end;
    }
    const auto value = parse_double(text_.substr(0, end));
    if (!value || *value > kMaxNumber || *value < -kMaxNumber) return std::nullopt;
    text_.remove_prefix(end);
    return value;
  }

 private:
  std::string_view text_;
};

bool is_name(std::string_view text) {
  return !text.empty() && std::isalpha(static_cast<unsigned char>(text[0])) != 0 &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' ||
                  c == '.' || c == '+' || c == ':';
         });
}

std::optional<double> byte_unit(Word& word) {
  if (word.take("kB") || word.take("KB")) return 1024.0;
  if (word.take("MB")) return 1048576.0;
  if (word.take("GB")) return 1073741824.0;
  if (word.take("B")) return 1.0;
  return std::nullopt;
}

std::optional<TegrastatsMemory> read_memory(std::string_view name, std::string_view value) {
  TegrastatsMemory memory;
  memory.name = name;
  Word word(value);
  const auto used = word.number();
  if (!used || !word.take("/")) return std::nullopt;
  const auto total = word.number();
  const auto unit = byte_unit(word);
  if (!total || !unit) return std::nullopt;
  memory.used_bytes = *used * *unit;
  memory.total_bytes = *total * *unit;
  std::string_view detail = trim(word.rest());
  if (!detail.empty()) {
    if (detail.size() < 2 || detail.front() != '(' || detail.back() != ')') return std::nullopt;
    memory.detail = detail.substr(1, detail.size() - 2);
  }
  return memory;
}

std::optional<TegrastatsRail> read_rail(std::string_view name, std::string_view value) {
  TegrastatsRail rail;
  rail.name = name;
  Word word(value);
  std::vector<double> powers;
  do {
    const auto milliwatt = word.number(true);
    if (!milliwatt || powers.size() == 3) return std::nullopt;
    word.take("mW");
    powers.push_back(*milliwatt / 1e3);
  } while (word.take("/"));
  if (!word.done() || powers.size() < 2) return std::nullopt;
  rail.power_w = powers[0];
  rail.average_w = powers[1];
  if (powers.size() == 3) rail.maximum_w = powers[2];
  return rail;
}

std::optional<TegrastatsTemperature> read_temperature(std::string_view name,
                                                      std::string_view value) {
  TegrastatsTemperature temperature;
  temperature.name = name;
  Word word(value);
  const auto now = word.number(true, true);
  if (!now || !word.take("C")) return std::nullopt;
  if (*now > -255) temperature.celsius = *now;
  if (word.take("/")) {
    const auto maximum = word.number(true, true);
    if (!maximum || !word.take("C")) return std::nullopt;
    if (*maximum > -255) temperature.maximum_celsius = *maximum;
  }
  if (!word.done()) return std::nullopt;
  return temperature;
}

// "@" MHz, or "@[" MHz { "," MHz } "]".
bool read_clock_list(Word& word, std::vector<double>& clocks_hz) {
  if (!word.take("@")) return false;
  const bool list = word.take("[");
  do {
    const auto mhz = word.number();
    if (!mhz) return false;
    clocks_hz.push_back(*mhz * 1e6);
  } while (list && word.take(","));
  return !list || word.take("]");
}

std::optional<TegrastatsClock> read_clock(std::string_view name, std::string_view value) {
  TegrastatsClock clock;
  clock.name = name;
  if (value == "off") {
    clock.off = true;
    return clock;
  }
  Word word(value);
  if (const auto number = word.number()) {
    if (word.take("%"))
      clock.load = *number / 100;
    else
      clock.clocks_hz.push_back(*number * 1e6);
    if (word.done()) return clock;
    if (!clock.load) return std::nullopt;
  }
  if (!read_clock_list(word, clock.clocks_hz) || !word.done()) return std::nullopt;
  return clock;
}

// "[" core { "," core } "]" [ "@" MHz ], blanks removed.
std::optional<std::vector<TegrastatsClock>> read_cores(std::string_view value) {
  const auto close = value.find(']');
  if (value.empty() || value[0] != '[' || close == std::string_view::npos) return std::nullopt;
  std::vector<double> common;
  Word suffix(value.substr(close + 1));
  if (!suffix.done() && (!read_clock_list(suffix, common) || !suffix.done())) return std::nullopt;
  std::vector<TegrastatsClock> cores;
  for (const auto& text : split(value.substr(1, close - 1), ',')) {
    auto core = read_clock(fmt::format("CPU{}", cores.size()), text);
    if (!core || (!core->off && !core->load)) return std::nullopt;
    if (!core->off && core->clocks_hz.empty()) core->clocks_hz = common;
    cores.push_back(std::move(*core));
  }
  return cores;
}

bool matches(std::string_view text, std::string_view pattern) {
  if (text.size() != pattern.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (pattern[i] == '9' ? !is_digit(text[i]) : text[i] != pattern[i]) return false;
  }
  return true;
}

// Tries each kind of token at the next word; a kind that fits consumes its words.
class LineReader {
 public:
  explicit LineReader(std::string_view line) : words_(words_of(line)) {}

  TegrastatsLine read() {
    if (words_.size() >= 2 && matches(words_[0], "99-99-9999") && matches(words_[1], "99:99:99")) {
      line_.time = words_[0] + " " + words_[1];
      next_ = 2;
    }
    while (next_ < words_.size()) {
      if (memory() || cores() || denver() || joined() || pair()) continue;
      line_.unknown.push_back(words_[next_++]);
    }
    return std::move(line_);
  }

 private:
  std::string_view word(std::size_t ahead) const {
    return next_ + ahead < words_.size() ? std::string_view(words_[next_ + ahead])
                                         : std::string_view();
  }

  // Words from `ahead` on, joined, until one ends the bracket that the first of them opens.
  // Sets `count` to how many; empty when the bracket is not closed.
  std::string bracketed(std::size_t ahead, char close, std::size_t& count) const {
    static constexpr std::size_t kMaxWords = 64;
    std::string text;
    for (count = 1; count <= kMaxWords && next_ + ahead < words_.size(); ++count, ++ahead) {
      if (!text.empty() && close == ')') text += ' ';
      text += words_[next_ + ahead];
      if (text.find(close) != std::string::npos) return text;
    }
    return "";
  }

  // RAM 1282/62795MB (lfb 15152x4MB); the text in parentheses may be missing or not be separated.
  bool memory() {
    const std::string_view name = word(0);
    if (name != "RAM" && name != "SWAP" && name != "IRAM") return false;
    std::string value(word(1));
    std::size_t count = 1;
    if (value.find('(') != std::string::npos) {
      value = bracketed(1, ')', count);
    } else if (word(2).substr(0, 1) == "(") {
      value += bracketed(2, ')', count);
      ++count;
    }
    const auto found = read_memory(name, value);
    if (!found) return false;
    line_.memory.push_back(*found);
    next_ += 1 + count;
    return true;
  }

  bool cores() {
    if (word(0) != "CPU" && word(0) != "cpu") return false;
    if (word(1).substr(0, 1) != "[") return false;
    std::size_t count = 0;
    auto found = read_cores(bracketed(1, ']', count));
    if (!found) return false;
    line_.clocks.insert(line_.clocks.end(), found->begin(), found->end());
    next_ += 1 + count;
    return true;
  }

  // MTS fg 0% bg 0%: the dynamic code optimiser of Denver and Carmel cores.
  bool denver() {
    if (word(0) != "MTS" || word(1) != "fg" || word(3) != "bg") return false;
    const auto foreground = read_clock("MTS fg", word(2));
    const auto background = read_clock("MTS bg", word(4));
    if (!foreground || !background || !foreground->load || !background->load) return false;
    line_.clocks.push_back(*foreground);
    line_.clocks.push_back(*background);
    next_ += 5;
    return true;
  }

  // NAME@42.5C, NAME@729, NAME@[314,314], NAME7%@408.
  bool joined() {
    const std::string_view text = word(0);
    std::size_t name_end = text.find('@');
    const std::size_t percent = text.substr(0, name_end).find('%');
    if (percent != std::string_view::npos) {
      name_end = percent;
      while (name_end > 0 && is_digit(text[name_end - 1])) --name_end;
    }
    if (name_end == std::string_view::npos || !is_name(text.substr(0, name_end))) return false;
    const std::string_view name = text.substr(0, name_end);
    if (text[name_end] == '@') {
      if (const auto found = read_temperature(name, text.substr(name_end + 1))) {
        line_.temperatures.push_back(*found);
        ++next_;
        return true;
      }
    }
    std::size_t count = 1;
    const bool list = text.find('[') != std::string_view::npos;
    const std::string whole = list ? bracketed(0, ']', count) : std::string(text);
    if (whole.size() <= name_end) return false;
    return add_clock(name, whole.substr(name_end), count);
  }

  // NAME value: a rail or a clock.
  bool pair() {
    const std::string_view name = word(0);
    if (!is_name(name) || next_ + 1 >= words_.size()) return false;
    if (auto rail = read_rail(name, word(1))) {
      if (name == "NC")
        ++line_.not_connected;
      else
        line_.rails.push_back(std::move(*rail));
      next_ += 2;
      return true;
    }
    std::size_t count = 1;
    const bool list = word(1).find('[') != std::string_view::npos;
    return add_clock(name, list ? bracketed(1, ']', count) : std::string(word(1)), 1 + count);
  }

  bool add_clock(std::string_view name, const std::string& value, std::size_t word_count) {
    auto clock = read_clock(name, value);
    if (!clock) return false;
    line_.clocks.push_back(std::move(*clock));
    next_ += word_count;
    return true;
  }

  std::vector<std::string> words_;
  std::size_t next_ = 0;
  TegrastatsLine line_;
};

}  // namespace

bool TegrastatsLine::empty() const {
  return memory.empty() && clocks.empty() && temperatures.empty() && rails.empty() &&
         not_connected == 0;
}

TegrastatsLine parse_tegrastats_line(std::string_view line) {
  return LineReader(line).read();
}

std::vector<TegrastatsLine> parse_tegrastats(std::string_view log, const std::string& source) {
  std::vector<TegrastatsLine> lines;
  std::size_t number = 0;
  bool any = false;
  while (!log.empty()) {
    ++number;
    const auto end = std::min(log.find('\n'), log.size());
    const std::string_view text = trim(log.substr(0, end));
    log.remove_prefix(std::min(end + 1, log.size()));
    if (text.size() > kMaxTegrastatsLineBytes) {
      throw InputError("line is longer than 64 KiB", fmt::format("{} line {}", source, number));
    }
    if (text.empty()) continue;
    lines.push_back(parse_tegrastats_line(text));
    lines.back().number = number;
    any = any || !lines.back().empty();
  }
  if (!any) {
    throw InputError("holds no tegrastats line", source, "give the output of 'tegrastats'");
  }
  return lines;
}

}  // namespace ridgewatt
