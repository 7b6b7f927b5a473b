#include "ridgewatt/platform/tegrastats.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/platform/jetson/tegrastats_tokens.h"

namespace ridgewatt::platform {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_name(std::string_view text) {
  return !text.empty() && std::isalpha(static_cast<unsigned char>(text[0])) != 0 &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' ||
                  c == '.' || c == '+' || c == ':';
         });
}

// Clock domains are in capitals (APE, NVENC, VIC_FREQ). A number after any other word may not be a
// clock.
bool is_domain(std::string_view name) {
  return std::none_of(name.begin(), name.end(),
                      [](char c) { return std::islower(static_cast<unsigned char>(c)) != 0; });
}

bool is_bare_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](char c) { return is_digit(c) || c == '.' || c == '-'; });
}

bool matches(std::string_view text, std::string_view pattern) {
  if (text.size() != pattern.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (pattern[i] == '9' ? !is_digit(text[i]) : text[i] != pattern[i]) return false;
  }
  return true;
}

// Tries each kind of token at the next word. A kind that matches consumes its words.
class LineReader {
 public:
  explicit LineReader(std::string_view line) : words_(words_of(line)) {}

  TegrastatsLine read() {
    if (words_.size() >= 2 && matches(words_[1], "99:99:99") &&
        (matches(words_[0], "99-99-9999") || matches(words_[0], "9999-99-99"))) {
      line_.time = words_[0] + " " + words_[1];
      next_ = 2;
    }
    while (next_ < words_.size()) {
      if (memory() || cores() || denver() || edp_limit() || joined() || pair()) continue;
      line_.unknown.push_back(words_[next_++]);
    }
    return std::move(line_);
  }

 private:
  // A list in brackets. It begins within a word and may have blanks next to its commas.
  struct BracketList {
    std::string head;  // part of the first word before the bracket
    std::vector<std::string> elements;
    std::string suffix;  // part of the last word after the bracket
    std::string cut;     // last element if the line ends before the closing bracket
    std::size_t word_count = 0;
    std::string whole() const { return head + fmt::format("[{}]", fmt::join(elements, ",")); }
  };

  std::string_view word(std::size_t ahead) const {
    return next_ + ahead < words_.size() ? std::string_view(words_[next_ + ahead])
                                         : std::string_view();
  }

  BracketList bracket_list(std::size_t ahead) const {
    static constexpr std::size_t kMaxWords = 64;
    BracketList list;
    std::string text(word(ahead));
    const std::size_t open = text.find('[');
    std::size_t close = text.find(']', open);
    for (list.word_count = 1; close == std::string::npos && list.word_count < kMaxWords;
         ++list.word_count) {
      const std::string_view next = word(ahead + list.word_count);
      const bool goes_on = text.back() == ',' || text.back() == '[' || next.substr(0, 1) == "," ||
                           next.substr(0, 1) == "]";
      if (next.empty() || !goes_on) break;
      text += ' ';
      text += next;
      close = text.find(']', open);
    }
    list.head = text.substr(0, open);
    list.elements = split(text.substr(open + 1, close - open - 1), ',');
    if (close != std::string::npos) {
      list.suffix = text.substr(close + 1);
    } else if (next_ + ahead + list.word_count == words_.size()) {
      list.cut = std::move(list.elements.back());
      list.elements.pop_back();
    }
    return list;
  }

  // RAM 1282/62795MB (lfb 15152x4MB). The parentheses may be missing or follow without a blank.
  bool memory() {
    const std::string_view name = word(0);
    if (name != "RAM" && name != "SWAP" && name != "IRAM") return false;
    std::string text(word(1));
    const auto open = text.find('(');
    std::size_t count = 2;
    std::string detail;
    if (open != std::string::npos || word(2).substr(0, 1) == "(") {
      std::size_t end = open != std::string::npos ? 1 : 2;
      detail = open != std::string::npos ? text.substr(open) : std::string(word(2));
      while (detail.find(')') == std::string::npos && !word(end + 1).empty() &&
             word(end + 1).find('(') == std::string_view::npos) {
        detail += ' ';
        detail += word(++end);
      }
      if (detail.back() == ')') {
        detail = detail.substr(1, detail.size() - 2);
        count = end + 1;
      } else {  // never closed: use only the numbers
        detail.clear();
      }
    }
    const auto found = read_tegrastats_memory(name, text.substr(0, open), detail);
    if (!found) return false;
    if (open != std::string::npos && detail.empty()) line_.unknown.push_back(text.substr(open));
    line_.memory.push_back(*found);
    next_ += count;
    return true;
  }

