#include "ridgewatt/report/sensors_report.h"

#include <fmt/format.h>

#include <cmath>

#include "ridgewatt/device/power_mode.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt::report {
namespace {

// Returns the value with the key `name`, or "name (2)" and so on if the key is already used.
Json& fresh(Json& object, const std::string& name) {
  std::string key = name;
  for (int n = 2; object.contains(key); ++n) key = fmt::format("{} ({})", name, n);
  return object[key];
}

// tegrastats prints whole milliwatts and megahertz, so rounding undoes the conversion to SI
// exactly.
Json milliwatts(double power_w) {
  return std::isnan(power_w) ? Json() : Json(std::round(power_w * 1e3));
}

void add_clock(Json& clocks, Json& loads, const platform::TegrastatsClock& clock) {
  if (clock.load) fresh(loads, clock.name) = std::round(*clock.load * 100);
  if (clock.off) {
    fresh(clocks, clock.name) = 0;
  } else if (clock.clocks_hz.size() == 1) {
    fresh(clocks, clock.name) = std::round(mhz_of_hz(clock.clocks_hz[0]));
  } else if (!clock.clocks_hz.empty()) {
    Json list = Json::array();
    for (const double hz : clock.clocks_hz) list.push_back(std::round(mhz_of_hz(hz)));
    fresh(clocks, clock.name) = list;
  }
}

Json line_to_json(const platform::TegrastatsLine& line) {
  Json json = json_object({{"line", line.number}});
  json["time"] = line.time.empty() ? Json() : Json(line.time);
  Json memory = Json::object();
  for (const auto& part : line.memory) {
    fresh(memory, part.name) = json_object({{"used_bytes", part.used_bytes},
                                            {"total_bytes", part.total_bytes},
                                            {"detail", part.detail}});
  }
  Json rails = Json::object();
  for (const auto& rail : line.rails) {
    Json& entry = fresh(rails, rail.name);
    entry = json_object(
        {{"power_mw", milliwatts(rail.power_w)}, {"average_mw", milliwatts(rail.average_w)}});
    if (rail.maximum_w) entry["maximum_mw"] = milliwatts(*rail.maximum_w);
  }
  Json clocks = Json::object();
  Json loads = Json::object();
  for (const auto& clock : line.clocks) add_clock(clocks, loads, clock);
  Json temperatures = Json::object();
  Json maxima = Json::object();
  for (const auto& zone : line.temperatures) {
    fresh(temperatures, zone.name) = known_json(zone.celsius);
    if (zone.maximum_celsius) fresh(maxima, zone.name) = *zone.maximum_celsius;
  }
  json["memory"] = memory;
  json["rails"] = rails;
  json["clocks"] = clocks;
  json["loads"] = loads;
  json["temperatures"] = temperatures;
  if (!maxima.empty()) json["temperature_maxima"] = maxima;
  if (line.edp_limit_hz) json["edp_limit_mhz"] = std::round(mhz_of_hz(*line.edp_limit_hz));
  json["not_connected"] = line.not_connected;
  json["unknown"] = line.unknown;
  return json;
}

// Builds the rows for one line of the log.
class LineRows {
 public:
  LineRows(const platform::TegrastatsLine& line, Table& table) : line_(line), table_(table) {}

  void add() {
    for (const auto& rail : line_.rails) {
      row("rail", rail.name, known_cell(rail.power_w), "W", known_cell(rail.average_w),
          known_cell(rail.maximum_w));
    }
    for (const auto& clock : line_.clocks) add_clock(clock);
    if (line_.edp_limit_hz) row("limit", "EDP", std::round(mhz_of_hz(*line_.edp_limit_hz)), "MHz");
    for (const auto& clock : line_.clocks) {
      if (clock.load) row("load", clock.name, tidy(*clock.load * 100), "%");
    }
    for (const auto& zone : line_.temperatures) {
      row("temperature", zone.name, known_cell(zone.celsius), "C", {},
          known_cell(zone.maximum_celsius), zone.celsius ? "" : "no power");
    }
    for (const auto& part : line_.memory) {
      row("memory", part.name, part.used_bytes / kMebibyte, "MiB", {}, part.total_bytes / kMebibyte,
          part.detail);
    }
    for (const auto& word : line_.unknown) row("unknown", word, {}, "");
  }

 private:
  static double tidy(double value) { return std::round(value * 1e6) / 1e6; }

  void add_clock(const platform::TegrastatsClock& clock) {
    if (clock.off) return row("clock", clock.name, 0.0, "MHz", {}, {}, "off");
    for (std::size_t i = 0; i < clock.clocks_hz.size(); ++i) {
      const bool one = clock.clocks_hz.size() == 1;
      row("clock", one ? clock.name : fmt::format("{}[{}]", clock.name, i),
          tidy(mhz_of_hz(clock.clocks_hz[i])), "MHz");
    }
  }

  void row(const char* kind, const std::string& name, Cell value, const char* unit,
           const Cell& average = {}, const Cell& maximum = {}, const std::string& note = "") {
    table_.add_row({static_cast<std::int64_t>(line_.number), line_.time, kind, name, value, unit,
                    average, maximum, note});
  }

  const platform::TegrastatsLine& line_;
  Table& table_;
};

}  // namespace

Json tegrastats_to_json(const std::vector<platform::TegrastatsLine>& lines) {
  Json json = Json::array();
  for (const auto& line : lines) json.push_back(line_to_json(line));
  return json;
}

Table tegrastats_table(const std::vector<platform::TegrastatsLine>& lines) {
  Table table({{"line"},
               {"time"},
               {"kind"},
               {"name"},
               {"value"},
               {"unit"},
               {"average"},
               {"maximum"},
               {.name = "note", .wrap = true}});
  for (const auto& line : lines) LineRows(line, table).add();
  return table;
}

}  // namespace ridgewatt::report
