#include "ridgewatt/report/sensors_report.h"

#include <fmt/format.h>

#include <cmath>
#include <system_error>

#include "ridgewatt/base/sentence.h"
#include "ridgewatt/device/power_mode.h"

namespace ridgewatt::report {
namespace {

// Nine digits are enough for any sensor, and hide rounding errors such as that of 5.064 * 0.24.
double tidy(double value) {
  return std::round(value * 1e9) / 1e9;
}

Json number(const std::optional<double>& value) {
  return value ? Json(tidy(*value)) : Json();
}

std::string error_text(int error_number) {
  return std::generic_category().message(error_number);
}

Json board_json(const platform::MachineSensors& sensors) {
  if (!sensors.jetson()) return nullptr;
  const auto& jetson = *sensors.jetson();
  return json_object({{"name", jetson.board},
                      {"model", jetson.model},
                      {"module", jetson.module},
                      {"soc", jetson.soc},
                      {"l4t", jetson.l4t},
                      {"jetpack", jetson.jetpack},
                      {"super", jetson.super},
                      {"compatible", jetson.compatible}});
}

void add_power(const platform::MachineSensors& sensors, const platform::MachineReading& reading,
               Json& json) {
  json["rails"] = Json::array();
  const auto& rails = sensors.rails();
  for (std::size_t i = 0; i < rails.channels.size(); ++i) {
    const auto& channel = rails.channels[i];
    const auto& power = reading.power[i];
    const bool valid = power.error_number == 0;
    Json entry = json_object({{"name", channel.rail},
                              {"device", channel.device},
                              {"power_w", valid ? Json(tidy(power.power_w)) : Json()},
                              {"voltage_v", number(power.voltage_v)},
                              {"current_a", number(power.current_a)},
                              {"in_total", channel.in_total}});
    if (!valid) entry["error"] = error_text(power.error_number);
    json["rails"].push_back(entry);
  }
  json["skipped"] = Json::array();
  for (const auto& skipped : rails.skipped) {
    json["skipped"].push_back(json_object(
        {{"name", skipped.rail}, {"where", skipped.where}, {"reason", skipped.reason}}));
  }
  json["total"] = {
      {"power_w", number(reading.total_w)}, {"rule", rails.total_rule}, {"note", rails.total_note}};
}

void add_gpus(const platform::MachineSensors& sensors, const platform::MachineReading& reading,
              Json& json) {
  json["gpus"] = Json::array();
  for (const auto& gpu : reading.gpus) {
    Json entry = json_object({{"name", gpu.device.name},
                              {"power_w", number(gpu.power_w)},
                              {"energy_counter", gpu.device.energy_counter},
                              {"clock_mhz", gpu.clock_hz ? Json(mhz_of_hz(*gpu.clock_hz)) : Json()},
                              {"temperature_c", number(gpu.temperature_celsius)},
                              {"load", number(gpu.load)},
                              {"not_supported", gpu.device.unsupported},
                              {"throttling", gpu.throttling}});
    json["gpus"].push_back(entry);
  }
  json["nvml"] = sensors.nvml_note();
  json["rapl"] = Json::array();
  for (const auto& zone : sensors.rapl()) {
    Json entry =
        json_object({{"name", zone.name}, {"path", zone.path}, {"in_total", zone.in_total}});
    if (zone.error_number != 0) entry["error"] = error_text(zone.error_number);
    json["rapl"].push_back(entry);
  }
}

void add_power_rows(const platform::MachineSensors& sensors,
                    const platform::MachineReading& reading, Table& table) {
  const auto& rails = sensors.rails();
  for (std::size_t i = 0; i < rails.channels.size(); ++i) {
    const auto& power = reading.power[i];
    const bool valid = power.error_number == 0;
    table.add_row({"rail", rails.channels[i].rail, valid ? Cell(tidy(power.power_w)) : Cell(), "W",
                   valid ? rails.channels[i].device : error_text(power.error_number)});
  }
  table.add_row({"total", rails.total_rule, reading.total_w ? Cell(tidy(*reading.total_w)) : Cell(),
                 "W", rails.total_note});
  for (const auto& skipped : rails.skipped) {
    table.add_row({"skipped", skipped.rail, Cell(), "", skipped.where + ": " + skipped.reason});
  }
}

void add_gpu_rows(const platform::MachineSensors& sensors, const platform::MachineReading& reading,
                  Table& table) {
  for (const auto& gpu : reading.gpus) {
    const std::string& name = gpu.device.name;
    table.add_row(
        {"gpu", name, known_cell(gpu.power_w), "W",
         gpu.device.unsupported.empty() ? "" : "not supported: " + gpu.device.unsupported});
    if (gpu.clock_hz) table.add_row({"clock", name, mhz_of_hz(*gpu.clock_hz), "MHz", ""});
    if (gpu.load) table.add_row({"load", name, tidy(*gpu.load * 100), "%", ""});
    if (gpu.temperature_celsius) {
      table.add_row({"temperature", name, *gpu.temperature_celsius, "C", ""});
    }
    for (const auto& reason : gpu.throttling) {
      table.add_row({"throttling", name, Cell(), "", reason});
    }
  }
  for (const auto& zone : sensors.rapl()) {
    table.add_row(
        {"rapl", zone.name, Cell(), "J",
         zone.error_number != 0 ? error_text(zone.error_number) : std::string("counter")});
  }
}

void add_snapshot_rows(const platform::SensorSnapshot& snapshot, Table& table) {
  table.add_row({"cpus", "online", std::int64_t{snapshot.cpus_online}, "",
                 fmt::format("of {}", snapshot.cpus_present)});
  for (const auto& clock : snapshot.clocks) {
    table.add_row({"clock", clock.name, mhz_of_hz(clock.clock_hz), "MHz",
                   sentence("{:g} to {:g} MHz {}", mhz_of_hz(clock.min_hz), mhz_of_hz(clock.max_hz),
                            clock.governor)});
  }
  for (const auto& load : snapshot.loads) {
    table.add_row({"load", load.name, tidy(load.load * 100), "%", ""});
  }
  for (const auto& zone : snapshot.temperatures) {
    table.add_row({"temperature", zone.name, known_cell(zone.celsius), "C", zone.note});
  }
  for (const auto& fan : snapshot.fans) {
    if (fan.duty) table.add_row({"fan", fan.name, tidy(*fan.duty * 100), "%", "of full speed"});
    if (fan.rpm) table.add_row({"fan", fan.name, *fan.rpm, "1/min", ""});
  }
  for (const auto& signal : snapshot.throttling) {
    if (signal.value == 0) continue;
    table.add_row({"throttling", signal.name, signal.value, signal.counter ? "events" : "",
                   std::string(name_of(signal.kind))});
  }
  const auto memory = [&](const char* kind, const char* name, double bytes) {
    table.add_row({kind, name, bytes / kMebibyte, "MiB", ""});
  };
  memory("memory", "total", snapshot.memory_total_bytes);
  memory("memory", "available", snapshot.memory_available_bytes);
  memory("swap", "total", snapshot.swap_total_bytes);
  memory("swap", "free", snapshot.swap_free_bytes);
}

}  // namespace

Json sensors_to_json(const platform::MachineSensors& sensors,
                     const platform::MachineReading& reading) {
  Json json = json_object({{"board", board_json(sensors)}});
  add_power(sensors, reading, json);
  add_gpus(sensors, reading, json);
  const auto& snapshot = reading.snapshot;
  json["cpus"] =
      json_object({{"present", snapshot.cpus_present}, {"online", snapshot.cpus_online}});
  json["clocks"] = Json::array();
  for (const auto& clock : snapshot.clocks) {
    Json entry = json_object({{"name", clock.name}, {"mhz", mhz_of_hz(clock.clock_hz)}});
    if (clock.min_hz > 0) entry["min_mhz"] = mhz_of_hz(clock.min_hz);
    if (clock.max_hz > 0) entry["max_mhz"] = mhz_of_hz(clock.max_hz);
    if (!clock.governor.empty()) entry["governor"] = clock.governor;
    json["clocks"].push_back(entry);
  }
  json["loads"] = Json::array();
  for (const auto& load : snapshot.loads) {
    json["loads"].push_back(json_object({{"name", load.name}, {"load", tidy(load.load)}}));
  }
  json["temperatures"] = Json::array();
  for (const auto& zone : snapshot.temperatures) {
    Json entry = json_object({{"name", zone.name}, {"celsius", number(zone.celsius)}});
    if (!zone.note.empty()) entry["note"] = zone.note;
    json["temperatures"].push_back(entry);
  }
  json["throttling"] = Json::array();
  for (const auto& signal : snapshot.throttling) {
    json["throttling"].push_back(json_object({{"name", signal.name},
                                              {"kind", std::string(name_of(signal.kind))},
                                              {"value", signal.value},
                                              {"counter", signal.counter},
                                              {"active", signal.active()}}));
  }
  json["memory"] = json_object({{"total_bytes", snapshot.memory_total_bytes},
                                {"available_bytes", snapshot.memory_available_bytes}});
  json["swap"] = json_object(
      {{"total_bytes", snapshot.swap_total_bytes}, {"free_bytes", snapshot.swap_free_bytes}});
  json["fans"] = Json::array();
  for (const auto& fan : snapshot.fans) {
    json["fans"].push_back(
        json_object({{"name", fan.name}, {"duty", number(fan.duty)}, {"rpm", number(fan.rpm)}}));
  }
  return json;
}

Table sensors_table(const platform::MachineSensors& sensors,
                    const platform::MachineReading& reading) {
  Table table({{"kind"},
               {"name"},
               {.name = "value", .digits = 5},
               {"unit"},
               {.name = "note", .wrap = true}});
  add_power_rows(sensors, reading, table);
  add_gpu_rows(sensors, reading, table);
  add_snapshot_rows(reading.snapshot, table);
  return table;
}

}  // namespace ridgewatt::report
