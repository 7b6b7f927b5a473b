#include "ridgewatt/screen/blocks/frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ridgewatt/screen/blocks/block.h"

namespace ridgewatt::screen {
namespace {

constexpr Size kUsual{80, 24};

// Shortens "NVIDIA Jetson AGX Orin Developer Kit" to "Jetson AGX Orin".
std::string short_name(std::string name) {
  static constexpr std::string_view kMaker = "NVIDIA ", kKit = " Developer Kit";
  if (name.starts_with(kMaker)) name.erase(0, kMaker.size());
  if (name.ends_with(kKit)) name.erase(name.size() - kKit.size());
  return name;
}

// The preset, whether this program set it, and the clocks.
Line mode_line(const Scene& scene) {
  const auto& mode = scene.now.mode;
  Line line("mode ", Tone::kDim);
  if (mode.preset.empty() && mode.text.empty()) {
    return line.add("this machine has no power modes", Tone::kDim);
  }
  if (!mode.preset.empty()) line.add(harmless(mode.preset, scene.glyphs) + "  ", Tone::kTitle);
  if (scene.desk.holding) {
    const std::string first = harmless(scene.desk.first, scene.glyphs);
    line.add("set here; " + first + " comes back  ", Tone::kWarn);
  }
  return line.add(harmless(mode.text, scene.glyphs));
}

// Formats "m mode", with the key highlighted.
Line key_words(const std::vector<std::pair<const char*, const char*>>& keys, std::size_t width) {
  Line line;
  for (const auto& [key, word] : keys) {
    const std::size_t more = cells(key) + cells(word) + 3;
    if (line.cells() + more > width + 1) break;
    if (line.cells() > 0) line.add("  ");
    line.add(key, Tone::kKey).add(std::string(" ") + word);
  }
  return line;
}

Line question(const std::string& text, std::size_t width) {
  // Show the end of the input if it is too long.
  std::string shown = text;
  while (cells(shown) + 1 > width && !shown.empty())
    shown = shown.substr(first_cells(shown, 1).size());
  return Line(shown + "_", Tone::kKey).fit(width);
}

constexpr const char* kHelpText[] = {
    "q      quit; if a mode was set here, the original mode is restored",
    "m      set a mode: a preset, or cores=4,cpu=1113.6,gpu=612,mem=2133",
    "r      restore the original mode now",
    "w      begin a window with a name, or end it: its energy and error",
    "space  mark the end of a minibatch",
    "p      freeze the display; measuring continues",
    "t      show all parts, or only power, clocks or processes",
    "+ -    update more or less often",
    "?      this page",
    "",
    "Energy is counted from the start of this view. A separate thread samples power,",
    "independent of the updates of the display. The error is the sampling error; it",
    "does not include the accuracy of the sensor. Rails with + add up to the total.",
    "",
    "The original mode is saved before a mode is set, and restored when this program",
    "ends, even if it is killed. Only one program at a time can set a board's mode.",
    "",
    "Any key closes this page."};

}  // namespace

std::vector<Line> header_lines(const Scene& scene, std::size_t width) {
  const auto& now = scene.now;
  const bool fake = scene.board.provenance != "measured";
  const std::string time =
      fmt::format("{}up {}", scene.paused ? "PAUSED  " : "", time_text(now.since_s));
  Line first("ridgewatt top  ", Tone::kTitle);
  first.add(harmless(scene.board.provenance, scene.glyphs), fake ? Tone::kWarn : Tone::kGood);
  std::string name = "  " + short_name(harmless(scene.board.name, scene.glyphs));
  const std::string system = "  " + harmless(scene.board.system, scene.glyphs);
  const std::size_t used = first.cells() + cells(time) + 1;
  const std::size_t space = width > used ? width - used : 0;
  if (cells(name) + cells(system) <= space) name += system;
  first.add(left(name, space)).add(" " + time, scene.paused ? Tone::kWarn : Tone::kDim);

  return {first.fit(width), mode_line(scene).fit(width)};
}

Line footer_line(const Scene& scene, const Dialog& dialog, const Message& message, bool cut,
                 Size size) {
  const std::size_t width = size.width;
  const std::string input = harmless(dialog.input(), scene.glyphs);
  switch (dialog.page()) {
    case Dialog::Page::kMode:
      if (!scene.desk.refusal.empty()) break;
      return question("preset (up, down, Enter) or mode: " + input, width);
    case Dialog::Page::kConfirm:
      return question("set " + input + "? y/n ", width);
    case Dialog::Page::kWindow:
      return question("name of the window: " + input, width);
    case Dialog::Page::kHelp:
      return key_words({{"any key", "back"}}, width).fit(width);
    case Dialog::Page::kNone:
      break;
  }
  if (!message.text.empty()) {
    return Line(harmless(message.text, scene.glyphs), message.tone).fit(width);
  }
  std::vector<std::pair<const char*, const char*>> keys = {{"q", "quit"}, {"?", "help"}};
  if (cut) keys.emplace_back("t", "more");
  keys.emplace_back("m", "mode");
  if (scene.desk.holding) keys.emplace_back("r", "restore");
  keys.insert(keys.end(), {{"w", "window"}, {"space", "mark"}, {"p", "pause"}});
  if (!cut) keys.emplace_back("t", "view");
  const std::string rate = fmt::format("every {:g} s", scene.look_s);
  keys.emplace_back("+-", rate.c_str());
  const bool small = size.width < kUsual.width || size.height < kUsual.height;
  if (small) {
    Line line("80x24 shows more  ", Tone::kWarn);
    return line.add(key_words(keys, width - std::min(width, line.cells()))).fit(width);
  }
  return key_words(keys, width).fit(width);
}

std::vector<Line> page_lines(const Scene& scene, const Dialog& dialog, std::size_t width) {
  std::vector<Line> lines;
  if (dialog.page() == Dialog::Page::kHelp) {
    lines.emplace_back("keys", Tone::kTitle);
    for (const char* text : kHelpText) lines.emplace_back(text);
    return lines;
  }
  lines.emplace_back("set a power mode", Tone::kTitle);
  if (!scene.desk.refusal.empty()) {
    for (const auto& line : wrapped(harmless(scene.desk.refusal, scene.glyphs), width)) {
      lines.emplace_back(line, Tone::kWarn);
    }
    lines.emplace_back("any key goes back", Tone::kDim);
    return lines;
  }
  for (std::size_t i = 0; i < scene.desk.presets.size(); ++i) {
    const bool chosen = i == dialog.chosen() && dialog.input().empty();
    lines.emplace_back((chosen ? "> " : "  ") + harmless(scene.desk.presets[i], scene.glyphs),
                       chosen ? Tone::kKey : Tone::kPlain);
  }
  lines.emplace_back("");
  for (const char* text :
       {"or type a mode, such as cores=4,cpu=1113.6,gpu=612,mem=2133,governor=schedutil;",
        "omitted knobs do not change. Esc goes back."}) {
    lines.emplace_back(text, Tone::kDim);
  }
  return lines;
}

}  // namespace ridgewatt::screen