  bool cores() {
    const std::string_view name = word(0).substr(0, word(0).find('['));
    if (name != "CPU" && name != "cpu") return false;
    const std::size_t ahead = name == word(0) ? 1 : 0;
    if (word(ahead).substr(ahead == 0 ? name.size() : 0, 1) != "[") return false;
    const BracketList list = bracket_list(ahead);
    auto found = read_tegrastats_cores(list.elements, list.suffix, line_.unknown);
    if (!found) return false;
    leave_cut(list);
    line_.clocks.insert(line_.clocks.end(), found->begin(), found->end());
    next_ += ahead + list.word_count;
    return true;
  }

  // MTS fg 0% bg 0%: the dynamic code optimizer of Denver and Carmel cores.
  bool denver() {
    if (word(0) != "MTS" || word(1) != "fg" || word(3) != "bg") return false;
    for (const std::size_t i : {1u, 3u}) {
      const auto part =
          read_tegrastats_clock(fmt::format("MTS {}", word(i)), word(i + 1), line_.unknown);
      if (part && part->load)
        line_.clocks.push_back(*part);
      else
        line_.unknown.emplace_back(word(i + 1));
    }
    next_ += 5;
    return true;
  }

  // EDP limit 1912: the CPU clock that the current limiter allows (TK1, TX1); 0: none.
  bool edp_limit() {
    if (word(0) != "EDP" || word(1) != "limit") return false;
    const auto limit = read_tegrastats_clock("EDP", word(2), line_.unknown);
    if (!limit || limit->load || limit->off || limit->clocks_hz.size() > 1) return false;
    if (!limit->clocks_hz.empty()) line_.edp_limit_hz = limit->clocks_hz[0];
    next_ += 3;
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
      if (const auto found =
              read_tegrastats_temperature(name, text.substr(name_end + 1), line_.unknown)) {
        line_.temperatures.push_back(*found);
        ++next_;
        return true;
      }
    }
    if (text.find('[') == std::string_view::npos) {
      return add_clock(name, text.substr(name_end), 1);
    }
    const BracketList list = bracket_list(0);
    if (!list.suffix.empty() || list.head.size() <= name_end) return false;
    if (!add_clock(name, list.whole().substr(name_end), list.word_count)) return false;
    leave_cut(list);
    return true;
  }

  // NAME value: a rail or a clock.
  bool pair() {
    const std::string_view name = word(0);
    if (!is_name(name) || next_ + 1 >= words_.size()) return false;
    if (auto rail = read_tegrastats_rail(name, word(1), line_.unknown)) {
      if (name == "NC")
        ++line_.not_connected;
      else
        line_.rails.push_back(std::move(*rail));
      next_ += 2;
      return true;
    }
    if (is_bare_number(word(1)) && !is_domain(name)) return false;
    if (word(1).find('[') == std::string_view::npos) return add_clock(name, word(1), 2);
    const BracketList list = bracket_list(1);
    if (!list.suffix.empty() || !add_clock(name, list.whole(), 1 + list.word_count)) return false;
    leave_cut(list);
    return true;
  }

  void leave_cut(const BracketList& list) {
    for (auto& part : words_of(list.cut)) line_.unknown.push_back(std::move(part));
  }

  bool add_clock(std::string_view name, std::string_view value, std::size_t word_count) {
    auto clock = read_tegrastats_clock(name, value, line_.unknown);
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
      throw InputError("a line is longer than 64 KiB", fmt::format("{} line {}", source, number),
                       "give the output of 'tegrastats'");
    }
    if (text.empty()) continue;
    lines.push_back(parse_tegrastats_line(text));
    lines.back().number = number;
    any = any || !lines.back().empty();
  }
  if (!any) {
    throw InputError("has no line of tegrastats", source, "give the output of 'tegrastats'");
  }
  return lines;
}

}  // namespace ridgewatt::platform
