#include "ridgewatt/monitor/metrics.h"

#include "ridgewatt/base/version.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/monitor/exposition.h"

namespace ridgewatt::monitor {
namespace {

std::optional<double> above_zero(double value) {
  return value > 0 ? std::optional(value) : std::nullopt;
}

double count_of(std::uint64_t number) {
  return static_cast<double>(number);
}

void add_identity(const platform::MachineSensors& sensors, const Snapshot& now,
                  const MetricsOptions& options, Exposition& out) {
  out.gauge("ridgewatt_build_info", "Always 1; the version of the program.");
  out.series({{"version", version()}}, 1);
  out.gauge("ridgewatt_board_info",
            "Always 1; what is watched. Provenance fake: a fake board, whose values are modelled.");
  const auto& jetson = sensors.jetson();
  const platform::JetsonIdentity unknown;
  const auto& board = jetson ? *jetson : unknown;
  out.series({{"board", board.board},
              {"model", board.model},
              {"module", board.module},
              {"soc", board.soc},
              {"l4t", board.l4t},
              {"power_source", now.has_power ? now.power_source : now.power_note},
              {"provenance", std::string(name_of(options.provenance))}},
             1);
  out.gauge(
      "ridgewatt_start_time_seconds",
      "Time at which the counters began, in seconds since 1970; they restart with the program.");
  out.series({}, now.unix_time_s - now.since_s);
  out.gauge("ridgewatt_mode_info",
            "Always 1; the power mode that is set: knobs, and the vendor's preset if it is one.");
  if (now.mode.mode) out.series({{"mode", now.mode.text}, {"preset", now.mode.preset}}, 1);
}

void add_total(const Snapshot& now, Exposition& out) {
  const auto with_total = [&](double value) {
    return now.has_total ? std::optional(value) : std::nullopt;
  };
  out.gauge("hw_power_watts", "Power of the whole module, newest sample.");
  out.series({}, now.total_w);
  out.counter("hw_energy_joules_total",
              "Energy of the whole module since start: power integrated over its samples.");
  out.series({}, with_total(now.total.energy_j));
  out.counter("hw_energy_error_joules_total",
              "Bound on the absolute sampling error of hw_energy_joules_total, without the "
              "accuracy of the sensor.");
  out.series({}, with_total(now.total.error_j));
}

Exposition::Labels rail_labels(const Rail& rail) {
  return {
      {"rail", rail.name}, {"source", rail.source}, {"in_total", rail.in_total ? "true" : "false"}};
}

void add_rails(const Snapshot& now, Exposition& out) {
  out.gauge("hw_rail_power_watts",
            "Power of a rail, newest sample. Rails may supply each other: only those with "
            "in_total=\"true\" add up.");
  for (const auto& rail : now.rails) out.series(rail_labels(rail), rail.power_w);
  out.counter("hw_rail_energy_joules_total", "Energy of a rail since start.");
  for (const auto& rail : now.rails) out.series(rail_labels(rail), rail.since_start.energy_j);
  out.counter("hw_rail_energy_error_joules_total",
              "Bound on the sampling error of hw_rail_energy_joules_total.");
  for (const auto& rail : now.rails) out.series(rail_labels(rail), rail.since_start.error_j);
}

// The metric families of loads.
enum class LoadFamily { kCpu, kCore, kGpu, kOther };

LoadFamily family_of(const std::string& name) {
  if (name == "cpu") return LoadFamily::kCpu;
  if (name.rfind("cpu", 0) == 0) return LoadFamily::kCore;
  return name.rfind("gpu", 0) == 0 ? LoadFamily::kGpu : LoadFamily::kOther;
}

void add_loads(const platform::MachineReading& machine, Exposition& out) {
  const auto add = [&](LoadFamily family) {
    for (const auto& load : machine.snapshot.loads) {
      if (family_of(load.name) == family) out.series({{"hw_id", load.name}}, load.load);
    }
  };
  out.gauge("hw_cpu_utilization_ratio", "Share of time that all cores together were busy, 0 to 1.");
  add(LoadFamily::kCpu);
  out.gauge("hw_cpu_core_utilization_ratio", "Share of time that a core was busy, 0 to 1.");
  add(LoadFamily::kCore);
  out.gauge("hw_gpu_utilization_ratio", "Share of time that the GPU was busy, 0 to 1.");
  add(LoadFamily::kGpu);
  for (const auto& gpu : machine.gpus) out.series({{"hw_id", gpu.device.name}}, gpu.load);
  out.gauge("hw_memory_utilization_ratio",
            "Share of time that the memory controller was busy, 0 to 1; only root may read it.");
  add(LoadFamily::kOther);
}

void add_clocks(const platform::MachineReading& machine, Exposition& out) {
  out.gauge("hw_clock_hertz", "Current clock; 0: switched off.");
  for (const auto& clock : machine.snapshot.clocks) {
    out.series({{"hw_id", clock.name}}, clock.clock_hz);
  }
  for (const auto& gpu : machine.gpus) out.series({{"hw_id", gpu.device.name}}, gpu.clock_hz);
  out.gauge("hw_clock_limit_hertz", "Current limit of a clock: minimum or maximum.");
  for (const auto& clock : machine.snapshot.clocks) {
    out.series({{"hw_id", clock.name}, {"limit", "min"}}, above_zero(clock.min_hz));
    out.series({{"hw_id", clock.name}, {"limit", "max"}}, above_zero(clock.max_hz));
  }
}

void add_temperatures(const platform::MachineReading& machine, Exposition& out) {
  out.gauge("hw_temperature_celsius", "Temperature of a zone.");
  for (const auto& zone : machine.snapshot.temperatures) {
    out.series({{"hw_id", zone.name}}, zone.celsius);
  }
  for (const auto& gpu : machine.gpus) {
    out.series({{"hw_id", gpu.device.name}}, gpu.temperature_celsius);
  }
  out.gauge("hw_fan_speed_ratio", "Requested speed of a fan, 0 to 1 of its full speed.");
  for (const auto& fan : machine.snapshot.fans) out.series({{"hw_id", fan.name}}, fan.duty);
  out.gauge("hw_fan_speed_rpm", "Speed of a fan in revolutions per minute, if it is measured.");
  for (const auto& fan : machine.snapshot.fans) out.series({{"hw_id", fan.name}}, fan.rpm);
}

void add_memory(const platform::SensorSnapshot& snapshot, Exposition& out) {
  out.gauge("hw_memory_bytes", "Memory that is used, and that is available to programs.");
  const double available = snapshot.memory_available_bytes;
  if (snapshot.memory_total_bytes > 0) {
    out.series({{"state", "used"}}, snapshot.memory_total_bytes - available);
    out.series({{"state", "available"}}, available);
  }
  out.gauge("hw_swap_bytes", "Swap space that is used, and that is free.");
  if (snapshot.swap_total_bytes > 0) {
    out.series({{"state", "used"}}, snapshot.swap_total_bytes - snapshot.swap_free_bytes);
    out.series({{"state", "free"}}, snapshot.swap_free_bytes);
  }
  out.gauge("hw_cpus", "Cores that are online, and that are not.");
  if (snapshot.cpus_present > 0) {
    out.series({{"state", "online"}}, snapshot.cpus_online);
    out.series({{"state", "offline"}}, snapshot.cpus_present - snapshot.cpus_online);
  }
}

void add_throttling(const Snapshot& now, Exposition& out) {
  out.gauge("ridgewatt_throttling_active",
            "1 while a throttling signal is active: over-current, power limit or thermal.");
  for (const auto& signal : now.machine.snapshot.throttling) {
    if (signal.counter) continue;
    out.series({{"hw_id", signal.name}, {"kind", std::string(name_of(signal.kind))}},
               signal.active() ? 1 : 0);
  }
  for (const auto& gpu : now.machine.gpus) {
    for (const auto& reason : gpu.throttling) {
      out.series({{"hw_id", gpu.device.name}, {"kind", reason}}, 1);
    }
  }
  out.counter("ridgewatt_throttle_events_total",
              "Number of times throttling began since start: signals that became active, "
              "over-current events.");
  out.series({}, count_of(now.throttle_events));
}

void add_work(const Snapshot& now, const std::vector<Window>& windows, Exposition& out) {
  const auto with_total = [&](double value) {
    return now.has_total ? std::optional(value) : std::nullopt;
  };
  out.counter("ridgewatt_minibatches_total", "Minibatches that a program has marked since start.");
  out.series({}, count_of(now.minibatches));
  out.counter("ridgewatt_minibatch_joules_total",
              "Energy of the module between the first mark and the newest.");
  out.series({}, with_total(now.minibatch_energy.energy_j));
  out.counter("ridgewatt_minibatch_error_joules_total",
              "Bound on the sampling error of ridgewatt_minibatch_joules_total.");
  out.series({}, with_total(now.minibatch_energy.error_j));
  out.gauge("ridgewatt_open_windows", "Energy windows that are open.");
  int open = 0;
  for (const auto& window : windows) open += window.ended ? 0 : 1;
  out.series({}, open);
}

void add_sampling(const Snapshot& now, Exposition& out) {
  const auto with_power = [&](double value) {
    return now.has_power ? std::optional(value) : std::nullopt;
  };
  out.gauge("ridgewatt_power_available", "1 if the machine has a power sensor, else 0.");
  out.series({}, now.has_power ? 1 : 0);
  out.gauge("ridgewatt_sampling_rate_hertz", "Number of power readings per second.");
  out.series({}, with_power(now.rate_hz));
  out.counter("ridgewatt_sampling_samples_total", "Samples of power since start.");
  out.series({}, with_power(count_of(now.samples)));
  out.counter("ridgewatt_sampling_lost_total",
              "Samples that were not taken in time: the machine or its sensor was too busy.");
  out.series({}, with_power(count_of(now.lost)));
  out.counter("ridgewatt_sampling_missing_total", "Samples in which a rail had no value.");
  out.series({}, with_power(count_of(now.missing)));
  out.counter("ridgewatt_sampling_cpu_seconds_total", "CPU time of the monitor.");
  out.series({}, now.sampling_cpu_s);
}

}  // namespace

std::string metrics_label(const std::string& text) {
  // The JSON library replaces malformed UTF-8.
  const Json valid = Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace));
  std::string label;
  for (const char c : valid.get<std::string>()) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '\\' || c == '"')
      label += {'\\', c};
    else if (c == '\n')
      label += "\\n";
    else if (code < 0x20 || code == 0x7f)
      label += "\xef\xbf\xbd";
    else
      label += c;
  }
  return label;
}

std::string metrics_text(const platform::MachineSensors& sensors, const Snapshot& snapshot,
                         const MetricsOptions& options) {
  Exposition out(options.counters);
  add_identity(sensors, snapshot, options, out);
  add_total(snapshot, out);
  add_rails(snapshot, out);
  add_loads(snapshot.machine, out);
  add_clocks(snapshot.machine, out);
  add_temperatures(snapshot.machine, out);
  add_memory(snapshot.machine.snapshot, out);
  add_throttling(snapshot, out);
  add_work(snapshot, options.windows, out);
  add_sampling(snapshot, out);
  return out.text();
}

}  // namespace ridgewatt::monitor
