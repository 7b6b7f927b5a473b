// What a machine's sensors say, now and watched over time, as JSON and as a table.
#pragma once

#include "ridgewatt/io/json.h"
#include "ridgewatt/monitor/monitor.h"
#include "ridgewatt/platform/machine_sensors.h"
#include "ridgewatt/platform/tegrastats.h"
#include "ridgewatt/report/table.h"
#include "ridgewatt/sweep/provenance.h"

namespace ridgewatt::report {

// board, rails (name, device, power_w, voltage_v, current_a, in_total), skipped (name, where,
// reason), total (power_w, rule, note), gpus, rapl, cpus, clocks, loads, temperatures, throttling,
// memory, swap, fans (name, duty, rpm).
Json sensors_to_json(const platform::MachineSensors& sensors,
                     const platform::MachineReading& reading);

// One row per quantity: kind, name, value, unit, note.
Table sensors_table(const platform::MachineSensors& sensors,
                    const platform::MachineReading& reading);

// A look of a monitor, "ridgewatt.monitor/1" with its schema: number, time_s, unix_time_s, since_s,
// provenance, board, mode (knobs), mode_text, preset, power (source, note, total_w, energy_j,
// energy_error_j, rails), then what sensors_to_json says about gpus, cpus, clocks, loads,
// temperatures, throttling, memory, swap and fans; processes, throttle_events, minibatches (count,
// energy_j, energy_error_j), windows (as windows_to_json) and sampling. docs/reference/json.md says
// what each means.
Json monitor_to_json(const platform::MachineSensors& sensors, const monitor::Snapshot& snapshot,
                     Provenance provenance, const std::vector<monitor::Window>& windows);

// An array: number, name, begin_s, end_s, time_s, ended, energy_j, energy_error_j, mean_w,
// minibatches. Energies are null when `has_total` (of the snapshot) is not set.
Json windows_to_json(const std::vector<monitor::Window>& windows, bool has_total);
// One point of the charts: time_s, total_w, rail_w (an array in the order of the rails), gpu_load,
// cpu_load, gpu_clock_mhz, hottest_c; null: not known.
Json history_to_json(const std::vector<monitor::HistoryPoint>& history);

// tegrastats lines as results.
// An array with one object per line: line, time, memory, rails (name to power_mw, average_mw,
// maximum_mw), clocks (name to MHz, or a list of MHz; 0 when off), loads (name to percent),
// temperatures (name to degrees Celsius, null when the zone has no power), temperature_maxima,
// edp_limit_mhz, not_connected (count) and unknown (words). A name that occurs twice gets " (2)".
Json tegrastats_to_json(const std::vector<platform::TegrastatsLine>& lines);

// One row per reading of every line: kind (rail, clock, limit, load, temperature, memory, unknown),
// name, value, unit, average, maximum (of a rail or zone; the size of a memory), note.
Table tegrastats_table(const std::vector<platform::TegrastatsLine>& lines);

// A line of CSV for each look; `headed`: with the header in front, which names the rails.
std::string monitor_csv(const monitor::Snapshot& now, const monitor::HistoryPoint& point,
                        bool headed);

}  // namespace ridgewatt::report
