// The setting of a published fact as text ("mode=c workers=4 storage=nvme"), and its meaning.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/base/workload_kind.h"
#include "ridgewatt/device/power_mode.h"
#include "ridgewatt/twin/twin.h"

namespace ridgewatt::evaluate {

// One word of a setting, KEY=VALUE.
struct SettingWord {
  std::string key;
  // Several values if the value was not published ("a|b"), or if the fact applies to each ("a+b").
  std::vector<std::string> values;
  // Whether the value was not published.
  bool unknown = false;
};
// Throws InputError if the text is not a list of words.
std::vector<SettingWord> parse_setting(const std::string& text);

// `word`: "cpu", "gpu", "mem" or "cores". Throws InputError for other text.
Knob knob_of_word(const std::string& word);

// Returns the index of the level nearest to `value`; levels.size() if there are no levels.
std::size_t nearest_level(const std::vector<double>& levels, double value);

// A row of studies/published/data_sets.csv.
struct DataSet {
  double samples = 0;
  double sample_bytes = 0;  // read from storage per sample; 0: the program has all data in memory
};
DataSet find_data_set(const std::string& name);

// A setting in which a quantity is computed.
struct Setting {
  std::string board;
  std::string model;
  WorkloadKind kind = WorkloadKind::kInference;
  int batch = 1;
  double samples = 0;  // samples per time and energy; 0: per minibatch, per sample
  PowerMode mode;
  std::map<std::string, std::int64_t> dims;  // sizes of symbolic dimensions of the model
  std::optional<int> workers;                // absent: the default
  std::optional<DataSet> data;               // if set, times and energies are those of an epoch
  std::string storage = "memory";
  bool first_epoch = false;
  bool cache_dropped = false;  // whether the page cache is dropped after each epoch
};
using TwinOf = std::function<const twin::Twin&(std::string board)>;
// Applies `key`=`value` to `setting`. Clocks are rounded to the nearest level of the board.
void set_word(Setting& setting, const std::string& key, const std::string& value,
              const TwinOf& twin_of);
// Returns one copy of `setting` for each combination of the values that `words` lists.
// The value "all" stands for every level of a knob.
std::vector<Setting> settings_of(const Setting& setting, const std::string& words,
                                 const TwinOf& twin_of);
// Returns the settings of several lists of words, separated by ";".
std::vector<Setting> alternatives_of(const Setting& setting, const std::string& lists,
                                     const TwinOf& twin_of);

}  // namespace ridgewatt::evaluate
