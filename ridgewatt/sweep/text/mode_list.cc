#include "ridgewatt/sweep/mode_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/device/mode_text.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/sweep/point_reader.h"

namespace ridgewatt {

namespace {

// Columns other than knobs that the program prints in lists of modes.
constexpr std::string_view kOfLists[] = {"preset", "name", "id", "board", "batch"};

// In a list of modes, an unknown column is a mistake. A file with times is a result, and its other
// columns are ignored.
void refuse_unknown_columns(const CsvReader& csv, const PointReader& reader) {
  if (csv.column("time_ms")) return;
  std::string unknown;
  for (std::size_t c = 0; c < csv.header().size(); ++c) {
    const std::string& name = csv.header()[c];
    const bool known =
        reader.reads(c) || std::count(std::begin(kOfLists), std::end(kOfLists), name);
    if (!known) unknown += (unknown.empty() ? "" : ", ") + escape_terminal(name);
  }
  if (unknown.empty()) return;
  throw InputError("the file of power modes has unknown columns: " + unknown, csv.source(),
                   "use cpu_cores, cpu_mhz, gpu_mhz, mem_mhz or governor");
}

}  // namespace

std::vector<PowerMode> read_modes(const std::string& path) {
  const std::string text = read_file(path);
  CsvReader csv(text, path);
  const PointReader reader(csv, PointReader::Clocks::kOfBoards);
  refuse_unknown_columns(csv, reader);
  if (!reader.has_knobs() && !reader.has_governor()) {
    throw InputError("the file of power modes has no column of a knob", path,
                     "use cpu_cores, cpu_mhz, gpu_mhz, mem_mhz or governor");
  }
  std::vector<PowerMode> modes;
  std::set<PowerMode> seen;
  while (csv.next()) {
    PowerMode mode = reader.read().mode;
    if (mode == PowerMode{})
      throw InputError("the row sets no knob", csv.where(), "give a clock or a number of cores");
    if (seen.insert(mode).second) modes.push_back(std::move(mode));
  }
  if (modes.empty())
    throw InputError("the file of power modes has no rows", path,
                     "give at least one row below the header");
  return modes;
}

namespace {

std::vector<PowerMode> modes_of_word(const Board& board, const std::string& word) {
  static const NameSet kGroups{{"all", "maxn", "presets"}};
  const std::string group = find_meant(word, kGroups).value_or("");
  if (group == "all") return mode_space(board).modes();
  if (group == "maxn") return {knob_space(board).top()};
  if (group.empty()) return {find_preset(board, word).mode};
  std::vector<PowerMode> modes;
  for (const auto& preset : presets(board)) modes.push_back(preset.mode);
  return modes;
}

// Removes modes that occur earlier in the list.
std::vector<PowerMode> each_once(std::vector<PowerMode> modes) {
  const auto not_ascending = std::adjacent_find(modes.begin(), modes.end(), std::greater_equal<>());
  if (not_ascending == modes.end()) return modes;  // as are all modes of a board
  std::set<PowerMode> seen;
  std::erase_if(modes, [&](const PowerMode& mode) { return !seen.insert(mode).second; });
  return modes;
}

// Returns the board's value of a knob for a value that a user wrote.
double value_on_board(const std::vector<double>& levels, Knob knob, double wanted,
                      const std::string& text) {
  constexpr double kRounding_hz = 1e6;
  const double tolerance = knob == Knob::kCpuCores ? 0 : kRounding_hz;
  double nearest = levels.empty() ? wanted : levels.front();
  for (const double level : levels) {
    if (std::abs(level - wanted) < std::abs(nearest - wanted)) nearest = level;
  }
  if (!levels.empty() && std::abs(nearest - wanted) <= tolerance) return nearest;
  PowerMode named;
  named.set(knob, nearest);
  throw UsageError("the board cannot be set to this mode", text,
                   levels.empty() ? "the board does not have this knob"
                                  : "the nearest mode of the board is " + mode_text(named));
}

std::string of_file(const PowerMode& mode, const std::string& path) {
  return fmt::format("{}: {}", path, mode_text(mode));
}

void require_limit_of(const Board& board, const PowerMode& wanted, const std::string& text) {
  const auto limit_w = power_limit_w(wanted);
  if (!limit_w) return;
  const auto& limits = board.find_bsp().power_limits_w;
  if (limits.empty()) {
    throw UsageError("the board has no power limit that could be set", text,
                     "choose clocks, or a preset");
  }
  if (*limit_w < limits.front() || *limit_w > limits.back()) {
    throw UsageError("the power limit is outside the range of the board", text,
                     fmt::format("must be {} to {} W", limits.front(), limits.back()));
  }
}

// Knobs that `text` omits are at their highest, unless it names a governor without a power limit.
PowerMode one_mode(const Board& board, const std::string& text) {
  PowerMode wanted = parse_mode_text(text);
  require_limit_of(board, wanted, text);
  const auto space = knob_space(board);
  for (const Knob knob : kKnobs) {
    const auto& levels = space.levels(knob);
    if (wanted.has(knob))
      wanted.set(knob, value_on_board(levels, knob, wanted.get(knob), text));
    else if (!levels.empty() && (wanted.governor.empty() || power_limit_w(wanted)))
      wanted.set(knob, levels.back());
  }
  return wanted;
}

}  // namespace

PowerMode mode_in_space(const KnobSpace& space, const PowerMode& mode, const std::string& path) {
  PowerMode found = mode;
  for (const Knob knob : kKnobs) {
    const auto& levels = space.levels(knob);
    if (!mode.has(knob) || levels.empty()) continue;
    found.set(knob, value_on_board(levels, knob, mode.get(knob), of_file(mode, path)));
  }
  return found;
}

std::vector<PowerMode> select_modes(const Board& board, const std::string& text) {
  if (text.find('=') != std::string::npos) return {one_mode(board, text)};
  std::vector<PowerMode> modes;
  if (text.find('/') != std::string::npos || text.ends_with(".csv")) {
    const KnobSpace space = knob_space(board);
    for (const auto& read : read_modes(text)) {
      PowerMode mode = mode_in_space(space, read, text);
      require_limit_of(board, mode, of_file(mode, text));
      modes.push_back(std::move(mode));
    }
    return each_once(std::move(modes));
  }
  for (const auto& part : split(text, ',')) {
    const std::string word(trim(part));
    if (word.empty())
      throw UsageError("the list of power modes has an empty name", text, kModesHelp);
    auto meant = modes_of_word(board, word);
    modes.insert(modes.end(), std::make_move_iterator(meant.begin()),
                 std::make_move_iterator(meant.end()));
  }
  return each_once(std::move(modes));
}

}  // namespace ridgewatt
