// What a machine's sensors say, as JSON and as a table.
#pragma once

#include "ridgewatt/io/json.h"
#include "ridgewatt/platform/machine_sensors.h"
#include "ridgewatt/platform/tegrastats.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt::report {

// board, rails (name, device, power_w, voltage_v, current_a, in_total), skipped (name, where,
// reason), total (power_w, rule, note), gpus, rapl, cpus, clocks, loads, temperatures, throttling,
// memory, swap, fans (name, duty, rpm).
Json sensors_to_json(const platform::MachineSensors& sensors,
                     const platform::MachineReading& reading);

// One row per quantity: kind, name, value, unit, note.
Table sensors_table(const platform::MachineSensors& sensors,
                    const platform::MachineReading& reading);

// tegrastats lines as results.
// An array with one object per line: line, time, memory, rails (name to power_mw, average_mw,
// maximum_mw), clocks (name to MHz, or a list of MHz; 0 when off), loads (name to percent),
// temperatures (name to degrees Celsius, null when the zone has no power), temperature_maxima,
// edp_limit_mhz, not_connected (count) and unknown (words). A name that occurs twice gets " (2)".
Json tegrastats_to_json(const std::vector<platform::TegrastatsLine>& lines);

// One row per reading of every line: kind (rail, clock, limit, load, temperature, memory, unknown),
// name, value, unit, average, maximum (of a rail or zone; the size of a memory), note.
Table tegrastats_table(const std::vector<platform::TegrastatsLine>& lines);

}  // namespace ridgewatt::report
