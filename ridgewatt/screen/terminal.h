// A terminal as a screen of lines (ncursesw): colors, keys, changes of size. It is put back as it
// was on every way out; when the program is killed, by a process that waits for that.
//
//   Terminal terminal;                     // throws where there is none that can move its cursor
//   terminal.draw(lay_out(scene, dialog, message, terminal.size()));
//   const auto key = terminal.key(0.25);   // waits up to 0.25 s
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/screen/layout.h"

namespace ridgewatt::screen {

// Why standard input and output are no screen ("not a terminal", "the terminal 'dumb' cannot move
// its cursor"); empty when they are.
std::string why_no_screen();

class Terminal {
 public:
  // One at a time. NotSupportedError: why_no_screen(), or this build has no ncursesw. Call it
  // before starting threads: it forks.
  Terminal();
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  // What the terminal and the locale can show.
  Glyphs glyphs() const;
  Size size() const;
  void draw(const std::vector<Line>& lines);
  // The next key; nothing when none came, or a signal. Key::kOther too when the size changed.
  std::optional<KeyPress> key(double timeout_s);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace ridgewatt::screen
