// Reads board files (TOML), and writes their tables of fitted and measured parameters.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/device/runtime.h"
#include "ridgewatt/io/toml.h"

namespace ridgewatt {
namespace {

constexpr std::array<std::string_view, 4> kStatuses = {"datasheet", "seen", "derived",
                                                       "unverified"};
constexpr double kMiB = 1024.0 * 1024.0;

std::string join_key(const std::string& prefix, std::string_view key) {
  return prefix.empty() ? std::string(key) : fmt::format("{}.{}", prefix, key);
}

// One table of a board file. Registers each key that is read, so that reject_unknown() finds all
// other keys, which are spelling errors.
class Section {
 public:
  Section(const TomlTable& table, std::string source, std::string prefix)
      : table_(table), source_(std::move(source)), prefix_(std::move(prefix)) {}

  [[noreturn]] void fail(std::string_view key, std::string_view fault) const {
    throw InputError(
        fmt::format("{}: '{}' {}", source_, escape_terminal(join_key(prefix_, key)), fault));
  }
  const TomlNode* find(std::string_view key) {
    known_.emplace_back(key);
    return table_.get(key);
  }
  const TomlNode& require(std::string_view key) {
    const auto* node = find(key);
    if (node == nullptr) fail(key, "is missing" + mistyped(key));
    return *node;
  }
  bool has(std::string_view key) const { return table_.contains(key); }
  std::string text(std::string_view key) {
    const auto* value = require(key).as<std::string>();
    if (value == nullptr || value->empty()) fail(key, "must be a string");
    return *value;
  }
  std::vector<std::string> texts(std::string_view key) {
    std::vector<std::string> result;
    const auto* node = find(key);
    if (node == nullptr) return result;
    const auto* array = node->as<TomlArray>();
    if (array == nullptr) fail(key, "must be an array of strings");
    for (const auto& element : *array) {
      const auto* value = element.as<std::string>();
      if (value == nullptr || value->empty()) fail(key, "must be an array of strings");
      result.push_back(*value);
    }
    return result;
  }
  double number(std::string_view key, double lo, double hi) {
    return checked(key, require(key), lo, hi);
  }
  double number_or(std::string_view key, double fallback, double lo, double hi) {
    const auto* node = find(key);
    return node == nullptr ? fallback : checked(key, *node, lo, hi);
  }
  std::optional<double> number_if(std::string_view key, double lo, double hi) {
    const auto* node = find(key);
    return node == nullptr ? std::nullopt : std::optional(checked(key, *node, lo, hi));
  }
  // [lo, hi]; nullopt if the key is absent.
  std::optional<std::array<double, 2>> range(std::string_view key, double least, double most) {
    const auto* node = find(key);
    if (node == nullptr) return std::nullopt;
    const auto* array = node->as<TomlArray>();
    if (array == nullptr || array->size() != 2) fail(key, "must be [lowest, highest]");
    const std::array<double, 2> ends = {checked(key, (*array)[0], least, most),
                                        checked(key, (*array)[1], least, most)};
    if (ends[0] > ends[1]) fail(key, "must be [lowest, highest]");
    return ends;
  }
  // FLOP or operations per SM and cycle. 0: the GPU does not support the number format.
  std::optional<double> rate(std::string_view key) {
    const auto* node = find(key);
    if (node == nullptr) return std::nullopt;
    const double value = checked(key, *node, 0, 1e7);
    if (value > 0 && value < 1) fail(key, "must be 0 (the GPU has none) or at least 1");
    return value;
  }
  int whole(std::string_view key, int lo, int hi) {
    const double value = number(key, lo, hi);
    if (value != std::floor(value)) fail(key, "must be a whole number");
    return static_cast<int>(value);
  }
  int whole_or(std::string_view key, int fallback, int lo, int hi) {
    return table_.contains(key) ? whole(key, lo, hi) : (find(key), fallback);
  }
  bool flag(std::string_view key) {
    const auto* node = find(key);
    if (node == nullptr) return false;
    const bool* value = node->as<bool>();
    if (value == nullptr) fail(key, "must be true or false");
    return *value;
  }
  // Reads ascending clocks in MHz and returns them in Hz.
  std::vector<double> clocks(std::string_view key) {
    const auto* array = require(key).as<TomlArray>();
    if (array == nullptr || array->empty()) fail(key, "must be an array of clocks in MHz");
    std::vector<double> result;
    for (const auto& element : *array) {
      // Finds wrong units: numbers in kHz or Hz are far above any clock in MHz.
      result.push_back(hz_of_mhz(checked(key, element, 1, 20000)));
      if (result.size() > 1 && result.back() <= result[result.size() - 2]) {
        fail(key, "must be in ascending order");
      }
    }
    return result;
  }
  Section table(std::string_view key) {
    const auto* node = require(key).as<TomlTable>();
    if (node == nullptr) fail(key, "must be a table");
    return {*node, source_, join_key(prefix_, key)};
  }
  std::vector<Section> tables(std::string_view key) {
    const auto tables = require(key).tables();
    if (tables.empty()) fail(key, "must be an array of tables");
    std::vector<Section> result;
    for (const TomlTable* table : tables) {
      const auto* name = (*table)["name"].as<std::string>();
      result.emplace_back(*table, source_,
                          join_key(join_key(prefix_, key), name == nullptr ? "" : *name));
    }
    return result;
  }
  void reject_unknown() const {
    for (const auto& [key, value] : table_) {
      if (!contains(known_, key)) {
        const std::string closest = closest_name(key, {known_});
        fail(key, "is not a key of a board file" +
                      (closest.empty() ? "" : ": did you mean " + closest + "?"));
      }
    }
  }
  double checked(std::string_view key, const TomlNode& node, double lo, double hi) const {
    const auto value = node.number();
    if (!value || !std::isfinite(*value)) fail(key, "must be a number");
    if (*value < lo || *value > hi) {
      fail(key, fmt::format("is {}, but must lie between {} and {}", *value, lo, hi));
    }
    return *value;
  }
  const TomlTable& content() const { return table_; }
  const std::string& prefix() const { return prefix_; }

