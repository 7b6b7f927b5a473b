#include "ridgewatt/report/board_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <utility>

#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/report/keys/key_tables.h"
#include "ridgewatt/report/mode_json.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt::report {
namespace {

constexpr double kTera = 1e12;

std::int64_t count(std::size_t size) {
  return static_cast<std::int64_t>(size);
}

std::size_t mode_count(const Bsp& bsp) {
  std::size_t product = 1;
  for (const auto& levels : bsp.levels) product *= std::max<std::size_t>(1, levels.size());
  return product + bsp.power_limits_w.size();  // each limit at the highest clocks
}

// Peak rate in tera-operations per second, or an empty cell.
Cell tera_peak(const Board& board, const PowerMode& mode, Arithmetic arithmetic, int sms = 0) {
  if (!supports(board, arithmetic)) return {};
  return peak_flops(board, mode, arithmetic, sms) / kTera;
}

PowerMode top_mode(const Bsp& bsp) {
  PowerMode mode;
  for (const Knob knob : kKnobs) {
    if (!bsp.levels[knob].empty()) mode.set(knob, bsp.levels[knob].back());
  }
  return mode;
}

// For example, "@jp5.1, @super": suffixes of the name that select another BSP than the default.
std::string variants_of(const Board& board) {
  std::vector<std::string> others;
  for (const Bsp& bsp : board.bsps) {
    if (bsp.name != board.default_bsp) others.push_back("@" + bsp.name);
  }
  return fmt::format("{}", fmt::join(others, ", "));
}

std::string range_text(const std::vector<double>& clocks_hz) {
  return fmt::format("{}, {} to {} MHz", counted(count(clocks_hz.size()), "clock"),
                     mhz_of_hz(clocks_hz.front()), mhz_of_hz(clocks_hz.back()));
}

Json levels_json(const Bsp& bsp) {
  Json json = Json::object();
  for (const Knob knob : kKnobs) {
    if (bsp.levels[knob].empty()) continue;  // the board does not have this knob
    Json values = Json::array();
    for (const double level : bsp.levels[knob]) {
      if (knob == Knob::kCpuCores)
        values.push_back(static_cast<int>(level));
      else
        values.push_back(mhz_of_hz(level));
    }
    json[std::string(knob_field(knob))] = std::move(values);
  }
  return json;
}

// For example, "bf16_flop_per_s".
std::string peak_key(const ArithmeticRow& row) {
  return fmt::format("{}_{}_per_s", row.name, row.floats ? "flop" : "op");
}

std::vector<KeyMeaning> peak_keys() {
  static const auto kTexts = [] {
    std::vector<std::pair<std::string, std::string>> texts;
    for (const ArithmeticRow& row : kArithmeticRows) {
      texts.emplace_back(peak_key(row), fmt::format("peak of {} arithmetic", upper_case(row.name)));
    }
    return texts;
  }();
  std::vector<KeyMeaning> keys;
  for (const auto& [key, meaning] : kTexts) keys.push_back({key, meaning});
  return keys;
}

const DeclaredKeys kPeakKeys(peak_keys);

Json peaks_json(const Board& board, const PowerMode& mode, int sms) {
  Json json = Json::object();
  for (const Arithmetic arithmetic : kArithmetics) {
    if (!supports(board, arithmetic)) continue;
    json[peak_key(kArithmeticRows[arithmetic])] = peak_flops(board, mode, arithmetic, sms);
  }
  if (board.memory_bus_bits > 0) json["bandwidth_bytes_per_s"] = peak_bandwidth(board, mode);
  return json;
}

Json bsp_json(const Board& board, const Bsp& bsp) {
  Json json = json_object({{"name", bsp.name},
                           {"title", bsp.title},
                           {"modes", mode_count(bsp)},
                           {"partial", bsp.partial},
                           {"knobs", levels_json(bsp)},
                           {"default_preset", bsp.default_preset},
                           {"peaks", peaks_json(board, top_mode(bsp), 0)}});
  for (const auto& preset : bsp.presets) {
    Json entry = json_object(
        {{"id", preset.id}, {"name", preset.name}, {"mode", mode_to_json(preset.mode)}});
    if (board.has_gpu()) entry["sms"] = preset.sms > 0 ? Json(preset.sms) : Json();
    if (preset.sms > 0) entry["peaks"] = peaks_json(board, preset.mode, preset.sms);
    json["presets"].push_back(std::move(entry));
  }
  return json;
}

}  // namespace

