#include "ridgewatt/screen/dialog.h"

#include <utility>

namespace ridgewatt::screen {
namespace {

constexpr std::size_t kLongestInput = 200;  // bytes

}  // namespace

void Dialog::open(Page page) {
  page_ = page;
  input_.clear();
}

// Handles characters and backspace. Returns false for any other key.
bool Dialog::edit(const KeyPress& key) {
  if (key.key == Key::kCharacter) {
    if (input_.size() + key.text.size() <= kLongestInput) input_ += key.text;
    return true;
  }
  if (key.key != Key::kBackspace) return false;
  while (!input_.empty() && (static_cast<unsigned char>(input_.back()) & 0xC0) == 0x80) {
    input_.pop_back();
  }
  if (!input_.empty()) input_.pop_back();
  return true;
}

Command Dialog::press_mode(const KeyPress& key, const ModeDesk& desk) {
  if (!desk.refusal.empty()) {  // the page shows the reason
    open(Page::kNone);
    return {};
  }
  const std::size_t count = desk.presets.size();
  if (key.key == Key::kUp && chosen_ > 0) --chosen_;
  if (key.key == Key::kDown && chosen_ + 1 < count) ++chosen_;
  if (key.key == Key::kEnter) {
    if (input_.empty() && chosen_ < count) input_ = desk.presets[chosen_];
    page_ = input_.empty() ? Page::kNone : Page::kConfirm;
    return {};
  }
  edit(key);
  return {};
}

Command Dialog::press_view(const std::string& text, const ModeDesk& desk, bool window_open) {
  if (text == "?" || text == "h") open(Page::kHelp);
  if (text == "m") {
    open(Page::kMode);
    chosen_ = 0;
  }
  if (text == "w" && !window_open) open(Page::kWindow);
  if (text == "w" && window_open) return {Action::kEndWindow};
  if (text == "q" || text == "Q") return {Action::kQuit};
  if (text == " ") return {Action::kMark};
  if (text == "p") return {Action::kPause};
  if (text == "t") return {Action::kNextView};
  if (text == "+" || text == "=") return {Action::kFaster};
  if (text == "-") return {Action::kSlower};
  if (text == "r" && desk.holding) return {Action::kRestore};
  return {};
}

Command Dialog::press(const KeyPress& key, const ModeDesk& desk, bool window_open) {
  if (page_ == Page::kNone) return press_view(key.text, desk, window_open);
  if (key.key == Key::kOther) return {};
  if (key.key == Key::kEscape || page_ == Page::kHelp) {
    open(Page::kNone);
    return {};
  }
  if (page_ == Page::kMode) return press_mode(key, desk);
  if (page_ == Page::kConfirm) {
    const bool yes = key.text == "y" || key.text == "Y";
    std::string mode = std::exchange(input_, "");
    open(Page::kNone);
    return yes ? Command{Action::kSetMode, std::move(mode)} : Command{};
  }
  if (key.key == Key::kEnter) {
    std::string name = std::exchange(input_, "");
    open(Page::kNone);
    return {Action::kBeginWindow, name.empty() ? "window" : std::move(name)};
  }
  edit(key);
  return {};
}

}  // namespace ridgewatt::screen
