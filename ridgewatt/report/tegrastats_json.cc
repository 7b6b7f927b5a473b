#include "ridgewatt/report/tegrastats_json.h"

#include <fmt/format.h>

#include <cmath>

namespace ridgewatt {
namespace {

// The value under `name`, or under "name (2)" and so on when that is taken.
Json& fresh(Json& object, const std::string& name) {
  std::string key = name;
  for (int n = 2; object.contains(key); ++n) key = fmt::format("{} ({})", name, n);
  return object[key];
}

// Whole milliwatts and megahertz were printed: rounding undoes the conversion to SI exactly.
double milliwatts(double power_w) {
  return std::round(power_w * 1e3);
}

Json number_or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

void add_clock(Json& clocks, Json& loads, const TegrastatsClock& clock) {
  if (clock.load) fresh(loads, clock.name) = std::round(*clock.load * 100);
  if (clock.off) {
    fresh(clocks, clock.name) = 0;
  } else if (clock.clocks_hz.size() == 1) {
    fresh(clocks, clock.name) = std::round(clock.clocks_hz[0] / 1e6);
  } else if (!clock.clocks_hz.empty()) {
    Json list = Json::array();
    for (const double hz : clock.clocks_hz) list.push_back(std::round(hz / 1e6));
    fresh(clocks, clock.name) = list;
  }
}

Json line_to_json(const TegrastatsLine& line) {
  Json json = {{"line", line.number}};
  json["time"] = line.time.empty() ? Json() : Json(line.time);
  Json memory = Json::object();
  for (const auto& part : line.memory) {
    fresh(memory, part.name) = {{"used_bytes", part.used_bytes},
                                {"total_bytes", part.total_bytes},
                                {"detail", part.detail}};
  }
  Json rails = Json::object();
  for (const auto& rail : line.rails) {
    Json& entry = fresh(rails, rail.name);
    entry = {{"power_mw", milliwatts(rail.power_w)}, {"average_mw", milliwatts(rail.average_w)}};
    if (rail.maximum_w) entry["maximum_mw"] = milliwatts(*rail.maximum_w);
  }
  Json clocks = Json::object();
  Json loads = Json::object();
  for (const auto& clock : line.clocks) add_clock(clocks, loads, clock);
  Json temperatures = Json::object();
  Json maxima = Json::object();
  for (const auto& zone : line.temperatures) {
    fresh(temperatures, zone.name) = number_or_null(zone.celsius);
    if (zone.maximum_celsius) fresh(maxima, zone.name) = *zone.maximum_celsius;
  }
  json["memory"] = memory;
  json["rails"] = rails;
  json["clocks"] = clocks;
  json["loads"] = loads;
  json["temperatures"] = temperatures;
  if (!maxima.empty()) json["temperature_maxima"] = maxima;
  json["not_connected"] = line.not_connected;
  json["unknown"] = line.unknown;
  return json;
}

}  // namespace

Json tegrastats_to_json(const std::vector<TegrastatsLine>& lines) {
  Json json = Json::array();
  for (const auto& line : lines) json.push_back(line_to_json(line));
  return json;
}

Table tegrastats_table(const std::vector<TegrastatsLine>& lines) {
  Table table({{"line"},
               {"time"},
               {"rail"},
               {"power_w", "power (W)"},
               {"average_w", "average (W)"},
               {"unknown_tokens", "unknown tokens"}});
  for (const auto& line : lines) {
    for (const auto& rail : line.rails) {
      table.add_row({static_cast<std::int64_t>(line.number), line.time, rail.name, rail.power_w,
                     rail.average_w, static_cast<std::int64_t>(line.unknown.size())});
    }
  }
  return table;
}

}  // namespace ridgewatt
