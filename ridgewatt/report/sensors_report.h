// The sensors of a machine, at one time and over time, as JSON and as tables.
#pragma once

#include "ridgewatt/io/json.h"
#include "ridgewatt/monitor/monitor.h"
#include "ridgewatt/platform/machine_sensors.h"
#include "ridgewatt/platform/tegrastats.h"
#include "ridgewatt/report/table.h"
#include "ridgewatt/sweep/provenance.h"

namespace ridgewatt::report {

// JSON keys: board, rails (name, device, power_w, voltage_v, current_a, in_total), skipped (name,
// where, reason), total (power_w, rule, note), gpus, rapl, cpus, clocks, loads, temperatures,
// throttling, memory, swap, fans (name, duty, rpm).
Json sensors_to_json(const platform::MachineSensors& sensors,
                     const platform::MachineReading& reading);

// One row per quantity: kind, name, value, unit, note.
Table sensors_table(const platform::MachineSensors& sensors,
                    const platform::MachineReading& reading);

// A reading of the monitor, with the schema "ridgewatt.monitor/1". JSON keys: number, time_s,
// unix_time_s, since_s, provenance, board, mode (knobs), mode_text, preset, power (source, note,
// total_w, energy_j, energy_error_j, rails); gpus, cpus, clocks, loads, temperatures, throttling,
// memory, swap and fans as in sensors_to_json; processes, throttle_events, minibatches (count,
// energy_j, energy_error_j), windows (as in windows_to_json) and sampling. docs/reference/json.md
// explains the keys.
Json monitor_to_json(const platform::MachineSensors& sensors, const monitor::Snapshot& snapshot,
                     Provenance provenance, const std::vector<monitor::Window>& windows);

// An array of objects with the keys number, name, begin_s, end_s, time_s, ended, energy_j,
// energy_error_j, mean_w, minibatches. Energies are null if `has_total` (of the snapshot) is false.
Json windows_to_json(const std::vector<monitor::Window>& windows, bool has_total);
// Points of the charts, with the keys time_s, total_w, rail_w (an array in the order of the rails),
// gpu_load, cpu_load, gpu_clock_mhz, hottest_c. Null: unknown.
Json history_to_json(const std::vector<monitor::HistoryPoint>& history);

// Lines of tegrastats as an array of objects with the keys line, time, memory, rails (name to
// power_mw, average_mw, maximum_mw), clocks (name to MHz, or a list of MHz; 0 if off), loads (name
// to percent), temperatures (name to degrees Celsius, null if the zone has no power),
// temperature_maxima, edp_limit_mhz, not_connected (count) and unknown (words). A repeated name
// gets " (2)".
Json tegrastats_to_json(const std::vector<platform::TegrastatsLine>& lines);

// One row per value in every line: kind (rail, clock, limit, load, temperature, memory, unknown),
// name, value, unit, average, maximum (of a rail or zone; the size of a memory), note.
Table tegrastats_table(const std::vector<platform::TegrastatsLine>& lines);

// A line of CSV for a reading. `headed`: preceded by the header, which names the rails.
std::string monitor_csv(const monitor::Snapshot& now, const monitor::HistoryPoint& point,
                        bool headed);

}  // namespace ridgewatt::report