Table board_list_table(const std::vector<Board>& boards) {
  Table table({{.name = "name", .heading = "board"},
               {.name = "bsp", .rank = 2},
               {.name = "modes", .rank = 1},
               {"cpu_cores"},
               {"sms"},
               {"fp32_tflops"},
               {.name = "fp16_tflops", .rank = 3},
               {.name = "int8_tops", .rank = 3},
               {.name = "bandwidth_gb_s", .heading = "DRAM (GB/s)"},
               {.name = "ridge_fp32", .heading = "ridge FP32 (FLOP/byte)", .digits = 3, .rank = 4},
               {"memory_gib"},
               {.name = "clock_tables", .rank = 5},
               {.name = "variants", .wrap = true},
               {.name = "aliases", .wrap = true}});
  for (const auto& board : boards) {
    const Bsp& bsp = board.find_bsp();
    const PowerMode top = top_mode(bsp);
    const auto* fact = find_fact(board, fmt::format("bsp.{}.gpu_mhz", bsp.name));
    const double bandwidth = peak_bandwidth(board, top);
    table.add_row({board.name, bsp.name, count(mode_count(bsp)), std::int64_t{board.cpu_cores},
                   std::int64_t{board.sms}, tera_peak(board, top, Arithmetic::kFp32),
                   tera_peak(board, top, Arithmetic::kFp16),
                   tera_peak(board, top, Arithmetic::kInt8), bandwidth / kGiga,
                   peak_flops(board, top, Arithmetic::kFp32) / bandwidth,
                   static_cast<std::int64_t>(std::llround(board.memory_bytes / kGibibyte)),
                   bsp.partial ? "partial" : (fact == nullptr ? "" : fact->status),
                   variants_of(board), fmt::format("{}", fmt::join(board.aliases, ", "))});
  }
  return table;
}

namespace {

// Adds the error of the twin on its own rows, and what these rows were, if a twin was fitted.
void add_twin(const TwinTable& twin, Table& table) {
  const auto time = twin.numbers.find("fit.time_mape"), power = twin.numbers.find("fit.power_mape");
  if (time == twin.numbers.end() || power == twin.numbers.end()) return;
  const auto text = [&](const char* key) {
    const auto found = twin.texts.find(key);
    return found == twin.texts.end() ? Cell() : Cell(found->second);
  };
  table.add_row(
      {std::string("twin.fit_error"),
       fmt::format("{:.1f} % time, {:.1f} % power", 100 * time->second, 100 * power->second),
       text("status"), text("origin")});
}

}  // namespace

