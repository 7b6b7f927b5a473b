// Interprets the keys pressed in the terminal view, including answers to questions. Needs no
// terminal.
//
//   Dialog dialog;
//   dialog.press({Key::kCharacter, "m"}, desk, false);        // the list of presets
//   dialog.press({Key::kEnter}, desk, false);                 // "set MODE_15W? y/n"
//   dialog.press({Key::kCharacter, "y"}, desk, false).action  // Action::kSetMode
#pragma once

#include <cstddef>
#include <string>

#include "ridgewatt/screen/scene.h"

namespace ridgewatt::screen {

enum class Key { kCharacter, kEnter, kEscape, kBackspace, kUp, kDown, kOther };

struct KeyPress {
  Key key = Key::kOther;
  std::string text = {};  // for kCharacter: one character in UTF-8
};

enum class Action {
  kNone,
  kQuit,
  kMark,
  kBeginWindow,  // `text` is the window's name
  kEndWindow,
  kSetMode,  // `text` is a preset or a mode
  kRestore,
  kPause,
  kFaster,
  kSlower,
  kNextView
};

struct Command {
  Action action = Action::kNone;
  std::string text = {};
};

class Dialog {
 public:
  enum class Page { kNone, kHelp, kMode, kConfirm, kWindow };

  // Processes a key and returns the resulting command. `window_open` means that there is a window
  // that can be ended.
  Command press(const KeyPress& key, const ModeDesk& desk, bool window_open);
  Page page() const { return page_; }
  // The text typed so far; on the page kConfirm, the requested mode.
  const std::string& input() const { return input_; }
  std::size_t chosen() const { return chosen_; }  // index of the selected preset

 private:
  Command press_mode(const KeyPress& key, const ModeDesk& desk);
  Command press_view(const std::string& text, const ModeDesk& desk, bool window_open);
  bool edit(const KeyPress& key);
  void open(Page page);

  Page page_ = Page::kNone;
  std::string input_;
  std::size_t chosen_ = 0;
};

}  // namespace ridgewatt::screen
