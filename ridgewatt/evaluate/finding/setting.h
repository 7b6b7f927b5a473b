// The words of a finding's setting ("gpu=670 cpu=1200|2100") and the settings that they mean.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/device/power_mode.h"
#include "ridgewatt/twin/twin.h"

namespace ridgewatt::evaluate {

struct SettingWord {
  std::string key;
  std::vector<std::string> values;  // more than one: not published which
};
// InputError on what is no list of words.
std::vector<SettingWord> parse_setting(const std::string& text);

// "cpu", "gpu", "mem", "cores". InputError.
Knob knob_of_word(const std::string& word);

// Place of the level nearest to `value`; the levels' number where there are none.
std::size_t nearest_level(const std::vector<double>& levels, double value);

struct Setting {
  std::string board;
  int batch = 1;
  PowerMode mode;
};
// `setting` with a word's value; clocks are those of the board's table that lie nearest. A board is
// only named: the twin that follows is asked for by the caller.
void set_word(Setting& setting, const std::string& key, const std::string& value,
              const twin::Twin& twin);

}  // namespace ridgewatt::evaluate