Table board_fact_table(const Board& board) {
  Table table({{"key"},
               {.name = "value", .wrap = true},
               {.name = "status", .rank = 1},
               {.name = "source", .rank = 2, .wrap = true}});
  const auto add = [&](const std::string& key, Cell value) {
    // The file of a processor, which `calibrate` writes, leaves out what is not known.
    if (!board.has_gpu() && std::holds_alternative<std::monostate>(value)) return;
    const Fact* fact = find_fact(board, key);
    std::vector<Cell> row = {key, std::move(value), Cell(), Cell()};
    if (fact != nullptr) row[2] = fact->status, row[3] = fact->source;
    table.add_row(std::move(row));
  };
  const auto add_rate = [&](const std::string& key, std::optional<double> rate) {
    add(key, !rate ? Cell() : Cell(*rate > 0 ? fmt::format("{}", *rate) : "none"));
  };
  add("cpu.type", board.cpu_type);
  add("cpu.cores", fmt::format("{}", board.cpu_cores));
  add_rate("cpu.flop_per_cycle",
           board.cpu_flop_per_cycle > 0 ? std::optional(board.cpu_flop_per_cycle) : std::nullopt);
  if (board.has_gpu()) {
    add("gpu.architecture", board.gpu_architecture);
    add("gpu.sms", fmt::format("{}", board.sms));
    if (board.tpc_slots > 0) add("gpu.tpc_slots", fmt::format("{}", board.tpc_slots));
    add("gpu.cores_per_sm", fmt::format("{}", board.cores_per_sm));
    for (const ArithmeticRow& row : kArithmeticRows) {
      if (row.id == Arithmetic::kFp32) continue;
      add_rate(fmt::format("gpu.{}", row.board_key), board.flop_per_sm_cycle[row.id]);
    }
  }
  add("memory.size_gib", fmt::format("{}", board.memory_bytes / kGibibyte));
  if (board.visible_memory_bytes < board.memory_bytes) {
    add("memory.visible_mib",
        fmt::format("{}", std::round(board.visible_memory_bytes / kMebibyte)));
  }
  if (board.l1_bytes_per_sm_cycle)
    add_rate("gpu.l1_bytes_per_sm_cycle", board.l1_bytes_per_sm_cycle);
  if (board.l2_bytes_per_cycle) add_rate("gpu.l2_bytes_per_cycle", board.l2_bytes_per_cycle);
  if (board.has_gpu() || board.system_memory_bytes > 0) {
    add("memory.system_mib", fmt::format("{}", std::round(board.system_memory_bytes / kMebibyte)));
  }
  if (board.memory_bus_bits > 0) add("memory.bus_bits", fmt::format("{}", board.memory_bus_bits));
  if (board.triad) {
    add("memory.triad_gb_per_s", fmt::format("{} to {}", board.triad->lo_bytes_per_s / kGiga,
                                             board.triad->hi_bytes_per_s / kGiga));
  }
  add("power.limit_w",
      board.power_limit_w ? Cell(fmt::format("{}", *board.power_limit_w)) : Cell());
  for (const auto& bsp : board.bsps) {
    for (const Knob knob : {Knob::kCpuClock, Knob::kGpuClock, Knob::kMemClock}) {
      if (bsp.levels[knob].empty()) continue;  // the board does not have this knob
      add(fmt::format("bsp.{}.{}", bsp.name, knob_field(knob)), range_text(bsp.levels[knob]));
    }
    const auto& limits_w = bsp.power_limits_w;
    if (!limits_w.empty()) {
      add(fmt::format("bsp.{}.power_limits_w", bsp.name),
          fmt::format("{}, {} to {} W", counted(count(limits_w.size()), "limit"), limits_w.front(),
                      limits_w.back()));
    }
    add(fmt::format("bsp.{}.presets", bsp.name), counted(count(bsp.presets.size()), "preset"));
  }
  add_twin(board.twin, table);
  return table;
}

namespace {

void add_peaks(const Board& board, const Preset& preset, std::vector<Cell>& row) {
  const bool known = preset.sms > 0;
  row.emplace_back();
  if (known) row.back() = std::int64_t{preset.sms};
  for (const Arithmetic arithmetic : {Arithmetic::kFp32, Arithmetic::kFp16, Arithmetic::kInt8}) {
    row.emplace_back();
    if (known) row.back() = tera_peak(board, preset.mode, arithmetic, preset.sms);
  }
  row.emplace_back(peak_bandwidth(board, preset.mode) / kGiga);
}

}  // namespace

