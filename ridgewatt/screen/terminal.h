// A terminal as a screen of lines (ncursesw): colors, keys, changes of size. It is restored in
// every case, also when the program is killed: a helper process waits for that.
//
//   Terminal terminal;                     // throws unless the terminal can move its cursor
//   terminal.draw(lay_out(scene, dialog, message, terminal.size()));
//   const auto key = terminal.key(0.25);   // waits up to 0.25 s
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/screen/layout.h"

namespace ridgewatt::screen {

// The reason why standard input and output cannot show a screen ("not a terminal", "the terminal
// 'dumb' cannot move its cursor"); empty if they can.
std::string why_no_screen();

class Terminal {
 public:
  // Only one at a time. Throws NotSupportedError with why_no_screen(), or if this build has no
  // ncursesw. Construct it before starting threads: it forks.
  Terminal();
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  // The capabilities of the terminal and the locale.
  Glyphs glyphs() const;
  Size size() const;
  void draw(const std::vector<Line>& lines);
  // The next key; empty after the timeout or a signal. Key::kOther also if the size changed.
  std::optional<KeyPress> key(double timeout_s);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace ridgewatt::screen
