#include "ridgewatt/platform/jetson/tegrastats_tokens.h"

#include <fmt/format.h>

#include <limits>

#include "ridgewatt/base/text.h"
#include "ridgewatt/device/power_mode.h"

namespace ridgewatt::platform {
namespace {

// Limit for clocks (MHz), powers (mW), memory sizes and temperatures.
constexpr double kMaxNumber = 1e9;
constexpr double kNotPrinted = std::numeric_limits<double>::quiet_NaN();

// Parses a word from its front. A function that fails leaves the word unchanged.
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

  // Parses digits [ "." digits ], with an optional leading "-" if `sign` is set.
  std::optional<double> number(bool sign = false) {
    std::size_t end = sign && !text_.empty() && text_[0] == '-' ? 1 : 0;
    const std::size_t digits = end;
    while (end < text_.size() && is_number(text_[end])) ++end;
    if (end == digits) return std::nullopt;
    if (end + 1 < text_.size() && text_[end] == '.' && is_number(text_[end + 1])) {
      ++end;
      while (end < text_.size() && is_number(text_[end])) ++end;
    }
    const auto value = parse_double(text_.substr(0, end));
    if (!value || *value > kMaxNumber || *value < -kMaxNumber) return std::nullopt;
    text_.remove_prefix(end);
    return value;
  }

 private:
  static bool is_number(char c) { return c >= '0' && c <= '9'; }
  std::string_view text_;
};

std::optional<double> byte_unit(Word& word) {
  if (word.take("kB") || word.take("KB")) return 1024.0;
  if (word.take("MB")) return 1048576.0;
  if (word.take("GB")) return 1073741824.0;
  if (word.take("B")) return 1.0;
  return std::nullopt;
}

void leave_unread(std::string_view text, UnreadWords& unread) {
  for (auto& word : words_of(text)) unread.push_back(std::move(word));
}

std::string_view without_brackets(std::string_view text) {
  if (!text.empty() && text.front() == '[') text.remove_prefix(1);
  if (!text.empty() && text.back() == ']') text.remove_suffix(1);
  return text;
}

// Parses a clock in MHz. A negative clock is unknown and is not added.
bool add_clock_mhz(std::string_view text, std::vector<double>& clocks_hz) {
  Word word(text);
  const auto mhz = word.number(true);
  if (!mhz || !word.done()) return false;
  if (*mhz >= 0) clocks_hz.push_back(hz_of_mhz(*mhz));
  return true;
}

// Parses MHz, or "[" MHz { "," MHz } "]".
bool read_clocks_mhz(std::string_view text, std::vector<double>& clocks_hz, UnreadWords& unread) {
  if (text.empty() || text.front() != '[') return add_clock_mhz(text, clocks_hz);
  if (text.back() != ']') return false;
  UnreadWords left;
  bool any = false;
  for (const auto& element : split(without_brackets(text), ',')) {
    if (add_clock_mhz(trim(element), clocks_hz))
      any = true;
    else
      leave_unread(element, left);
  }
  if (any) unread.insert(unread.end(), left.begin(), left.end());
  return any;
}

}  // namespace

std::optional<TegrastatsMemory> read_tegrastats_memory(std::string_view name,
                                                       std::string_view value,
                                                       std::string_view detail) {
  TegrastatsMemory memory;
  memory.name = name;
  memory.detail = detail;
  Word word(value);
  const auto used = word.number();
  if (!used || !word.take("/")) return std::nullopt;
  const auto total = word.number();
  const auto unit = byte_unit(word);
  if (!total || !unit || !word.done()) return std::nullopt;
  memory.used_bytes = *used * *unit;
  memory.total_bytes = *total * *unit;
  return memory;
}

std::optional<TegrastatsRail> read_tegrastats_rail(std::string_view name, std::string_view value,
                                                   UnreadWords& unread) {
  const auto parts = split(value, '/');
  if (parts.size() > 3) return std::nullopt;
  std::vector<double> powers_w;
  UnreadWords left;
  std::size_t with_unit = 0;
  for (const auto& part : parts) {
    Word word(part);
    const auto milliwatt = word.number(true);
    const bool unit = word.take("mW");
    const bool good = milliwatt && word.done();
    powers_w.push_back(good ? *milliwatt / 1e3 : kNotPrinted);
    if (!good) left.push_back(part);
    if (good && unit) ++with_unit;
  }
  // Without a unit, only a complete list of numbers is recognized as a rail.
  if (with_unit == 0 && (!left.empty() || parts.size() == 1)) return std::nullopt;
  TegrastatsRail rail;
  rail.name = name;
  rail.power_w = powers_w[0];
  rail.average_w = powers_w.size() > 1 ? powers_w[1] : kNotPrinted;
  if (powers_w.size() == 3 && powers_w[2] == powers_w[2]) rail.maximum_w = powers_w[2];
  for (const auto& part : left) leave_unread(part, unread);
  return rail;
}

std::optional<TegrastatsTemperature> read_tegrastats_temperature(std::string_view name,
                                                                 std::string_view value,
                                                                 UnreadWords& unread) {
  static constexpr double kNoPower = -255;  // a zone without power reads -256
  TegrastatsTemperature temperature;
  temperature.name = name;
  Word word(value);
  const auto now = word.number(true);
  if (!now || !word.take("C")) return std::nullopt;
  if (*now > kNoPower) temperature.celsius = *now;
  if (word.done()) return temperature;
  if (!word.take("/")) return std::nullopt;
  const std::string_view rest = word.rest();
  const auto maximum = word.number(true);
  if (!maximum || !word.take("C") || !word.done())
    leave_unread(rest, unread);
  else if (*maximum > kNoPower)
    temperature.maximum_celsius = *maximum;
  return temperature;
}

std::optional<TegrastatsClock> read_tegrastats_clock(std::string_view name, std::string_view value,
                                                     UnreadWords& unread) {
  TegrastatsClock clock;
  clock.name = name;
  if (value == "off" || value == "OFF") {
    clock.off = true;
    return clock;
  }
  if (add_clock_mhz(value, clock.clocks_hz)) return clock;
  Word word(value);
  if (const auto percent = word.number()) {
    if (!word.take("%")) return std::nullopt;
    clock.load = *percent / 100;
    if (word.done()) return clock;
  }
  if (!word.take("@")) return std::nullopt;
  if (read_clocks_mhz(word.rest(), clock.clocks_hz, unread)) return clock;
  if (!clock.load) return std::nullopt;
  // Keep the load, drop the rest.
  for (const auto& element : split(without_brackets(word.rest()), ',')) {
    leave_unread(element, unread);
  }
  return clock;
}

std::optional<std::vector<TegrastatsClock>> read_tegrastats_cores(
    const std::vector<std::string>& elements, std::string_view suffix, UnreadWords& unread) {
  std::vector<TegrastatsClock> cores;
  UnreadWords left;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const auto core = read_tegrastats_clock(fmt::format("CPU{}", i), trim(elements[i]), left);
    if (core && (core->off || core->load))
      cores.push_back(*core);
    else
      leave_unread(elements[i], left);
  }
  if (cores.empty()) return std::nullopt;
  std::vector<double> common;
  Word word(suffix);
  if (!suffix.empty() && (!word.take("@") || !read_clocks_mhz(word.rest(), common, left))) {
    leave_unread(suffix, left);
  }
  for (auto& core : cores) {
    if (!core.off && core.clocks_hz.empty()) core.clocks_hz = common;
  }
  unread.insert(unread.end(), left.begin(), left.end());
  return cores;
}

}  // namespace ridgewatt::platform