 private:
  // If the table has a key with a name similar to the missing `key`, returns a note about it.
  std::string mistyped(std::string_view key) const {
    NameSet there;
    for (const auto& [other, value] : table_) there.names.emplace_back(other);
    const std::string closest = closest_name(key, there);
    return closest.empty() ? "" : fmt::format(": '{}' is not a key", escape_terminal(closest));
  }

  const TomlTable& table_;
  std::string source_;
  std::string prefix_;
  std::vector<std::string> known_;
};

// Returns the clock that a cap (MHz, -1: none) allows. Preset files contain rounded numbers, so
// this is the nearest clock in the table, as in the kernel, among those at most 5 % above the cap.
double snap_to_table(double cap_mhz, const std::vector<double>& table_hz) {
  if (cap_mhz < 0) return table_hz.back();
  const double cap_hz = hz_of_mhz(cap_mhz);
  double best = table_hz.front();
  for (const double clock : table_hz) {
    if (clock <= cap_hz * 1.05 && std::abs(clock - cap_hz) < std::abs(best - cap_hz)) best = clock;
  }
  return best;
}

Preset parse_preset(Section& section, const Board& board, const KnobSpace::Levels& levels) {
  Preset preset;
  preset.id = section.whole("id", 0, 1000);
  preset.name = section.text("name");
  preset.mode.cpu_cores = section.whole("cpu_cores", 1, board.cpu_cores);
  for (const Knob knob : {Knob::kCpuClock, Knob::kGpuClock, Knob::kMemClock}) {
    if (levels[knob].empty()) continue;
    const double cap_mhz = section.number(knob_field(knob), -1, 20000);
    preset.mode.set(knob, snap_to_table(cap_mhz, levels[knob]));
  }
  const int mask = section.whole_or("tpc_mask", -1, 0, (1 << board.tpc_slots) - 1);
  preset.sms = section.whole_or("sms", mask >= 0 ? sms_for_tpc_mask(board, mask) : 0, 1, board.sms);
  if (board.tpc_slots == 0 && preset.sms == 0 && board.sms <= 2) preset.sms = board.sms;
  if (preset.sms > board.sms)
    section.fail("tpc_mask", "enables more streaming multiprocessors than 'sms' of the board");
  section.reject_unknown();
  return preset;
}

// Returns the preset with the highest clocks and this power limit, which is also its name.
Preset limit_preset(double limit_w, const KnobSpace::Levels& levels) {
  Preset preset;
  preset.id = static_cast<int>(limit_w);
  for (const Knob knob : kKnobs) {
    if (!levels[knob].empty()) preset.mode.set(knob, levels[knob].back());
  }
  set_power_limit(preset.mode, limit_w);
  preset.name = preset.mode.governor;
  return preset;
}

void parse_power_limits(Section& section, Bsp& bsp) {
  const auto* limits = section.require("power_limits_w").as<TomlArray>();
  if (limits == nullptr || limits->empty())
    section.fail("power_limits_w", "must be an array of power limits in W");
  for (const auto& node : *limits) {
    const double limit_w = section.checked("power_limits_w", node, 1, 1000);
    if (limit_w != std::floor(limit_w)) section.fail("power_limits_w", "must be whole watts");
    if (!bsp.power_limits_w.empty() && limit_w <= bsp.power_limits_w.back()) {
      section.fail("power_limits_w", "must be in ascending order");
    }
    bsp.power_limits_w.push_back(limit_w);
    bsp.presets.push_back(limit_preset(limit_w, bsp.levels));
  }
}

Bsp parse_bsp(Section& section, const Board& board) {
  Bsp bsp;
  bsp.name = section.text("name");
  bsp.title = section.text("title");
  bsp.partial = section.flag("partial");
  for (int cores = board.discrete_gpu ? board.cpu_cores : 1; cores <= board.cpu_cores; ++cores) {
    bsp.levels[Knob::kCpuCores].push_back(cores);
  }
  for (const Knob knob : {Knob::kCpuClock, Knob::kGpuClock, Knob::kMemClock}) {
    if (!board.has_gpu() && !section.has(knob_field(knob))) continue;  // absent: cannot be set
    bsp.levels[knob] = section.clocks(knob_field(knob));
  }
  if (board.discrete_gpu) {
    parse_power_limits(section, bsp);
  } else {
    for (auto& preset : section.tables("presets")) {
      bsp.presets.push_back(parse_preset(preset, board, bsp.levels));
    }
  }
  bsp.default_preset = section.whole("default_preset", 0, 1000);
  if (std::none_of(bsp.presets.begin(), bsp.presets.end(),
                   [&](const Preset& preset) { return preset.id == bsp.default_preset; })) {
    section.fail("default_preset", "is not the id of a preset");
  }
  section.reject_unknown();
  return bsp;
}

void parse_gpu(Section gpu, Board& board) {
  board.gpu_architecture = gpu.text("architecture");
  board.sms = gpu.whole("sms", 1, 4096);
  board.tpc_slots = gpu.whole_or("tpc_slots", 0, 1, 30);
  board.sms_per_tpc = board.tpc_slots > 0 ? gpu.whole("sms_per_tpc", 1, 64) : 0;
  board.cores_per_sm = gpu.whole("cores_per_sm", 1, 4096);
  for (const ArithmeticRow& row : kArithmeticRows) {
    if (row.id != Arithmetic::kFp32) board.flop_per_sm_cycle[row.id] = gpu.rate(row.board_key);
  }
  board.l1_bytes_per_sm_cycle = gpu.number_if("l1_bytes_per_sm_cycle", 1, 1e6);
  board.l2_bytes_per_cycle = gpu.number_if("l2_bytes_per_cycle", 1, 1e7);
  gpu.reject_unknown();
}

void parse_silicon(Section& root, Board& board) {
  Section cpu = root.table("cpu");
  board.cpu_type = cpu.text("type");
  board.cpu_cores = cpu.whole("cores", 1, 1024);
  board.cpu_flop_per_cycle = cpu.number_or("flop_per_cycle", 0, 0.5, 1e4);
  board.discrete_gpu = cpu.flag("host");
  cpu.reject_unknown();

  if (root.has("gpu")) parse_gpu(root.table("gpu"), board);
  if (board.discrete_gpu && !root.has("gpu"))
    root.fail("gpu", "is missing, but cpu.host = true needs it");

  Section memory = root.table("memory");
  board.memory_bytes = memory.number("size_gib", 0.1, 1e5) * 1024 * kMiB;
  board.visible_memory_bytes =
      memory.number_or("visible_mib", board.memory_bytes / kMiB, 1, 1e9) * kMiB;
  if (board.visible_memory_bytes > board.memory_bytes) {
    memory.fail("visible_mib", "must not be more than 'size_gib'");
  }
  board.system_memory_bytes = memory.number_or("system_mib", 0, 0, 1e9) * kMiB;
  if (board.system_memory_bytes >= board.visible_memory_bytes) {
    memory.fail("system_mib", "must be less than the visible memory");
  }
  board.memory_bus_bits =
      board.has_gpu() ? memory.number("bus_bits", 8, 1e5) : memory.number_or("bus_bits", 0, 8, 1e5);
  if (const auto triad = memory.range("triad_gb_per_s", 0.01, 1e6)) {
    board.triad = Board::Triad{(*triad)[0] * 1e9, (*triad)[1] * 1e9};
  }
  memory.reject_unknown();
  if (root.has("power")) {
    Section power = root.table("power");
    board.power_limit_w = power.number("limit_w", 0.1, 1e5);
    power.reject_unknown();
  }
  if (root.has("loader")) {
    Section loader = root.table("loader");
    board.hand_over = {loader.number("hand_over_cycles", 0, 1e12),
                       loader.number("hand_over_cycles_per_byte", 0, 1e6),
                       loader.number_or("hand_over_memory_share", 0, 0, 1)};
    loader.reject_unknown();
  }
  if (root.has("governor")) {
    Section governor = root.table("governor");
    board.governor_least[Knob::kCpuClock] = governor.number_or("lowest_cpu_mhz", 0, 1, 1e4) * 1e6;
    board.governor_least[Knob::kGpuClock] = governor.number_or("lowest_gpu_mhz", 0, 1, 1e4) * 1e6;
    governor.reject_unknown();
  }
}

std::vector<Fact> parse_facts(Section root) {
  Section section = root.table("provenance");
  std::vector<Fact> facts;
  for (const auto& [key, value] : section.content()) {
    const auto* found = value.as<std::string>();
    const std::string text = found == nullptr ? "" : *found;
    const auto colon = text.find(": ");
    Fact fact{key, text.substr(0, colon), colon == std::string::npos ? "" : text.substr(colon + 2)};
    if (!contains(kStatuses, fact.status) || fact.source.empty()) {
      section.fail(key,
                   "must be 'STATUS: SOURCE' with a status datasheet, seen, derived or "
                   "unverified");
    }
    facts.push_back(std::move(fact));
  }
  return facts;
}

// Throws InputError for a number in `section` that has no source.
void require_facts(const Section& section, const Board& board) {
  for (const auto& [key, value] : section.content()) {
    const bool number = value.number() || value.as<TomlArray>() != nullptr;
    if (number && find_fact(board, join_key(section.prefix(), key)) == nullptr) {
      section.fail(key, "has no entry in [provenance]");
    }
  }
}

// Stores nested tables under keys joined by dots. `place`: file and table, for messages.
void flatten_twin(const TomlNode& node, const std::string& key, const std::string& place,
                  TwinTable& twin) {
  if (const auto* table = node.as<TomlTable>()) {
    for (const auto& [name, value] : *table) {
      flatten_twin(value, join_key(key, name), place, twin);
    }
  } else if (const auto* text = node.as<std::string>()) {
    twin.texts[key] = *text;
  } else if (const auto number = node.number(); number && std::isfinite(*number)) {
    twin.numbers[key] = *number;
  } else {
    throw InputError(
        fmt::format("{}.{}' must be a finite number or a string", place, escape_terminal(key)));
  }
}

void parse_runtimes(Section& root, Board& board) {
  const auto* table = root.find("runtime")->as<TomlTable>();
  if (table == nullptr) throw InputError(board.source + ": 'runtime' must be a table");
  for (const auto& [name, value] : *table) {
    const auto runtime = find_word<Runtime>(name);
    if (!runtime) {
      throw InputError(
          fmt::format("{}: 'runtime.{}' is not a runtime", board.source, escape_terminal(name)), "",
          hint_for(name, name_set<Runtime>()));
    }
    const std::string key(name_of(*runtime));
    if (value.as<TomlTable>() == nullptr) {
      throw InputError(fmt::format("{}: 'runtime.{}' must be a table", board.source, key));
    }
    flatten_twin(value, "", fmt::format("{}: 'runtime.{}", board.source, key), board.runtimes[key]);
  }
}

void parse_microbench(Section& root, Board& board) {
  const auto* node = root.find("microbench");
  if (node->as<TomlTable>() == nullptr)
    throw InputError(board.source + ": 'microbench' must be a table");
  TwinTable table;
  flatten_twin(*node, "", board.source + ": 'microbench", table);
  board.microbench = MeasuredRoofs::parse(table.numbers, table.texts, board.source);
}

// Accepts only the name of an embedded board, because a path could refer to this file itself.
std::string parse_built_in(Section& root, const char* key, const std::string& source) {
  if (!root.has(key)) return "";
  const std::string name = root.text(key);
  if (name.find_first_of("/@") == std::string::npos && !name.ends_with(".toml")) return name;
  throw InputError(fmt::format("{}: '{}' is '{}', but must be the name of a built-in board", source,
                               key, escape_terminal(name)));
}

Board parse_table(const TomlTable& table, const std::string& source) {
  Section root(table, source, "");
  Board board;
  board.source = source;
  board.name = root.text("name");
  board.title = root.text("title");
  board.soc = root.text("soc");
  board.aliases = root.texts("aliases");
  board.modules = root.texts("modules");
  board.compatible = root.texts("compatible");
  board.facts = parse_facts(root);
  root.find("provenance");
  parse_silicon(root, board);
  for (const char* key : {"cpu", "gpu", "memory", "power", "loader", "governor"}) {
    if (root.has(key)) require_facts(root.table(key), board);
  }
  for (auto& section : root.tables("bsp")) {
    board.bsps.push_back(parse_bsp(section, board));
    require_facts(section, board);
  }
  board.bsp = board.default_bsp = root.text("default_bsp");
  board.relative = parse_built_in(root, "relative", source);
  board.engines = parse_built_in(root, "engines", source);
  if (const auto* twin = root.find("twin")) flatten_twin(*twin, "", source + ": 'twin", board.twin);
  if (root.has("runtime")) parse_runtimes(root, board);
  if (root.has("microbench")) parse_microbench(root, board);
  root.reject_unknown();
  board.find_bsp();  // throws if there is no such BSP
  return board;
}

// Returns `key`. Throws UsageError unless TOML accepts it without quotes.
std::string twin_key(const std::string& key) {
  const bool bare = !key.empty() && std::all_of(key.begin(), key.end(), [](unsigned char c) {
    return (c < 128 && std::isalnum(c) != 0) || c == '_' || c == '.' || c == '-';
  });
  if (!bare) throw UsageError(fmt::format("'{}' cannot be the key of a twin parameter", key));
  return key;
}

std::string toml_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + '"';
}

// Returns the text of a board file without its table `name` and the subtables of that table.
std::string text_without(const std::string& toml, const std::string& name) {
  std::string text;
  bool inside = false;
  for (const auto& line : split(toml, '\n')) {
    const auto trimmed = trim(line);
    if (!trimmed.empty() && trimmed.front() == '[') {
      inside = trimmed.starts_with("[" + name + "]") || trimmed.starts_with("[" + name + ".");
    }
    if (!inside) text += line + '\n';
  }
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

std::string table_text(const std::string& name, const TwinTable& twin) {
  std::string text = fmt::format("\n[{}]\n", name);
  // Sorts texts and numbers together, so that the lines of one parameter are adjacent.
  std::map<std::string, std::string> lines;
  for (const auto& [key, value] : twin.texts) {
    lines[key] = fmt::format("{} = {}\n", twin_key(key), toml_text(value));
  }
  for (const auto& [key, value] : twin.numbers) {
    const std::string number = format_exact(value);
    const bool whole = number.find_first_of(".en") == std::string::npos;
    lines[key] = fmt::format("{} = {}{}\n", twin_key(key), number, whole ? ".0" : "");
  }
  for (const auto& [key, line] : lines) text += line;
  return text;
}

}  // namespace

Board parse_board(std::string_view text, const std::string& source) {
  Board board = parse_table(parse_toml(text, source), source);
  board.toml = text;
  return board;
}

std::string board_toml_with_twin(const Board& board, const TwinTable& twin) {
  return text_without(board.toml, "twin") + table_text("twin", twin);
}

std::string board_toml_with_runtimes(const Board& board,
                                     const std::map<std::string, TwinTable>& runtimes) {
  std::string text = text_without(board.toml, "runtime");
  for (const auto& [name, table] : runtimes) text += table_text("runtime." + name, table);
  return text;
}

std::string board_toml_with_microbench(const Board& board, const MeasuredRoofs& roofs) {
  TwinTable table;
  roofs.write(table.numbers, table.texts);
  return text_without(board.toml, "microbench") + table_text("microbench", table);
}

}  // namespace ridgewatt