Table preset_table(const Board& board) {
  const Bsp& bsp = board.find_bsp();
  std::vector<PowerMode> modes;
  for (const Preset& preset : bsp.presets) modes.push_back(preset.mode);
  const std::vector<Column> knobs = knob_columns_of(modes);
  std::vector<Column> columns = {{"id"}, {"name", "preset"}};
  columns.insert(columns.end(), knobs.begin(), knobs.end());
  const std::vector<Column> peaks = {
      {.name = "sms", .rank = 2},
      {.name = "fp32_tflops", .rank = 1},
      {.name = "fp16_tflops", .rank = 3},
      {.name = "int8_tops", .rank = 3},
      {.name = "bandwidth_gb_s", .heading = "DRAM (GB/s)", .rank = 2}};
  if (board.has_gpu()) columns.insert(columns.end(), peaks.begin(), peaks.end());
  Table table(std::move(columns));
  for (const auto& preset : bsp.presets) {
    std::vector<Cell> row = {std::int64_t{preset.id}, preset.name};
    for (auto& cell : knob_cells(preset.mode, knobs)) row.push_back(std::move(cell));
    if (board.has_gpu()) add_peaks(board, preset, row);
    table.add_row(std::move(row));
  }
  return table;
}

Table mode_table(const Board& board) {
  const KnobSpace space = mode_space(board);
  const std::vector<Column> columns = knob_columns_of(space.modes());
  Table table(columns);
  for (const auto& mode : space.modes()) table.add_row(knob_cells(mode, columns));
  return table;
}

Json board_to_json(const Board& board, bool modes) {
  Json json = json_object({{"name", board.name},
                           {"title", board.title},
                           {"aliases", board.aliases},
                           {"soc", board.soc},
                           {"modules", board.modules},
                           {"compatible", board.compatible},
                           {"source", board.source},
                           {"bsp", board.bsp}});
  json["cpu"] = json_object({{"type", board.cpu_type}, {"cores", board.cpu_cores}});
  if (board.cpu_flop_per_cycle > 0) json["cpu"]["flop_per_cycle"] = board.cpu_flop_per_cycle;
  if (board.has_gpu()) {
    json["gpu"] = json_object({{"architecture", board.gpu_architecture},
                               {"sms", board.sms},
                               {"cores_per_sm", board.cores_per_sm}});
  }
  if (board.tpc_slots > 0) {
    json["gpu"]["tpc_slots"] = board.tpc_slots;
    json["gpu"]["sms_per_tpc"] = board.sms_per_tpc;
  }
  json["memory"] = json_object({{"size_bytes", board.memory_bytes},
                                {"visible_bytes", board.visible_memory_bytes},
                                {"system_bytes", board.system_memory_bytes},
                                {"bus_bits", board.memory_bus_bits}});
  if (board.triad) {
    json["memory"]["triad_bytes_per_s"] = {board.triad->lo_bytes_per_s,
                                           board.triad->hi_bytes_per_s};
  }
  json["power"] = json_object({{"limit_w", known_json(board.power_limit_w)}});
  for (const auto& bsp : board.bsps) json["bsps"].push_back(bsp_json(board, bsp));
  json["provenance"] = Json::array();
  for (const auto& fact : board.facts) {
    json["provenance"].push_back(
        json_object({{"key", fact.key}, {"status", fact.status}, {"source", fact.source}}));
  }
  json["twin"] = Json::object();
  for (const auto& [key, text] : board.twin.texts) json["twin"][key] = text;
  for (const auto& [key, number] : board.twin.numbers) json["twin"][key] = number;
  if (modes) {
    const KnobSpace space = mode_space(board);
    for (const auto& mode : space.modes()) json["modes"].push_back(mode_to_json(mode));
  }
  return json;
}

Result board_result(const Board& board, bool modes) {
  Result result{modes ? mode_table(board) : board_fact_table(board)};
  result.json = board_to_json(board, modes);
  if (!modes) {
    result.after.push_back({"\nPresets of " + board.find_bsp().title + ":\n", preset_table(board)});
  }
  return result;
}

}  // namespace ridgewatt::report
