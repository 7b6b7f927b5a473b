#include "ridgewatt/sweep/mode_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "ridgewatt/base/csv.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt {

std::vector<PowerMode> read_modes(const std::string& path) {
  const CsvTable table = read_csv(path);
  std::vector<std::pair<Knob, std::size_t>> columns;
  for (const Knob knob : kKnobs) {
    if (const auto column = table.column(knob_field(knob))) columns.emplace_back(knob, *column);
  }
  if (columns.empty()) {
    throw InputError("a file of modes has no knob column", path,
                     "cpu_cores, cpu_mhz, gpu_mhz or mem_mhz");
  }
  std::vector<PowerMode> modes;
  std::set<PowerMode> seen;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    PowerMode mode;
    for (const auto& [knob, column] : columns) {
      const double value = table.number(row, column);
      const bool cores = knob == Knob::kCpuCores;
      if (cores ? !(value >= 1 && value <= 1024 && value == std::floor(value))
                : !(value >= 1 && value <= 20000)) {
        throw InputError(fmt::format("{} is {:g}", knob_field(knob), value), table.where(row),
                         cores ? "a whole number of cores" : "clocks are in MHz");
      }
      mode.set(knob, cores ? value : value * 1e6);
    }
    if (seen.insert(mode).second) modes.push_back(mode);
  }
  if (modes.empty()) throw InputError("a file of modes has no row", path);
  return modes;
}

namespace {

std::vector<PowerMode> modes_of_word(const Board& board, const std::string& word) {
  std::string lower = word;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (lower == "all") return knob_space(board).modes();
  if (lower == "maxn") return {knob_space(board).top()};
  if (lower != "presets") return {find_preset(board, word).mode};
  std::vector<PowerMode> modes;
  for (const auto& preset : presets(board)) modes.push_back(preset.mode);
  return modes;
}

}  // namespace

std::vector<PowerMode> select_modes(const Board& board, const std::string& text) {
  if (text.find('/') != std::string::npos || text.ends_with(".csv")) return read_modes(text);
  std::vector<PowerMode> modes;
  std::set<PowerMode> seen;
  for (const auto& part : split(text, ',')) {
    const std::string word(trim(part));
    if (word.empty()) throw UsageError("an empty name in a list of modes", text, kModesHelp);
    for (const auto& mode : modes_of_word(board, word)) {
      if (seen.insert(mode).second) modes.push_back(mode);
    }
  }
  return modes;
}

}  // namespace ridgewatt
