#include "ridgewatt/screen/terminal.h"

#include <unistd.h>

#include "ridgewatt/base/error.h"

#ifdef RIDGEWATT_HAS_CURSES

#include <langinfo.h>

#include <algorithm>
#include <array>
#include <climits>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cwchar>
#include <string_view>

#include "ridgewatt/screen/tty/terminal_keeper.h"
#include "ridgewatt/screen/tty/terminfo.h"

// Included after the standard headers: curses defines macros with names that they use.
#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include <curses.h>

namespace ridgewatt::screen {
namespace {

// The locale decides what a character is. If its name is UTF-8 but the system lacks it, for example
// over ssh, use C.UTF-8.
bool set_utf8() {
  if (std::setlocale(LC_CTYPE, "") == nullptr) {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
      const char* value = std::getenv(name);
      if (value == nullptr || *value == '\0') continue;
      const std::string_view text(value);
      const bool utf8 = text.ends_with("UTF-8") || text.ends_with("utf8");
      if (utf8) std::setlocale(LC_CTYPE, "C.UTF-8");
      break;
    }
  }
  return std::strcmp(::nl_langinfo(CODESET), "UTF-8") == 0;
}

short pair_of(Tone tone) {
  return static_cast<short>(1 + static_cast<int>(tone));
}

void set_colors() {
  if (!::has_colors()) return;
  ::start_color();
  const short back = ::use_default_colors() == OK ? -1 : COLOR_BLACK;
  const auto set = [&](Tone tone, short color) { ::init_pair(pair_of(tone), color, back); };
  set(Tone::kPlain, back == -1 ? short{-1} : short{COLOR_WHITE});
  set(Tone::kTitle, COLOR_CYAN);
  set(Tone::kDim, back == -1 ? short{-1} : short{COLOR_WHITE});
  set(Tone::kGood, COLOR_GREEN);
  set(Tone::kWarn, COLOR_YELLOW);
  set(Tone::kBad, COLOR_RED);
  set(Tone::kBar, COLOR_GREEN);
  set(Tone::kGraph, COLOR_CYAN);
  set(Tone::kKey, COLOR_CYAN);
}

// Important tones also differ without colors.
attr_t attributes_of(Tone tone) {
  switch (tone) {
    case Tone::kTitle:
    case Tone::kKey:
      return A_BOLD;
    case Tone::kDim:
      return A_DIM;
    case Tone::kBad:
      return A_BOLD | A_REVERSE;
    case Tone::kWarn:
      return A_BOLD;
    case Tone::kPlain:
    case Tone::kGood:
    case Tone::kBar:
    case Tone::kGraph:
      break;
  }
  return A_NORMAL;
}

std::string utf8_of(wint_t character) {
  std::array<char, MB_LEN_MAX> bytes{};
  std::mbstate_t state{};
  const std::size_t size = std::wcrtomb(bytes.data(), static_cast<wchar_t>(character), &state);
  return size == static_cast<std::size_t>(-1) ? "" : std::string(bytes.data(), size);
}

}  // namespace

std::string why_no_screen() {
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDOUT_FILENO) == 0) return "not a terminal";
  const char* term = std::getenv("TERM");
  if (term == nullptr || *term == '\0') return "TERM is not set";
  if (!choose_terminal(term))
    return "the terminal '" + std::string(term) + "' cannot move its cursor";
  return "";
}

class Terminal::State {
 public:
  State() {
    if (const std::string why = why_no_screen(); !why.empty()) throw NotSupportedError(why);
    utf8_ = set_utf8();
    keeper_ = std::make_unique<TerminalKeeper>(way_back());
    screen_ = ::newterm(nullptr, stdout, stdin);
    if (screen_ == nullptr)
      throw NotSupportedError("the terminal does not allow the settings of the live view", "",
                              "use --once, or another terminal");
    ::set_escdelay(25);
    ::cbreak();
    ::noecho();
    ::nonl();
    ::curs_set(0);
    ::keypad(stdscr, TRUE);
    set_colors();
  }
  ~State() {
    if (screen_ == nullptr) return;
    ::endwin();
    ::delscreen(screen_);
    keeper_->done();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Glyphs glyphs() const {
    // The font of the Linux console has neither braille nor block characters.
    const std::string_view term(std::getenv("TERM"));
    return utf8_ && term != "linux" ? Glyphs::kBraille : Glyphs::kAscii;
  }

 private:
  bool utf8_ = false;
  std::unique_ptr<TerminalKeeper> keeper_;
  SCREEN* screen_ = nullptr;
};

Terminal::Terminal() : state_(std::make_unique<State>()) {}

Glyphs Terminal::glyphs() const {
  return state_->glyphs();
}

Size Terminal::size() const {
  return {static_cast<std::size_t>(std::max(0, getmaxx(stdscr))),
          static_cast<std::size_t>(std::max(0, getmaxy(stdscr)))};
}

void Terminal::draw(const std::vector<Line>& lines) {
  ::erase();
  for (std::size_t row = 0; row < lines.size(); ++row) {
    if (::move(static_cast<int>(row), 0) != OK) break;
    for (const auto& span : lines[row].spans()) {
      const short pair = ::has_colors() ? pair_of(span.tone) : short{0};
      ::attr_set(attributes_of(span.tone), pair, nullptr);
      ::addnstr(span.text.c_str(), static_cast<int>(span.text.size()));
    }
  }
  ::refresh();
}

std::optional<KeyPress> Terminal::key(double timeout_s) {
  ::timeout(static_cast<int>(std::clamp(timeout_s, 0.0, 60.0) * 1000));
  wint_t character = 0;
  const int kind = ::get_wch(&character);
  if (kind == ERR) return std::nullopt;
  if (kind == KEY_CODE_YES) {
    if (character == KEY_UP) return KeyPress{Key::kUp};
    if (character == KEY_DOWN) return KeyPress{Key::kDown};
    if (character == KEY_BACKSPACE) return KeyPress{Key::kBackspace};
    if (character == KEY_ENTER) return KeyPress{Key::kEnter};
    return KeyPress{Key::kOther};
  }
  if (character == '\r' || character == '\n') return KeyPress{Key::kEnter};
  if (character == 27) return KeyPress{Key::kEscape};
  if (character == 127 || character == 8) return KeyPress{Key::kBackspace};
  if (character < 32) return KeyPress{Key::kOther};
  return KeyPress{Key::kCharacter, utf8_of(character)};
}

}  // namespace ridgewatt::screen

#else

namespace ridgewatt::screen {

std::string why_no_screen() {
  return "this build has no ncursesw";
}

class Terminal::State {};

Terminal::Terminal() {
  throw NotSupportedError(why_no_screen());
}
Glyphs Terminal::glyphs() const {
  return Glyphs::kAscii;
}
Size Terminal::size() const {
  return {};
}
void Terminal::draw(const std::vector<Line>&) {}
std::optional<KeyPress> Terminal::key(double) {
  return std::nullopt;
}

}  // namespace ridgewatt::screen

#endif

namespace ridgewatt::screen {

Terminal::~Terminal() = default;

}  // namespace ridgewatt::screen
