#include <fmt/format.h>
#include <cmath>

#include "ridgewatt/base/text.h"
#include "ridgewatt/device/power_mode.h"
#include "ridgewatt/io/csv.h"
#include "ridgewatt/report/mode_json.h"
#include "ridgewatt/report/result.h"
#include "ridgewatt/report/sensors_report.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt::report {
namespace {

void put_energy(const monitor::Energy& energy, bool has_total, Json& json) {
  json["energy_j"] = has_total ? Json(energy.energy_j) : Json();
  json["energy_error_j"] = has_total ? known_json(energy.error_j) : Json();
}

Json power_json(const monitor::Snapshot& snapshot) {
  Json json = json_object({{"source", snapshot.power_source},
                           {"note", snapshot.power_note},
                           {"time_s", snapshot.power_time_s},
                           {"total_w", known_json(snapshot.total_w)}});
  put_energy(snapshot.total, snapshot.has_total, json);
  json["rails"] = Json::array();
  for (const auto& rail : snapshot.rails) {
    Json entry = json_object({{"name", rail.name},
                              {"source", rail.source},
                              {"in_total", rail.in_total},
                              {"power_w", known_json(rail.power_w)}});
    put_energy(rail.since_start, true, entry);
    json["rails"].push_back(std::move(entry));
  }
  return json;
}

Json process_json(const monitor::Process& process) {
  return json_object({{"pid", process.pid},
                      {"name", process.name},
                      {"cpu_share", process.cpu_share},
                      {"memory_bytes", process.memory_bytes},
                      {"gpu_memory_bytes", process.gpu_memory_bytes}});
}

Json sampling_json(const monitor::Snapshot& snapshot) {
  const bool some = snapshot.since_s > 0;
  return json_object(
      {{"rate_hz", snapshot.rate_hz},
       {"samples", snapshot.samples},
       {"lost", snapshot.lost},
       {"missing", snapshot.missing},
       {"cpu_s", snapshot.sampling_cpu_s},
       {"cpu_share", some ? Json(snapshot.sampling_cpu_s / snapshot.since_s) : Json()}});
}

}  // namespace

Json windows_to_json(const std::vector<monitor::Window>& windows, bool has_total) {
  Json json = Json::array();
  for (const auto& window : windows) {
    const double time_s = window.end_s - window.begin_s;
    Json entry = json_object({{"number", window.number},
                              {"name", window.name},
                              {"begin_s", window.begin_s},
                              {"end_s", window.end_s},
                              {"time_s", time_s},
                              {"ended", window.ended}});
    put_energy(window.energy, has_total, entry);
    entry["mean_w"] = has_total && time_s > 0 ? Json(window.energy.energy_j / time_s) : Json();
    entry["minibatches"] = window.minibatches;
    json.push_back(std::move(entry));
  }
  return json;
}

Json history_to_json(const std::vector<monitor::HistoryPoint>& history) {
  Json json = Json::array();
  for (const auto& point : history) {
    Json rails = Json::array();
    for (const double power_w : point.rail_w) rails.push_back(known_json(power_w));
    json.push_back(json_object({{"time_s", point.time_s},
                                {"total_w", known_json(point.total_w)},
                                {"rail_w", rails},
                                {"gpu_load", known_json(point.gpu_load)},
                                {"cpu_load", known_json(point.cpu_load)},
                                {"gpu_clock_mhz", mhz_of_hz(point.gpu_clock_hz)},
                                {"hottest_c", known_json(point.hottest_celsius)}}));
  }
  return json;
}

Json monitor_to_json(const platform::MachineSensors& sensors, const monitor::Snapshot& snapshot,
                     Provenance provenance, const std::vector<monitor::Window>& windows) {
  Json machine = sensors_to_json(sensors, snapshot.machine);
  Json json = json_object({{"number", snapshot.number},
                           {"time_s", snapshot.time_s},
                           {"unix_time_s", snapshot.unix_time_s},
                           {"since_s", snapshot.since_s},
                           {"provenance", std::string(name_of(provenance))},
                           {"board", machine["board"]}});
  const auto& mode = snapshot.mode;
  json["mode"] = mode.mode ? mode_to_json(*mode.mode) : Json();
  json["mode_text"] = mode.text;
  json["preset"] = mode.preset;
  json["power"] = power_json(snapshot);
  for (const char* key : {"gpus", "cpus", "clocks", "loads", "temperatures", "throttling", "memory",
                          "swap", "fans"}) {
    json[key] = machine[key];
  }
  json["processes"] = Json::array();
  for (const auto& process : snapshot.processes) json["processes"].push_back(process_json(process));
  json["throttle_events"] = snapshot.throttle_events;
  Json minibatches = json_object({{"count", snapshot.minibatches}});
  put_energy(snapshot.minibatch_energy, snapshot.has_total, minibatches);
  json["minibatches"] = std::move(minibatches);
  json["windows"] = windows_to_json(windows, snapshot.has_total);
  json["sampling"] = sampling_json(snapshot);
  return with_schema("monitor", std::move(json));
}

namespace {

std::string csv_number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? format_exact(*value) : "";
}

}  // namespace

std::string monitor_csv(const monitor::Snapshot& now, const monitor::HistoryPoint& point,
                        bool headed) {
  std::string heading = "number,unix_time_s,since_s,total_w,energy_j,energy_error_j";
  std::string line = fmt::format("{},{},{},{},{},{}", now.number, format_exact(now.unix_time_s),
                                 format_exact(now.since_s), csv_number(now.total_w),
                                 now.has_total ? format_exact(now.total.energy_j) : "",
                                 now.has_total ? csv_number(now.total.error_j) : "");
  for (const auto& rail : now.rails) {
    heading += ',' + csv_field(rail.name + "_w") + ',' + csv_field(rail.name + "_j");
    line += ',' + csv_number(rail.power_w) + ',' + format_exact(rail.since_start.energy_j);
  }
  heading += ",cpu_load,gpu_load,gpu_mhz,hottest_c,throttle_events,minibatches\n";
  line +=
      fmt::format(",{},{},{},{},{},{}\n", csv_number(point.cpu_load), csv_number(point.gpu_load),
                  point.gpu_clock_hz > 0 ? format_exact(mhz_of_hz(point.gpu_clock_hz)) : "",
                  csv_number(point.hottest_celsius), now.throttle_events, now.minibatches);
  return headed ? heading + line : line;
}

}  // namespace ridgewatt::report
