#include "ridgewatt/evaluate/finding/setting.h"

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/device/board.h"

namespace ridgewatt::evaluate {
namespace {

double setting_number(const std::string& key, const std::string& value) {
  const auto number = parse_double(value);
  if (!number || !(*number > 0)) throw InputError("is not a number above 0", key + "=" + value);
  return *number;
}

PowerMode default_mode(const std::string& board_name) {
  const Board board = load_board(board_name);
  const int id = board.find_bsp().default_preset;
  for (const auto& preset : presets(board)) {
    if (preset.id == id) return preset.mode;
  }
  throw NotFoundError("the board has no default preset", board_name);
}

}  // namespace

std::size_t nearest_level(const std::vector<double>& levels, double value) {
  const auto nearest = std::min_element(levels.begin(), levels.end(), [&](double a, double b) {
    return std::abs(a - value) < std::abs(b - value);
  });
  return static_cast<std::size_t>(nearest - levels.begin());
}

std::vector<SettingWord> parse_setting(const std::string& text) {
  std::vector<SettingWord> words;
  for (const auto& part : split(text, ' ')) {
    if (part.empty()) continue;
    const auto equals = part.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == part.size()) {
      throw InputError("is not KEY=VALUE", part);
    }
    words.push_back({part.substr(0, equals), split(part.substr(equals + 1), '|')});
  }
  return words;
}

Knob knob_of_word(const std::string& word) {
  if (word == "cores") return Knob::kCpuCores;
  if (word == "cpu") return Knob::kCpuClock;
  if (word == "gpu") return Knob::kGpuClock;
  if (word == "mem") return Knob::kMemClock;
  throw InputError("is not a knob of a finding: cores, cpu, gpu or mem", word);
}

void set_word(Setting& setting, const std::string& key, const std::string& value,
              const twin::Twin& twin) {
  if (key == "board") {
    setting.board = value;
  } else if (key == "batch") {
    setting.batch = static_cast<int>(setting_number(key, value));
  } else if (key == "governor") {
    setting.mode.governor = value;
  } else if (key == "preset") {
    if (value != "default") throw InputError("the only preset of a finding is default", value);
    setting.mode = default_mode(setting.board);
  } else {
    const Knob knob = knob_of_word(key);
    const double number = setting_number(key, value);
    const double wanted = knob == Knob::kCpuCores ? number : hz_of_mhz(number);
    const auto& levels = twin.levels[knob];
    setting.mode.set(knob, levels.empty() ? wanted : levels[nearest_level(levels, wanted)]);
  }
}

}  // namespace ridgewatt::evaluate
