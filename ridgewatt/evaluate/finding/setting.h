// The setting of a published fact as words ("mode=c workers=4 storage=nvme") and their meaning.
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

struct SettingWord {
  std::string key;
  // Several: the exact one was not published ("a|b"), or the fact is of each of them ("a+b").
  std::vector<std::string> values;
  bool unknown = false;
};
// Throws InputError for text that is not a list of words.
std::vector<SettingWord> parse_setting(const std::string& text);

// "cpu", "gpu", "mem", "cores". Throws InputError.
Knob knob_of_word(const std::string& word);

// Index of the level nearest to `value`; the number of levels if there are none.
std::size_t nearest_level(const std::vector<double>& levels, double value);

// One row of studies/published/data_sets.csv.
struct DataSet {
  double samples = 0;
  double sample_bytes = 0;  // read from storage for each sample; 0: the program holds all in memory
};
DataSet find_data_set(const std::string& name);

struct Setting {
  std::string board;
  std::string model;
  WorkloadKind kind = WorkloadKind::kInference;
  int batch = 1;
  double samples = 0;  // of times and energies; 0: per minibatch, per sample
  PowerMode mode;
  std::map<std::string, std::int64_t> dims;  // open extents of the model
  std::optional<int> workers;                // nothing: the default
  std::optional<DataSet> data;               // given: times and energies are of an epoch
  std::string storage = "memory";
  bool first_epoch = false;
  bool cache_dropped = false;  // after each epoch
};
using TwinOf = std::function<const twin::Twin&(std::string board)>;
// `setting` with the value of a word; clocks are the nearest ones of the board's table.
void set_word(Setting& setting, const std::string& key, const std::string& value,
              const TwinOf& twin_of);
// `setting` changed by a list of words: one setting for each combination of their values. The value
// "all" is every level of a knob.
std::vector<Setting> settings_of(const Setting& setting, const std::string& words,
                                 const TwinOf& twin_of);
// The same for lists of words that are separated by ";".
std::vector<Setting> alternatives_of(const Setting& setting, const std::string& lists,
                                     const TwinOf& twin_of);

}  // namespace ridgewatt::evaluate
