#include "ridgewatt/evaluate/finding/setting.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/io/published.h"

namespace ridgewatt::evaluate {
namespace {

using Words = std::vector<SettingWord>;

double setting_number(const std::string& key, const std::string& value, double least) {
  const auto number = parse_double(value);
  if (!number || !(*number >= least)) throw InputError("has no valid number", key + "=" + value);
  return *number;
}

PowerMode default_mode(const std::string& board_name) {
  const Board board = load_board(board_name);
  const int id = board.find_bsp().default_preset;
  for (const auto& preset : presets(board)) {
    if (preset.id == id) return preset.mode;
  }
  throw NotFoundError("the board has no default preset", board_name, "name a preset of the board");
}

void set_knob(Setting& setting, const std::string& key, const std::string& value,
              const TwinOf& twin_of) {
  const Knob knob = knob_of_word(key);
  const double number = setting_number(key, value, 1);
  const double wanted = knob == Knob::kCpuCores ? number : hz_of_mhz(number);
  const auto& levels = twin_of(setting.board).levels[knob];
  setting.mode.set(knob, levels.empty() ? wanted : levels[nearest_level(levels, wanted)]);
}

// Sets a mode of a study: a row of studies/published/modes.csv.
void set_mode(Setting& setting, const std::string& name, const TwinOf& twin_of) {
  CsvReader csv = open_published("modes.csv");
  const std::size_t board = csv.require_column("board"), mode = csv.require_column("mode");
  constexpr std::array<std::pair<const char*, const char*>, 4> kColumns = {
      {{"cores", "cpu_cores"}, {"cpu", "cpu_mhz"}, {"gpu", "gpu_mhz"}, {"mem", "mem_mhz"}}};
  while (csv.next()) {
    if (csv.field(board) != setting.board || csv.field(mode) != name) continue;
    for (const auto& [key, column] : kColumns) {
      set_knob(setting, key, std::string(csv.field(csv.require_column(column))), twin_of);
    }
    return;
  }
  throw NotFoundError("no study defines a power mode of this name for the board",
                      setting.board + ": " + name, "name a mode of studies/published/modes.csv");
}

std::string one_of(const std::string& key, const std::string& value,
                   std::initializer_list<const char*> known) {
  for (const char* name : known) {
    if (value == name) return value;
  }
  throw InputError("has no valid value", key + "=" + value);
}

// Handles words about the input pipeline. Returns false for any other word.
bool set_feed(Setting& setting, const std::string& key, const std::string& value) {
  if (key == "workers") {
    setting.workers = static_cast<int>(setting_number(key, value, 0));
  } else if (key == "storage") {
    setting.storage = value;
  } else if (key == "epoch") {
    setting.first_epoch = one_of(key, value, {"first", "later"}) == "first";
  } else if (key == "cache") {
    setting.cache_dropped = one_of(key, value, {"kept", "dropped"}) == "dropped";
  } else if (key == "data") {
    setting.data = find_data_set(value);
  } else {
    return false;
  }
  return true;
}

std::vector<std::string> values_of(const SettingWord& word, const std::string& board,
                                   const TwinOf& twin_of) {
  if (word.values != std::vector<std::string>{"all"}) return word.values;
  const Knob knob = knob_of_word(word.key);
  std::vector<std::string> all;
  for (const double level : twin_of(board).levels[knob]) {
    all.push_back(format_exact(knob == Knob::kCpuCores ? level : mhz_of_hz(level)));
  }
  return all;
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
  for (const auto& part : words_of(text)) {
    const auto equals = part.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == part.size()) {
      throw InputError("is not KEY=VALUE", part);
    }
    const std::string values = part.substr(equals + 1);
    const bool unknown = values.find('|') != std::string::npos;
    words.push_back({part.substr(0, equals), split(values, unknown ? '|' : '+'), unknown});
  }
  return words;
}

Knob knob_of_word(const std::string& word) {
  if (word == "cores") return Knob::kCpuCores;
  if (word == "cpu") return Knob::kCpuClock;
  if (word == "gpu") return Knob::kGpuClock;
  if (word == "mem") return Knob::kMemClock;
  throw InputError("is not a knob", word, "write cores, cpu, gpu or mem");
}

DataSet find_data_set(const std::string& name) {
  CsvReader csv = open_published("data_sets.csv");
  const std::size_t key = csv.require_column("data"), samples = csv.require_column("samples"),
                    bytes = csv.require_column("sample_bytes");
  while (csv.next()) {
    if (csv.field(key) == name) return {csv.number(samples), csv.number(bytes)};
  }
  throw NotFoundError("no study uses a data set of this name", name,
                      "name a data set of studies/published/data_sets.csv");
}

void set_word(Setting& setting, const std::string& key, const std::string& value,
              const TwinOf& twin_of) {
  if (set_feed(setting, key, value)) return;
  if (key == "board") {
    setting.board = value;
  } else if (key == "model") {
    setting.model = value;
  } else if (key == "batch") {
    setting.batch = static_cast<int>(setting_number(key, value, 1));
  } else if (key == "image" || key == "sequence") {
    setting.dims[key] = static_cast<std::int64_t>(setting_number(key, value, 1));
  } else if (key == "governor") {
    setting.mode.governor = value;
  } else if (key == "preset") {
    one_of(key, value, {"default"});
    setting.mode = default_mode(setting.board);
  } else if (key == "mode") {
    set_mode(setting, value, twin_of);
  } else {
    set_knob(setting, key, value, twin_of);
  }
}

std::vector<Setting> settings_of(const Setting& setting, const std::string& words,
                                 const TwinOf& twin_of) {
  std::vector<Setting> all = {setting};
  for (const auto& word : parse_setting(words)) {
    std::vector<Setting> more;
    for (const auto& one : all) {
      for (const auto& value : values_of(word, one.board, twin_of)) {
        more.push_back(one);
        set_word(more.back(), word.key, value, twin_of);
      }
    }
    all = std::move(more);
  }
  return all;
}

std::vector<Setting> alternatives_of(const Setting& setting, const std::string& lists,
                                     const TwinOf& twin_of) {
  std::vector<Setting> all;
  for (const auto& list : split(lists, ';')) {
    const auto some = settings_of(setting, list, twin_of);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace ridgewatt::evaluate
