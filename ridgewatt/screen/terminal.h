// A terminal as a screen of lines (ncursesw), with colors, keys and changes of size. The terminal
// is always restored, even if the program is killed, because a helper process then restores it.
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

// Returns the reason why standard input and output cannot show a screen ("not a terminal", "the
// terminal 'dumb' cannot move its cursor"). Empty: they can show one.
std::string why_no_screen();

class Terminal {
 public:
  // Only one object may exist at a time. Throws NotSupportedError with the text of why_no_screen(),
  // or if this build has no ncursesw. Construct it before starting threads, because it forks.
  Terminal();
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  // The characters that the terminal and the locale support.
  Glyphs glyphs() const;
  Size size() const;
  void draw(const std::vector<Line>& lines);
  // Waits for the next key. Empty after the timeout or a signal. Also returns Key::kOther when the
  // size changed.
  std::optional<KeyPress> key(double timeout_s);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace ridgewatt::screen
